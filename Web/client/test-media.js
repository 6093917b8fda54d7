// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { tone } from "./test-pattern.js";

const [width, height] = [640, 360];
/** How far pixels differ: enough for any bitrate, and little enough to be omitted at a low one; and as far as they can. */
const [contrast, fullContrast] = [32, 256];
/** What a frame takes whose pixels differ as far as they can, however coarse an encoder makes it, bits. */
const fullBits = 300_000;
/**
 * Frames a second, by what is wanted. A page has no padding to fill a network with, so it needs the frames for that, too. Encoders
 * notice only after a second that there are more, and send as much more meanwhile.
 */
const rates = { few: 30, normal: 30, many: 45 };

/**
 * @param {number} range How far its pixels differ.
 * @returns {HTMLCanvasElement} Noise, four times as large as a frame: each frame shows another part of it.
 */
function noise(range) {
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let index = 0; index < pixels.length; index += 1) {
        const grey = 128 - range / 2 + Math.floor(Math.random() * range);
        pixels[index] = 0xff000000 | (grey << 16) | (grey << 8) | grey;
    }
    context.putImageData(image, 0, 0);
    return canvas;
}

/** What a network test sends: no camera or microphone, but noise that fills whatever bitrate it gets, and a tone. */
export class TestMedia {
    constructor() {
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        this.context = canvas.getContext("2d");
        [this.noise, this.fullNoise] = [noise(contrast), noise(fullContrast)];
        /** How many lines of a frame differ as far as they can. */
        this.fullLines = 0;
        [this.video] = canvas.captureStream(0).getVideoTracks();
        const { track, audio, end } = tone();
        Object.assign(this, { audio: track, player: audio, endTone: end });
        this.setFrameRate("normal");
    }

    /** @returns {Promise<boolean>} Whether the browser lets the page play a tone, which no one hears. */
    async begin() {
        // Never settled where it is refused.
        this.player.resume().catch(() => {});
        for (let time = 0; time < 500 && this.player.state !== "running"; time += 20) {
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return this.player.state === "running";
    }

    /** @param {"few"|"normal"|"many"} rate */
    setFrameRate(rate) {
        clearInterval(this.timer);
        this.timer = setInterval(() => this.paint(), 1000 / (rates[rate] ?? rates.normal));
    }

    /** @param {number} bitrate What encoders make of it at least, bps: left alone, they go far below what they may for a second. */
    fill(bitrate) { this.fullLines = Math.round(height * Math.min(1, bitrate / rates.few / fullBits)); }

    paint() {
        const part = (size) => Math.floor(Math.random() * size);
        this.context.drawImage(this.noise, -part(width), -part(height));
        const [lines, x, y] = [this.fullLines, part(width), part(height)];
        if (lines > 0) this.context.drawImage(this.fullNoise, x, y, width, lines, 0, 0, width, lines);
        this.video.requestFrame();
    }

    end() {
        clearInterval(this.timer);
        this.endTone();
        for (const track of [this.audio, this.video]) track.stop();
    }
}

/** What a page tests with that brings tracks of its own: they are left running. */
export class OwnMedia {
    /** @param {MediaStream} media */
    constructor(media) {
        [this.audio = null] = media.getAudioTracks();
        [this.video = null] = media.getVideoTracks();
    }

    async begin() { return true; }
    setFrameRate() {}
    fill() {}
    end() {}
}
