// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { SessionError, SessionLink, version } from "./link.js";
import { ReportPace } from "./pace.js";
import { Publication } from "./publication.js";
import { event, participantQuality } from "./quality.js";
import { Subscription } from "./subscription.js";

/*
 * A browser's part in a session: Sightline's session protocol, version 1.
 *
 * Once a second what has changed in each peer connection's `getStats()` goes to the server, which judges it and sends back
 * what it judges; less often while the uplink is poor.
 */

const path = "/v1/session";
/** Time between two reports, ms. */
const tick = 1000;
/** Most messages that wait for a socket, or to be confirmed, while reports are still made. */
const backlog = 100;
/** Longest wait for an answer, ms: a server whose router has just been lost takes up to 15 s. */
const answerTimeout = 20_000;
/** How long others may take to come back to a server that restarted before they count as gone, ms. */
const restoration = 15_000;

/** An id for an event that no other has: 48 bits of chance beside its time. */
const eventID = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(6))));

/**
 * What the uplink carries, bps: the least of those that send; `null` if none does.
 *
 * @param {?Object[][]} reports
 */
function uplinkEstimate(reports) {
    const estimates = reports
        .filter((report) => report?.some(({ type }) => type === "outbound-rtp"))
        .flatMap((report) => report.filter(({ type, nominated }) => type === "candidate-pair" && nominated))
        .map(({ availableOutgoingBitrate }) => availableOutgoingBitrate)
        .filter((estimate) => estimate > 0);
    return estimates.length > 0 ? Math.min(...estimates) : null;
}

/** A client in a session; `index.d.ts` says what it notifies of, and when. */
export class Session extends EventTarget {
    /**
     * Enters the session of a token.
     *
     * @param {string|URL} server Such as `https://example.com`.
     * @param {string} token A client's token.
     * @param {{networkQuality?: {local?: string, remote?: string}, reportThreshold?: number}} [options]
     * @returns {Promise<Session>}
     * @throws {SessionError}
     */
    static async connect(server, token, options = {}) {
        const url = new URL(path, server);
        url.protocol = url.protocol.replace("http", "ws");
        const session = new Session(url, options);
        try {
            session.enter(await session.link.open({ version, token, client: "sightline-browser", resumable: true }));
        } catch (error) {
            // No one has heard of a session yet that could be over.
            session.link.end("refused");
            throw error;
        }
        session.timer = setInterval(() => session.report(), tick);
        globalThis.addEventListener?.("pagehide", session.onPageHide);
        return session;
    }

    /**
     * @param {URL} url
     * @param {Object} options
     */
    constructor(url, { networkQuality, reportThreshold }) {
        super();
        this.levelRequest = networkQuality
            ? { local: networkQuality.local ?? "minimal", remote: networkQuality.remote ?? "none" } : { remote: "none" };
        this.pace = new ReportPace(reportThreshold);
        this.lastName = 0;
        /** Whether reports are being made: a slow one is not to be overtaken by the next. */
        this.isReporting = false;
        /** What the uplink carries, by the last report of those that send; `null` if none did. */
        this.estimate = null;
        this.link = new SessionLink(url, {
            onMessage: (message) => this.handle(message), onAway: (isAway) => this.noteAway(isAway),
            onEnd: (reason) => this.ended(reason), onForgotten: (joined) => this.rejoined(joined),
        }, { type: "networkQuality", ...this.levelRequest });
        // The others need not wait until the server misses a page that does not come back.
        this.onPageHide = ({ persisted }) => { if (!persisted) this.leave(); };
        this.waiting = new Map();
        /** Its publications and subscriptions. */
        this.parts = new Set();
        /** Those of them that have one, by the handle. */
        this.handles = new Map();
        /** Its peer connections, by the server's names. */
        this.peers = new Map();
        this.id = null;
        this.connection = null;
        this.role = null;
        this.streams = Object.freeze([]);
        /** Ids of streams that have not come back yet to a server that restarted. */
        this.awaited = new Set();
        /** Participants' network quality, by connection. */
        this.qualities = new Map();
    }

    /** @param {Object} joined */
    enter(joined) {
        this.forgetQualities();
        Object.assign(this, { id: joined.session, role: joined.role, connection: Object.freeze(joined.connection) });
        this.mayBeRelayed = joined.mediaMode !== "routed";
        this.iceServers = joined.iceServers;
        this.setStreams(joined.streams.filter((stream) => this.isOthers(stream)));
        // Levels are off unless they are asked for.
        if (this.levelRequest.local) this.ask("networkQuality", this.levelRequest).catch(() => {});
    }

    /** @param {Object} stream Whether it is someone else's. */
    isOthers(stream) { return stream.connection.id !== this.connection.id; }

    /** @param {Object} joined What a server says that restarted, and has forgotten everything. */
    rejoined(joined) {
        const before = this.streams;
        this.enter(joined);
        const there = new Set(this.streams.map(({ id }) => id));
        this.awaited = new Set(before.map(({ id }) => id).filter((id) => !there.has(id)));
        for (const part of this.parts) part.forget();
        this.refuseWaiting(new SessionError("serverRestarted", "The server restarted: try again."));
        const known = new Set(before.map(({ id }) => id));
        const created = this.streams.filter(({ id }) => !known.has(id));
        this.setStreams([...this.streams, ...before.filter(({ id }) => this.awaited.has(id))]);
        for (const stream of created) this.notifyStream("streamcreated", stream);
        for (const part of this.parts) {
            if (!part.stream || there.has(part.stream.id)) part.reopen();
        }
        clearTimeout(this.awaiting);
        this.awaiting = setTimeout(() => {
            for (const id of this.awaited) this.removeStream(id, "lost");
        }, restoration);
    }

    /**
     * Publishes what a media stream has.
     *
     * @param {MediaStream} media
     * @param {Object} [options]
     * @returns {Promise<Publication>}
     */
    publish(media, options = {}) {
        const { name, videoType = "camera", senderStatsTrack = false, audioFallback = true, maximumBitrate } = options;
        const size = media.getVideoTracks()[0]?.getSettings();
        const request = {
            senderStatsTrack, audioFallbackEnabled: audioFallback, maximumBitrate: maximumBitrate ?? undefined,
            content: {
                name, hasAudio: media.getAudioTracks().length > 0, hasVideo: Boolean(size), videoType,
                videoDimensions: size?.width ? { width: size.width, height: size.height } : undefined,
            },
        };
        return this.begin(new Publication(this, media, request));
    }

    /**
     * Subscribes to someone's stream.
     *
     * @param {Object} stream One of `streams`.
     * @param {{video?: boolean}} [options]
     * @returns {Promise<Subscription>} Its `media` fills as tracks arrive.
     */
    subscribe(stream, { video = true } = {}) { return this.begin(new Subscription(this, stream, video)); }

    /**
     * Says what the participant thinks of the call.
     *
     * @param {number} score
     * @param {{reason?: string, comment?: string}} [why]
     */
    async rate(score, { reason, comment } = {}) { await this.ask("rate", { score, reason, comment }); }

    /**
     * @param {StreamPart} part
     * @returns {Promise<StreamPart>}
     * @throws {SessionError} Also if it is over before it has begun, at once.
     */
    async begin(part) {
        const end = new Promise((resolve) => { part.addEventListener("ended", resolve, { once: true }); });
        try {
            await Promise.race([part.establish(), end]);
            if (part.isOver) throw part.whyOver();
        } catch (error) {
            part.over();
            throw error;
        }
        return part;
    }

    /** @returns {?Object} The own network quality; `null` while it is not known, or unless it was asked for. */
    get networkQuality() { return this.networkQualityOf(this.connection?.id); }

    /**
     * @param {string} connection A connection's id.
     * @returns {?Object}
     */
    networkQualityOf(connection) {
        const quality = this.qualities.get(connection) ?? null;
        // Away, one hears nothing of how it is oneself.
        const isAway = quality !== null && this.link.isAway && connection === this.connection.id;
        return isAway ? Object.freeze({ level: 0, isIdle: false, audioLevel: null, videoLevel: null }) : quality;
    }

    /** @param {string} connection Of a participant whose quality is another one, or unknown, now. */
    notifyQuality(connection) {
        const [quality, isOwn] = [this.networkQualityOf(connection), connection === this.connection.id];
        this.dispatchEvent(event("networkqualitychange", { connection, isOwn, ...(quality ?? participantQuality({})) }));
    }

    /** What a server says that restarted begins from nothing; until then no old level is shown. */
    forgetQualities() {
        const known = [...this.qualities.keys()];
        this.qualities.clear();
        for (const connection of known) this.notifyQuality(connection);
    }

    /** Leaves the session. */
    leave() {
        if (!this.isOver) this.send("leave", {});
        this.link.end("left");
    }

    /** @returns {boolean} Whether the client has left or was left. */
    get isOver() { return this.link.isOver; }

    /** @param {string} reason */
    ended(reason) {
        clearInterval(this.timer);
        clearTimeout(this.awaiting);
        globalThis.removeEventListener?.("pagehide", this.onPageHide);
        for (const part of [...this.parts]) part.over();
        this.refuseWaiting(new SessionError("ended", "The session is over."));
        // Who was never let in hears of it by the error.
        if (this.connection) this.dispatchEvent(event("disconnected", { reason }));
    }

    /** @param {SessionError} error What those get who wait for answers that will not come. */
    refuseWaiting(error) {
        const waiting = [...this.waiting.values()];
        this.waiting.clear();
        for (const { reject, timer } of waiting) {
            clearTimeout(timer);
            reject(error);
        }
    }

    /** A name for a peer connection or a part of this client's, used once; short, for each report says it. */
    makeName() {
        this.lastName += 1;
        return `c${this.lastName}`;
    }

    /** Sends the reports of all peer connections, if it is time to. */
    async report() {
        const isDue = this.pace.tick(this.estimate, this.link);
        if (!isDue || this.isReporting || this.link.unconfirmed.length > backlog) return;
        this.isReporting = true;
        const peers = [...this.parts].flatMap((part) => part.reporting);
        const reports = await Promise.all(peers.map((peer) => peer.report().catch(() => null)));
        this.isReporting = false;
        if (this.isOver) return;
        this.estimate = uplinkEstimate(reports);
        const events = peers.flatMap((peer, index) => (reports[index] ? [this.event(peer, reports[index])] : []));
        if (events.length > 0) this.ask("telemetry", { events }).catch(() => this.restartReports());
    }

    /**
     * @param {Peer} peer
     * @param {Object[]} report
     */
    event(peer, report) {
        const event = { eventId: eventID(), capturedAt: Date.now(), leg: peer.name, changes: peer.changes.add(report) };
        return this.pace.interval > 1 ? { ...event, interval: this.pace.interval } : event;
    }

    /** The server may not have got what the next reports would build on. */
    restartReports() {
        for (const peer of this.peers.values()) peer.changes.restart();
    }

    /**
     * Sends a message whose answer no one waits for.
     *
     * @param {string} type
     * @param {Object} body
     * @returns {number} Its id.
     */
    send(type, body) { return this.link.send(type, body); }

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
            const id = this.send(type, body);
            this.waiting.set(id, { resolve, reject, timer: undefined });
            if (!this.link.isAway) this.startTimer(id);
        });
    }

    /** @param {number} id A request's, for whose answer the server has its time from now on. */
    startTimer(id) {
        const asked = this.waiting.get(id);
        asked.timer = setTimeout(() => {
            this.waiting.delete(id);
            asked.reject(new SessionError("unreachable", "The server does not answer."));
        }, answerTimeout);
    }

    /**
     * While the server cannot be reached, time does not run: what was asked is kept for it, and would be asked twice.
     *
     * @param {boolean} isAway
     */
    noteAway(isAway) {
        for (const [id, { timer }] of this.waiting) {
            clearTimeout(timer);
            if (!isAway) this.startTimer(id);
        }
        this.dispatchEvent(event(isAway ? "reconnecting" : "reconnected", {}));
        if (this.networkQuality) this.notifyQuality(this.connection.id);
    }

    /** @param {Object} message */
    handle(message) {
        const asked = this.waiting.get(message.re);
        if (asked) {
            this.waiting.delete(message.re);
            clearTimeout(asked.timer);
            if (message.type === "error") asked.reject(new SessionError(message.code, message.message));
            else asked.resolve(message);
            return;
        }
        this.events[message.type]?.call(this, message);
    }

    /** What the server sends without being asked, by its type. */
    events = {
        candidate(message) { this.peers.get(message.leg)?.receive(message); },
        restartICE({ legs }) { for (const name of legs) this.peers.get(name)?.owner.onRestart(); },
        mediaLost({ legs }) { for (const name of legs) this.peers.get(name)?.owner.onLost(); },
        facts({ leg, counters }) { if (counters) this.peers.get(leg)?.owner.onCounters?.(counters); },
        judged(message) { this.partOf(message.leg)?.takeJudgement(message); },
        fallback({ leg, state }) {
            (this.handles.get(leg) ?? this.partOf(leg))?.dispatchEvent(event("audiofallback", { state }));
        },
        networkQuality({ participants }) {
            for (const { connection, quality } of participants) {
                this.qualities.set(connection, participantQuality(quality));
                this.notifyQuality(connection);
            }
        },
        connectionDestroyed({ id }) { this.qualities.delete(id); },
        routes(message) { this.handles.get(message.leg)?.takeRoutes(message); },
        offered(message) { this.handles.get(message.subscription)?.takeOffer(message); },
        subscriptionEnded({ id }) {
            this.handles.get(id)?.over(new SessionError("peerUnavailable", "No path to the sender was found."));
        },
        streamCreated(stream) {
            if (!this.isOthers(stream)) return;
            const wasAwaited = this.awaited.delete(stream.id);
            this.setStreams([...this.streams.filter(({ id }) => id !== stream.id), stream]);
            if (!wasAwaited) return this.notifyStream("streamcreated", stream);
            for (const part of this.subscriptions(stream.id)) part.reopen();
        },
        streamUpdated(stream) {
            if (!this.isOthers(stream)) return;
            for (const part of this.subscriptions(stream.id)) part.stream = stream;
            this.setStreams(this.streams.map((one) => (one.id === stream.id ? stream : one)));
            this.notifyStream("streamupdated", stream);
        },
        streamDestroyed({ id, reason }) { this.removeStream(id, reason); },
        goodbye({ reason }) { this.link.end(reason); },
    };

    /** @param {string} leg The name of one of its peer connections. */
    partOf(leg) { return [...this.parts].find((part) => part.reporting.some(({ name }) => name === leg)); }

    /** @param {string} id A stream's. */
    subscriptions(id) { return [...this.parts].filter(({ stream }) => stream?.id === id); }

    /**
     * @param {string} id
     * @param {string} reason
     */
    removeStream(id, reason) {
        this.awaited.delete(id);
        const gone = this.streams.find((one) => one.id === id);
        for (const part of this.subscriptions(id)) part.over();
        this.setStreams(this.streams.filter((one) => one.id !== id));
        if (gone) this.notifyStream("streamdestroyed", gone, { reason });
    }

    /** @param {Object[]} streams */
    setStreams(streams) { this.streams = Object.freeze(streams); }

    /**
     * @param {string} type
     * @param {Object} stream
     * @param {Object} [more]
     */
    notifyStream(type, stream, more = {}) { this.dispatchEvent(event(type, { stream, ...more })); }
}
