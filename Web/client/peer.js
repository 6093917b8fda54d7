// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { ReportChanges } from "./changes.js";
import { SessionError } from "./link.js";

/** The codecs that the media router passes on, and what repairs their losses. */
const codecs = ["video/vp8", "video/h264", "video/rtx", "audio/opus"];
/** What audio takes of a bound of the bitrate, bps. */
const audioBitrate = 32_000;
/** Least bound of video, bps: less than that libwebrtc does not plan with. */
const leastVideoBitrate = 30_000;
/** How long a browser may take to read all statistics before reports continue without, ms. */
const readingTime = 2000;
/** Waits before the first, second, … try, ms, as the SDK's; as many tries as there are waits, or the last again and again. */
const waits = [0, 500, 1000, 2000, 4000, 8000];
/** How often the same peer connection looks for a new way before another one is made. */
const restarts = 3;
/** What another try may cure. */
const passing = ["routerUnavailable", "unreachable", "peerUnavailable", "internal", "tooMany"];

/** @param {number} time ms */
const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * Does something as often as it takes and there are tries, for as long as it is wanted.
 *
 * @param {function(): boolean} isWanted
 * @param {function(): Promise<*>} action
 * @param {boolean} [isEndless] Whether there are tries for as long as another may cure it.
 * @returns {Promise<*>} What came of it; nothing if it was not wanted any more before a try.
 * @throws {Error} What the last try threw.
 */
export async function attempt(isWanted, action, isEndless = false) {
    const last = waits.length - 1;
    for (let failures = 0; ; failures += 1) {
        const wait = waits[Math.min(failures, last)];
        // Not all clients of a router that restarted at once; none sooner than the SDK.
        if (wait > 0) await sleep(wait * (1 + Math.random() / 2));
        if (!isWanted()) return undefined;
        try {
            return await action();
        } catch (error) {
            const isLast = failures === last && !isEndless;
            if (isLast || !isWanted() || !passing.includes(error.code)) throw error;
        }
    }
}

/** One peer connection; the server knows it by its name. */
export class Peer {
    /**
     * @param {Session} client
     * @param {{onState: function(string): void, onLost: function(): void, onRestart: function(): void}} owner What
     *   becomes of it; `onLost` when its other end is gone, `onRestart` when the server asks for a new way.
     * @param {string} [name] For one that someone else has offered.
     */
    constructor(client, owner, name = client.makeName()) {
        Object.assign(this, { client, owner, name });
        /** What is made of an answer before it is used. */
        this.adapt = (sdp) => sdp;
        this.changes = new ReportChanges();
        /** What came before the other side could use it; `null` once it can. */
        this.local = [];
        this.remote = [];
        this.tracks = [];
        this.isReading = false;
        // A browser settles nothing that it was doing when the connection was closed.
        this.closing = new Promise((_, reject) => { this.interrupt = reject; });
        this.closing.catch(() => {});
        this.connection = new RTCPeerConnection({ iceServers: client.iceServers });
        this.connection.addEventListener("icecandidate", ({ candidate }) => this.trickle(candidate));
        this.connection.addEventListener("track", ({ track }) => this.tracks.push(track));
        this.connection.addEventListener("connectionstatechange", () => owner.onState(this.connection.connectionState));
        client.peers.set(this.name, this);
    }

    /**
     * @param {MediaStream} media What is to be sent.
     * @param {number} [maximumBitrate] The most that it may take, bps.
     */
    sendMedia(media, maximumBitrate = Infinity) {
        const audio = media.getAudioTracks().length > 0 ? audioBitrate : 0;
        const maxBitrate = Math.max(Math.floor(maximumBitrate - audio), leastVideoBitrate);
        for (const track of media.getTracks()) {
            const init = { direction: "sendonly", streams: [media] };
            if (track.kind === "video" && maxBitrate < Infinity) init.sendEncodings = [{ maxBitrate }];
            this.add(track, init);
        }
    }

    /** Asks for audio and video. */
    receiveMedia() {
        for (const kind of ["audio", "video"]) this.add(kind, { direction: "recvonly" });
    }

    /**
     * @param {MediaStreamTrack|string} trackOrKind
     * @param {RTCRtpTransceiverInit} init
     * @returns {RTCRtpTransceiver}
     */
    add(trackOrKind, init) {
        const transceiver = this.connection.addTransceiver(trackOrKind, init);
        const all = RTCRtpReceiver.getCapabilities(trackOrKind.kind ?? trackOrKind).codecs;
        transceiver.setCodecPreferences(all.filter(({ mimeType }) => codecs.includes(mimeType.toLowerCase())));
        return transceiver;
    }

    /**
     * Offers itself to the server, or through it to another client.
     *
     * @param {string} type
     * @param {Object} body
     * @returns {Promise<Object>} The answer.
     */
    async offer(type, body) {
        this.local ??= [];
        this.remote ??= [];
        await this.during(this.connection.setLocalDescription());
        const answering = this.client.ask(type, { ...body, leg: this.name, offer: this.connection.localDescription.sdp });
        // From here on the server knows the leg.
        this.release();
        const answer = await this.during(answering);
        await this.during(this.connection.setRemoteDescription({ type: "answer", sdp: this.adapt(answer.answer) }));
        await this.take();
        return answer;
    }

    /**
     * Answers someone's offer.
     *
     * @param {string} sdp
     */
    async answer(sdp) {
        this.local ??= [];
        this.remote ??= [];
        await this.during(this.connection.setRemoteDescription({ type: "offer", sdp }));
        await this.during(this.connection.setLocalDescription());
        this.client.send("answer", { leg: this.name, answer: this.connection.localDescription.sdp });
        this.release();
        await this.take();
    }

    /** @param {?RTCIceCandidate} candidate One of its own. */
    trickle(candidate) {
        const message = {
            leg: this.name, candidate: candidate?.candidate ?? "", mid: candidate?.sdpMid ?? undefined,
            lineIndex: candidate?.sdpMLineIndex ?? undefined,
        };
        if (this.local) this.local.push(message);
        else this.client.send("candidate", message);
    }

    /** Sends the candidates that waited for the other side to know what they are for. */
    release() {
        for (const message of this.local.splice(0)) this.client.send("candidate", message);
        this.local = null;
    }

    /** Uses the candidates that waited for a description. */
    async take() {
        const waiting = this.remote.splice(0);
        this.remote = null;
        for (const candidate of waiting) await this.receive(candidate);
    }

    /** @param {Object} message A candidate of the other side. */
    async receive(message) {
        if (this.remote) return this.remote.push(message);
        const candidate = {
            candidate: message.candidate, sdpMid: message.mid ?? null, sdpMLineIndex: message.lineIndex ?? null,
        };
        // One that cannot be used is one way less, and no more than that.
        await this.connection.addIceCandidate(candidate).catch(() => {});
    }

    /** @returns {Promise<?Object[]>} What the peer connection says of itself; `null` also where that takes too long. */
    async report() {
        if (this.isReading || ["new", "closed"].includes(this.connection.connectionState)) return null;
        return Promise.race([this.read(), sleep(readingTime).then(() => null)]);
    }

    /** @returns {Promise<Object[]>} */
    async read() {
        this.isReading = true;
        try {
            return [...(await this.connection.getStats()).values()];
        } finally {
            this.isReading = false;
        }
    }

    /** @param {Promise} work Rejected at once when the peer connection is closed. */
    during(work) { return Promise.race([this.closing, work]); }

    close() {
        this.interrupt(new SessionError("ended", "The peer connection was closed meanwhile."));
        this.connection.close();
        this.client.peers.delete(this.name);
    }
}

/** Keeps one end connected to which this client makes the offers: to the media router, or to a subscriber. */
export class PeerLink {
    /**
     * @param {Session} client
     * @param {Object} plan
     * @param {string} plan.type The first request.
     * @param {function(): Object} plan.body What it says.
     * @param {function(Peer): void} plan.prepare Adds the media.
     * @param {function(Peer): void} [plan.onPeer] Called with each peer connection that was answered.
     * @param {function(Peer, string): void} [plan.onState]
     * @param {boolean} plan.isEndless Whether it is brought back however long the server cannot: there is no other way.
     * @param {function(Error): void} plan.onFailure Called when it gives up.
     */
    constructor(client, plan) {
        Object.assign(this, { client, plan });
        /** What the server knows it by; `null` before it does. */
        this.name = null;
        this.peer = null;
        this.turn = 0;
        this.failures = 0;
        /** The peer connection that looks for a new way. */
        this.restarting = null;
        this.hasConnected = false;
        this.isOver = false;
    }

    /**
     * Makes a peer connection; another one in place of one that was lost.
     *
     * @returns {Promise<Object>} The server's answer.
     */
    async connect() {
        const { type, body, prepare, onPeer } = this.plan;
        this.peer?.close();
        const peer = new Peer(this.client, {
            onState: (state) => this.changed(peer, state), onLost: () => this.bringBack(), onRestart: () => this.restart(),
        });
        this.peer = peer;
        prepare(peer);
        const answer = this.name
            ? await peer.offer("replace", { replaces: this.name })
            : await peer.offer(type, body());
        this.name = peer.name;
        if (!this.isOver) onPeer?.(peer);
        return answer;
    }

    /** Makes peer connections until one is answered, or there is no use in another. */
    async bringBack() {
        this.turn += 1;
        const turn = this.turn;
        const isCurrent = () => turn === this.turn && !this.isOver && !this.client.isOver;
        try {
            await attempt(isCurrent, () => this.connect(), this.plan.isEndless);
        } catch (error) {
            if (isCurrent()) this.plan.onFailure(error);
        }
    }

    /** Looks for a new way on the same peer connection, or makes another one if that does not help. */
    async restart() {
        const { peer } = this;
        // Both ends may notice.
        if (this.restarting === peer) return;
        this.failures += 1;
        if (this.failures > restarts) return this.bringBack();
        this.restarting = peer;
        try {
            peer.connection.restartIce();
            await peer.offer("offer", {});
        } catch {
            if (peer === this.peer && !this.isOver) this.bringBack();
        } finally {
            this.restarting = null;
        }
    }

    /**
     * @param {Peer} peer
     * @param {string} state
     */
    changed(peer, state) {
        if (peer !== this.peer || this.isOver) return;
        if (state === "connected") {
            this.failures = 0;
            this.hasConnected = true;
        }
        this.plan.onState?.(peer, state);
        // Before the server knows the peer connection, whoever makes it hears of the failure.
        if (state === "failed" && peer.name === this.name) this.restart();
    }

    /** Ends it; the server knows by itself, or hears it from someone else. */
    close() {
        this.isOver = true;
        this.peer?.close();
    }
}
