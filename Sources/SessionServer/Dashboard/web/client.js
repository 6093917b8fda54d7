// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { SessionError, SessionLink, version } from "./link.js";

/**
 * A browser's part in a session: Sightline's session protocol, version 1, for routed sessions.
 *
 *     const client = await SessionClient.join(serverURL, token, { onStreams });
 *     const own = await client.publish(mediaStream);
 *     const leg = await client.subscribe(client.streams[0]);   // leg.media is a MediaStream
 *     client.leave();
 *
 * Once a second each peer connection's `getStats()` goes to the server, which judges it.
 */

const path = "/v1/session";
/** The codecs that the media router passes on, and what repairs their losses. */
const codecs = ["video/vp8", "video/h264", "video/rtx", "audio/opus"];
/** Time between two reports, ms. */
const tick = 1000;
/** Most messages that wait for a socket, or to be confirmed, while reports are still made. */
const backlog = 100;
/** Longest wait for an answer, ms: a server whose router has just been lost takes up to 15 s. */
const patience = 20_000;

/** One peer connection, for one stream in one direction. */
class Leg {
    /**
     * @param {SessionClient} client
     * @param {"publish"|"subscribe"} kind
     * @param {Object} request What `publish` or `subscribe` says beside the leg and the offer.
     * @param {?MediaStream} media What is published.
     */
    constructor(client, kind, request, media) {
        Object.assign(this, { client, kind, request });
        /** What is published or received. */
        this.media = media ?? new MediaStream();
        this.isOver = false;
    }

    /**
     * Makes a peer connection and has the server connect it; anew in place of one that was lost.
     *
     * @param {?string} lost The name of the leg that is lost.
     */
    async connect(lost = null) {
        this.name = crypto.randomUUID();
        this.local = [];
        this.remote = [];
        this.peer?.close();
        const peer = new RTCPeerConnection({ iceServers: this.client.iceServers });
        this.peer = peer;
        peer.addEventListener("icecandidate", ({ candidate }) => this.trickle(candidate));
        peer.addEventListener("track", ({ track }) => this.receive(track));
        this.addTransceivers();
        await peer.setLocalDescription();
        const offer = peer.localDescription.sdp;
        const answering = lost
            ? this.client.ask("replace", { leg: this.name, replaces: lost, offer })
            : this.client.ask(this.kind, { ...this.request, leg: this.name, offer });
        // From here on the server knows the leg.
        for (const candidate of this.local.splice(0)) this.send(candidate);
        this.local = null;
        const answer = await answering;
        await this.accept(answer.answer);
        return answer;
    }

    addTransceivers() {
        const add = (trackOrKind, init) => {
            const transceiver = this.peer.addTransceiver(trackOrKind, init);
            const kind = typeof trackOrKind === "string" ? trackOrKind : trackOrKind.kind;
            const all = RTCRtpReceiver.getCapabilities(kind).codecs;
            transceiver.setCodecPreferences(all.filter(({ mimeType }) => codecs.includes(mimeType.toLowerCase())));
        };
        if (this.kind === "subscribe") {
            for (const kind of ["audio", "video"]) add(kind, { direction: "recvonly" });
        } else {
            for (const track of this.media.getTracks()) add(track, { direction: "sendonly", streams: [this.media] });
        }
    }

    /** @param {MediaStreamTrack} track */
    receive(track) {
        for (const old of this.media.getTracks()) if (old.kind === track.kind) this.media.removeTrack(old);
        this.media.addTrack(track);
    }

    /** @param {string} sdp */
    async accept(sdp) {
        await this.peer.setRemoteDescription({ type: "answer", sdp });
        for (const candidate of this.remote?.splice(0) ?? []) await this.add(candidate);
        this.remote = null;
    }

    /** @param {?RTCIceCandidate} candidate */
    trickle(candidate) {
        const message = {
            candidate: candidate?.candidate ?? "", mid: candidate?.sdpMid ?? undefined,
            lineIndex: candidate?.sdpMLineIndex ?? undefined,
        };
        if (this.local) this.local.push(message);
        else this.send(message);
    }

    /** @param {Object} candidate */
    send(candidate) {
        this.client.tell("candidate", { ...candidate, leg: this.name });
    }

    /** @param {Object} message A candidate of the server's. */
    async add(message) {
        if (this.remote) return this.remote.push(message);
        const candidate = {
            candidate: message.candidate, sdpMid: message.mid ?? null, sdpMLineIndex: message.lineIndex ?? null,
        };
        // One that cannot be used is one way less, and no more than that.
        await this.peer.addIceCandidate(candidate).catch(() => {});
    }

    /** Looks for a new way on the same peer connection. */
    async restart() {
        this.peer.restartIce();
        await this.peer.setLocalDescription();
        const { answer } = await this.client.ask("offer", { leg: this.name, offer: this.peer.localDescription.sdp });
        await this.accept(answer);
    }

    /** @returns {Promise<?Object>} What the peer connection says of itself. */
    async report() {
        const leg = this.name;
        if (this.isOver || this.peer.connectionState === "new") return null;
        const report = [...(await this.peer.getStats()).values()];
        return { eventId: crypto.randomUUID(), capturedAt: Date.now(), leg, report };
    }

    /** Says whether there is sound and picture now, after tracks were enabled or disabled. */
    async update() {
        const isOn = (tracks) => tracks.some((track) => track.enabled);
        const content = {
            ...this.request.content,
            hasAudio: isOn(this.media.getAudioTracks()), hasVideo: isOn(this.media.getVideoTracks()),
        };
        this.request = { ...this.request, content };
        await this.client.ask("update", { leg: this.name, content });
    }

    /** Ends the stream or the subscription. */
    async end() {
        if (this.isOver) return;
        this.over();
        await this.client.ask(this.kind === "publish" ? "unpublish" : "unsubscribe", { leg: this.name });
    }

    /** The server has ended it, or is told already. */
    over() {
        this.isOver = true;
        this.peer?.close();
        this.client.legs.delete(this);
    }
}

/** A client in a session. */
export class SessionClient {
    /**
     * Enters the session of a token.
     *
     * @param {string} server Such as `https://example.com`.
     * @param {string} token A client's token.
     * @param {{onStreams?: function(Object[]): void, onEnd?: function(string): void,
     *   onAway?: function(boolean): void}} [handlers] `onStreams` gets the
     *   others' streams each time they change, `onEnd` why the session is over for this client, `onAway` whether its
     *   socket is lost and it is on its way back.
     * @returns {Promise<SessionClient>}
     * @throws {SessionError}
     */
    static async join(server, token, handlers = {}) {
        const url = new URL(path, server);
        url.protocol = url.protocol.replace("http", "ws");
        const client = new SessionClient(url, handlers);
        await client.link.open();
        try {
            const joined = await client.ask("join", { version, token, client: "sightline-browser", resumable: true });
            if (joined.mediaMode !== "routed") {
                throw new SessionError("unsupported", "Browsers can be in routed sessions only.");
            }
            client.enter(joined);
        } catch (error) {
            // Nobody has heard of a session yet that could be over.
            client.handlers = {};
            client.link.end("refused");
            throw error;
        }
        return client;
    }

    /**
     * @param {URL} url
     * @param {Object} handlers
     */
    constructor(url, handlers) {
        this.handlers = handlers;
        this.link = new SessionLink(url, {
            onMessage: (message) => this.handle(message), onAway: (isAway) => handlers.onAway?.(isAway),
            onEnd: (reason) => this.ended(reason),
        });
        this.waiting = new Map();
        this.legs = new Set();
        /** The others' streams as the server describes them. */
        this.streams = [];
    }

    /** @param {Object} joined */
    enter(joined) {
        Object.assign(this, { session: joined.session, role: joined.role, connection: joined.connection });
        this.iceServers = joined.iceServers;
        this.streams = joined.streams;
        this.timer = setInterval(() => this.report(), tick);
    }

    /**
     * Publishes what a media stream has.
     *
     * @param {MediaStream} media
     * @param {Object} [content] What else is to be said of it, such as its `name`.
     * @returns {Promise<Leg>}
     */
    async publish(media, content = {}) {
        const size = media.getVideoTracks()[0]?.getSettings();
        const request = {
            senderStatsTrack: true, audioFallbackEnabled: true,
            content: {
                hasAudio: media.getAudioTracks().length > 0, hasVideo: Boolean(size), videoType: "camera",
                videoDimensions: size?.width ? { width: size.width, height: size.height } : undefined, ...content,
            },
        };
        return this.begin(new Leg(this, "publish", request, media));
    }

    /**
     * Subscribes to somebody's stream.
     *
     * @param {Object} stream One of `streams`.
     * @returns {Promise<Leg>} Its `media` fills as tracks arrive.
     */
    subscribe(stream) {
        return this.begin(new Leg(this, "subscribe", { stream: stream.id, preference: { subscribeToVideo: true } }));
    }

    /**
     * @param {Leg} leg
     * @returns {Promise<Leg>}
     */
    async begin(leg) {
        this.legs.add(leg);
        try {
            await leg.connect();
        } catch (error) {
            leg.over();
            throw error;
        }
        return leg;
    }

    /** Leaves the session. */
    leave() {
        if (!this.isOver) this.tell("leave", {});
        this.link.end("left");
    }

    /** @returns {boolean} Whether the client has left or was left. */
    get isOver() { return this.link.isOver; }

    /** @param {string} reason */
    ended(reason) {
        clearInterval(this.timer);
        for (const leg of [...this.legs]) leg.over();
        for (const { reject } of this.waiting.values()) reject(new SessionError("ended", "The session is over."));
        this.waiting.clear();
        this.handlers.onEnd?.(reason);
    }

    /** Sends everybody's reports. */
    async report() {
        if (this.link.unconfirmed.length > backlog) return;
        const reports = await Promise.all([...this.legs].map((leg) => leg.report().catch(() => null)));
        const events = reports.filter(Boolean);
        if (events.length > 0 && !this.isOver) this.ask("telemetry", { events }).catch(() => {});
    }

    /**
     * Sends a message whose answer nobody waits for.
     *
     * @param {string} type
     * @param {Object} body
     * @returns {number} Its id.
     */
    tell(type, body) { return this.link.send(type, body); }

    /**
     * Sends a request.
     *
     * @param {string} type
     * @param {Object} body
     * @returns {Promise<Object>} The answer.
     */
    ask(type, body) {
        return new Promise((resolve, reject) => {
            if (this.isOver) return reject(new SessionError("ended", "The session is over."));
            const id = this.tell(type, body);
            const timer = setTimeout(() => {
                this.waiting.delete(id);
                reject(new SessionError("unreachable", "The server does not answer."));
            }, patience);
            const settle = (action) => (value) => {
                clearTimeout(timer);
                action(value);
            };
            this.waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
        });
    }

    /** @param {Object} message */
    handle(message) {
        const asked = this.waiting.get(message.re);
        if (asked) {
            this.waiting.delete(message.re);
            if (message.type === "error") asked.reject(new SessionError(message.code, message.message));
            else asked.resolve(message);
            return;
        }
        this.events[message.type]?.call(this, message);
    }

    /** What the server tells without being asked, by its type. */
    events = {
        candidate(message) { this.leg(message.leg)?.add(message); },
        restartICE({ legs }) { for (const name of legs) this.leg(name)?.restart().catch(() => {}); },
        mediaLost({ legs }) { for (const name of legs) this.bringBack(this.leg(name), name); },
        streamCreated(stream) { this.setStreams([...this.streams, stream]); },
        streamUpdated(stream) { this.setStreams(this.streams.map((one) => (one.id === stream.id ? stream : one))); },
        streamDestroyed({ id }) {
            for (const leg of [...this.legs]) if (leg.request.stream === id) leg.over();
            this.setStreams(this.streams.filter((one) => one.id !== id));
        },
        goodbye({ reason }) { this.link.end(reason); },
    };

    /**
     * @param {string} name
     * @returns {?Leg}
     */
    leg(name) { return [...this.legs].find((leg) => leg.name === name) ?? null; }

    /** @param {Object[]} streams */
    setStreams(streams) {
        this.streams = streams;
        this.handlers.onStreams?.(streams);
    }

    /**
     * Makes a new peer connection for a leg whose other end is gone, until there is one.
     *
     * @param {?Leg} leg
     * @param {string} lost
     */
    async bringBack(leg, lost) {
        while (leg && !leg.isOver && !this.isOver) {
            try {
                await leg.connect(lost);
                return;
            } catch (error) {
                if (error.code !== "routerUnavailable") return leg.over();
                await new Promise((resolve) => setTimeout(resolve, 1000));
            }
        }
    }
}
