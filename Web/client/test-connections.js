// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { ReportChanges } from "./changes.js";
import { Peer } from "./peer.js";
import * as tested from "./tested.js";

/** Of the test's audio, bps. */
const audioBitrate = 40_000;
/** What video begins with, kbit/s: what it may be is measured later. */
const firstBitrate = 60;
/** What is asked of the encoder beyond what the network is to be filled with: with less it would omit frames. */
const headroom = 1.6;
/** What of its first rate congestion control keeps: a network that was just filled is known to carry it, and losses of that come late. */
const kept = 0.6;
/** What congestion control has where nothing is sent, kbit/s: what was lost is sent again at that rate. */
const quiet = { minimum: 30, start: 100, maximum: 100 };

/**
 * An answer that bounds congestion control and gives audio a steady bitrate.
 *
 * These are the parameters by which Chromium and WebKit let a page set the bitrates of its own congestion control; with
 * a minimum it sends that much whatever it believes of the network. Others pass them over.
 *
 * @param {string} sdp
 * @param {{minimum: number, start: number, maximum: number}} bounds kbit/s.
 */
export function bounded(sdp, { minimum, start, maximum }) {
    const video = `x-google-min-bitrate=${minimum};x-google-start-bitrate=${start};x-google-max-bitrate=${maximum}`;
    const audio = `maxaveragebitrate=${audioBitrate};cbr=1`;
    return sdp
        .replace(/a=rtpmap:(\d+) VP8\/90000\r\n/g, (line, type) => `${line}a=fmtp:${type} ${video}\r\n`)
        .replace(/a=rtpmap:(\d+) opus\/48000\/2\r\n/g, (line, type) => (
            sdp.includes(`a=fmtp:${type} `) ? line : `${line}a=fmtp:${type} ${audio}\r\n`))
        .replace(/a=fmtp:(\d+) ([^\r\n]*)/g, (line, type) => (
            sdp.includes(`a=rtpmap:${type} opus/`) && !line.includes(audio) ? `${line};${audio}` : line));
}

/** Packets of audio a second, the least share of them that a path brings back which is not full, and how long they are counted, ms. */
const [packetRate, leastShare, shortestCount] = [50, 0.6, 400];

/**
 * Whether the little that a test sends at first is too much for the path, by how much of its audio comes back: as the SDK sees it. The
 * server cannot be asked, for no question comes through a line that is full.
 */
export class FirstMedia {
    start = null;
    isTooMuch = false;

    /**
     * @param {number} packets Of audio that have come back so far.
     * @param {number} time When they were counted, ms.
     */
    add(packets, time) {
        this.start ??= { packets, time };
        const elapsed = time - this.start.time;
        if (elapsed < shortestCount) return;
        this.isTooMuch = packets - this.start.packets < (leastShare * packetRate * elapsed) / 1000;
    }
}

/** A connection of a network test: it is not brought back, for that it was lost is a result. */
class TestLeg {
    /**
     * @param {Session} session
     * @param {function(): void} onLost
     */
    constructor(session, onLost) {
        /** Whether the media router has keys: it takes no media before. */
        this.hasFarKeys = false;
        this.peer = new Peer(session, {
            onState: () => {}, onLost, onRestart: () => {},
            onCounters: ([, isConnected]) => { this.hasFarKeys = isConnected; },
        });
        this.changes = new ReportChanges(tested);
        this.session = session;
        /** What it was last read to have, and when that was. */
        Object.assign(this, { hasCandidates: false, packets: 0, audioPackets: 0, frames: 0, readAt: 0 });
    }

    get name() { return this.peer.name; }
    get connection() { return this.peer.connection; }
    get hasPath() { return ["connected", "completed"].includes(this.connection.iceConnectionState); }
    get hasKeys() { return this.connection.connectionState === "connected" && this.hasFarKeys; }

    /** @returns {Promise<?Object[]>} Its report, without the pairs that are not used. */
    async report() {
        const report = await this.peer.report();
        const selected = report?.find(({ type }) => type === "transport")?.selectedCandidatePairId;
        return report?.filter(({ type, id }) => type !== "candidate-pair" || !selected || id === selected) ?? null;
    }

    /** @param {Object[]} report Its own. */
    take(report) {
        const received = report.filter(({ type }) => type === "inbound-rtp");
        const sum = (name, streams = received) => streams.reduce((total, one) => total + (one[name] ?? 0), 0);
        this.hasCandidates = report.some(({ type }) => type === "local-candidate");
        this.packets = sum("packetsReceived");
        this.audioPackets = sum("packetsReceived", received.filter(({ kind }) => kind === "audio"));
        this.frames = sum("framesReceived");
        this.readAt = performance.now();
    }

    close() { this.peer.close(); }
}

/** The way of the test's stream to the media router. */
export class TestPublication extends TestLeg {
    /**
     * @param {Session} session
     * @param {function(): void} onLost
     * @param {{audio: ?MediaStreamTrack, video: ?MediaStreamTrack}} media
     * @param {boolean} hasVideo
     */
    constructor(session, onLost, media, hasVideo) {
        super(session, onLost);
        this.tracks = { audio: media.audio, video: hasVideo ? media.video : null };
        this.bounds = { minimum: quiet.minimum, start: firstBitrate, maximum: firstBitrate };
        this.peer.adapt = (sdp) => {
            this.sdp = sdp;
            return bounded(sdp, this.bounds);
        };
        /** Whether nothing is sent any more, whatever is still asked of it. */
        this.isRetired = false;
        /** Descriptions are set one after the other. */
        this.turn = Promise.resolve();
        /** By the kind. Nothing is sent before both ends have keys. */
        this.senders = new Map();
        for (const kind of ["audio", "video"]) {
            if (!this.tracks[kind]) continue;
            const { sender } = this.peer.add(kind, { direction: "sendonly", streams: [new MediaStream()] });
            this.senders.set(kind, sender);
        }
    }

    get hasVideo() { return Boolean(this.tracks.video); }

    /** What the server hears of the stream. */
    get content() {
        const { width, height } = this.tracks.video?.getSettings() ?? {};
        return {
            name: "network test", hasAudio: Boolean(this.tracks.audio), hasVideo: this.hasVideo, videoType: "custom",
            videoDimensions: width && height ? { width, height } : undefined,
        };
    }

    async open() {
        const answer = await this.peer.offer("publish", {
            senderStatsTrack: false, audioFallbackEnabled: false, testsNetwork: true, content: this.content,
        });
        this.stream = answer.stream;
        await this.setParameters((parameters) => { parameters.degradationPreference = "maintain-resolution"; });
    }

    /** @param {boolean} isHeld Whether nothing is sent. */
    async hold(isHeld) {
        const isSilent = isHeld || this.isRetired;
        await Promise.all([...this.senders].map(([kind, sender]) => sender.replaceTrack(isSilent ? null : this.tracks[kind])));
    }

    /** The test is over: what is under way does not send again. */
    retire() { this.isRetired = true; }

    /** @param {function(RTCRtpSendParameters): void} change Of the video, if the browser takes it. */
    async setParameters(change) {
        const sender = this.senders.get("video");
        if (!sender) return;
        const parameters = sender.getParameters();
        change(parameters);
        await sender.setParameters(parameters).catch(() => {});
    }

    /**
     * Bounds congestion control: the same answer again, with other numbers. The media router hears nothing of it.
     *
     * @param {{minimum: number, start: number, maximum: number}} bounds kbit/s.
     */
    bound(bounds) {
        // With a minimum, congestion control would keep filling the network.
        this.bounds = this.isRetired ? quiet : bounds;
        this.turn = this.turn.catch(() => {}).then(async () => {
            await this.connection.setLocalDescription();
            await this.connection.setRemoteDescription({ type: "answer", sdp: bounded(this.sdp, this.bounds) });
        });
        return this.turn;
    }

    /** Sends nothing, and lets congestion control forget what it was made to do. */
    async silence() {
        await this.hold(true);
        await this.bound(quiet);
    }

    /** @param {number} bitrate What the network is filled with, bps. */
    async saturate(bitrate) {
        const rate = Math.round((bitrate * headroom) / 1000);
        await this.setMaximum(null);
        await this.bound({ minimum: rate, start: rate, maximum: rate });
        await this.hold(false);
    }

    /**
     * Gives the uplink back to congestion control.
     *
     * @param {number} start What it begins with, bps.
     * @param {number} maximumVideo bps.
     */
    async release(start, maximumVideo) {
        await this.setMaximum(maximumVideo);
        await this.bound({
            minimum: Math.round((start * kept) / 1000), start: Math.round(start / 1000),
            maximum: Math.round((start + maximumVideo) / 1000),
        });
        await this.hold(false);
    }

    /** @param {?number} bitrate Of the video, bps. */
    setMaximum(bitrate) {
        return this.setParameters(({ encodings: [encoding] }) => {
            if (!encoding) return;
            if (bitrate === null) delete encoding.maxBitrate;
            else encoding.maxBitrate = Math.round(bitrate);
        });
    }

    async stopVideo() {
        await this.senders.get("video")?.replaceTrack(null);
        this.tracks = { ...this.tracks, video: null };
        await this.session.ask("update", { leg: this.name, content: this.content });
    }
}

/** The way of the test's stream back. */
export class TestSubscription extends TestLeg {
    /**
     * @param {Session} session
     * @param {function(): void} onLost
     */
    constructor(session, onLost) {
        super(session, onLost);
        this.media = new MediaStream();
        /** Whether the media router is to send video. */
        this.wantsVideo = true;
        this.connection.addEventListener("track", ({ track }) => this.media.addTrack(track));
        this.peer.receiveMedia();
        // What no element plays is not taken out of the buffer.
        this.player = Object.assign(document.createElement("video"), { muted: true, playsInline: true });
        this.player.srcObject = this.media;
        this.player.play().catch(() => {});
    }

    /** @param {{id: string}} stream */
    async open(stream) {
        await this.peer.offer("subscribe", {
            stream: stream.id, preference: { subscribeToVideo: true }, testsNetwork: true,
        });
    }

    /** @param {boolean} wanted Whether the media router is to send video; it may hear of it late. */
    receiveVideo(wanted) {
        if (wanted === this.wantsVideo) return;
        this.wantsVideo = wanted;
        const preference = { subscribeToVideo: wanted };
        this.session.ask("prefer", { leg: this.name, preference }).catch(() => {});
    }

    close() {
        super.close();
        this.player.srcObject = null;
    }
}
