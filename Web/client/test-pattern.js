// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/**
 * A generated video with a soft tone, for those without a camera.
 *
 * @param {string} name Stands in the video.
 * @param {{width: number, height: number, rate: number}} [size]
 * @returns {{media: MediaStream, end: function(): void}}
 */
export function testPattern(name, { width, height, rate } = { width: 640, height: 360, rate: 30 }) {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    let frame = 0;
    const paint = () => {
        frame += 1;
        context.fillStyle = `hsl(${frame % 360} 45% 35%)`;
        context.fillRect(0, 0, width, height);
        for (let bar = 0; bar < 8; bar += 1) {
            context.fillStyle = `hsl(${bar * 45} 70% 55%)`;
            const x = (bar * width) / 8 + Math.sin((frame + bar * 9) / 20) * 20;
            context.fillRect(x, height * 0.15, width / 16, height * 0.45);
        }
        context.fillStyle = "#fff";
        context.font = `${Math.round(height / 9)}px sans-serif`;
        context.fillText(name, width * 0.06, height * 0.78);
        context.fillText(new Date().toISOString().slice(11, 23), width * 0.06, height * 0.94);
    };
    paint();
    const timer = setInterval(paint, 1000 / rate);
    const { track, end } = tone();
    const media = new MediaStream([...canvas.captureStream(rate).getVideoTracks(), track]);
    return {
        media,
        end() {
            clearInterval(timer);
            end();
            for (const own of media.getTracks()) own.stop();
        },
    };
}

/**
 * A soft tone that comes and goes.
 *
 * @returns {{track: MediaStreamTrack, audio: AudioContext, end: function(): void}}
 */
export function tone() {
    const audio = new AudioContext();
    const oscillator = new OscillatorNode(audio, { frequency: 330 });
    const pulse = new OscillatorNode(audio, { frequency: 0.7 });
    const volume = new GainNode(audio, { gain: 0.05 });
    const depth = new GainNode(audio, { gain: 0.05 });
    const destination = new MediaStreamAudioDestinationNode(audio);
    pulse.connect(depth).connect(volume.gain);
    oscillator.connect(volume).connect(destination);
    oscillator.start();
    pulse.start();
    return { track: destination.stream.getAudioTracks()[0], audio, end: () => audio.close() };
}
