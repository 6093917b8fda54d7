// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { SessionError, SessionLink, version } from "./link.js";
import { ReportPace } from "./pace.js";
import { Publication } from "./publication.js";
import { Subscription } from "./subscription.js";

/**
 * A browser's part in a session: Sightline's session protocol, version 1.
 *
 *     const client = await SessionClient.join(serverURL, token, { onStreams });
 *     const own = await client.publish(mediaStream);
 *     const part = await client.subscribe(client.streams[0]);   // part.media is a MediaStream
 *     client.leave();
 *
 * Once a second what has changed in each peer connection's `getStats()` goes to the server, which judges it; less often
 * while the uplink is poor.
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

/** A client in a session. */
export class SessionClient {
    /**
     * Enters the session of a token.
     *
     * @param {string} server Such as `https://example.com`.
     * @param {string} token A client's token.
     * @param {{onStreams?: function(Object[]): void, onEnd?: function(string): void,
     *   onAway?: function(boolean): void, onProblem?: function(Publication|Subscription, Error): void}} [handlers]
     *   `onStreams` gets the others' streams each time they change, `onEnd` why the session is over for this client,
     *   `onAway` whether its socket is lost and it is on its way back, `onProblem` which publication or subscription
     *   has ended by itself, and why.
     * @param {number} [threshold] Estimate of the uplink, bps, below which reports are sent every 2 s, and below half of
     *   which every 5 s.
     * @returns {Promise<SessionClient>}
     * @throws {SessionError}
     */
    static async join(server, token, handlers = {}, threshold = undefined) {
        const url = new URL(path, server);
        url.protocol = url.protocol.replace("http", "ws");
        const client = new SessionClient(url, handlers, threshold);
        try {
            client.enter(await client.link.open({ version, token, client: "sightline-browser", resumable: true }));
        } catch (error) {
            // No one has heard of a session yet that could be over.
            client.handlers = {};
            client.link.end("refused");
            throw error;
        }
        client.timer = setInterval(() => client.report(), tick);
        return client;
    }

    /**
     * @param {URL} url
     * @param {Object} handlers
     * @param {number} [threshold]
     */
    constructor(url, handlers, threshold) {
        this.handlers = handlers;
        this.pace = new ReportPace(threshold);
        this.lastName = 0;
        /** Whether reports are being made: a slow one is not to be overtaken by the next. */
        this.isReporting = false;
        /** What the uplink carries, by the last report of those that send; `null` if none did. */
        this.estimate = null;
        this.link = new SessionLink(url, {
            onMessage: (message) => this.handle(message), onAway: (isAway) => this.noteAway(isAway),
            onEnd: (reason) => this.ended(reason), onForgotten: (joined) => this.rejoined(joined),
        });
        this.waiting = new Map();
        /** Its publications and subscriptions. */
        this.parts = new Set();
        /** Those of them that have one, by the handle. */
        this.handles = new Map();
        /** Its peer connections, by the server's names. */
        this.peers = new Map();
        /** The others' streams as the server describes them. */
        this.streams = [];
        /** Ids of streams that have not come back yet to a server that restarted. */
        this.awaited = new Set();
    }

    /** @param {Object} joined */
    enter(joined) {
        Object.assign(this, { session: joined.session, role: joined.role, connection: joined.connection });
        this.mayBeRelayed = joined.mediaMode !== "routed";
        this.iceServers = joined.iceServers;
        this.streams = joined.streams;
    }

    /** @param {Object} joined What a server says that restarted, and has forgotten everything. */
    rejoined(joined) {
        const before = this.streams;
        this.enter(joined);
        const there = new Set(joined.streams.map(({ id }) => id));
        this.awaited = new Set(before.map(({ id }) => id).filter((id) => !there.has(id)));
        for (const part of this.parts) part.forget();
        this.refuseWaiting(new SessionError("serverRestarted", "The server restarted: try again."));
        this.setStreams([...joined.streams, ...before.filter(({ id }) => this.awaited.has(id))]);
        for (const part of this.parts) {
            if (!part.stream || there.has(part.stream.id)) part.reopen();
        }
        clearTimeout(this.awaiting);
        this.awaiting = setTimeout(() => {
            for (const id of this.awaited) this.removeStream(id);
        }, restoration);
    }

    /**
     * Publishes what a media stream has.
     *
     * @param {MediaStream} media
     * @param {Object} [content] What else is to be said of it, such as its `name`.
     * @returns {Promise<Publication>}
     */
    publish(media, content = {}) {
        const size = media.getVideoTracks()[0]?.getSettings();
        const request = {
            senderStatsTrack: true, audioFallbackEnabled: true,
            content: {
                hasAudio: media.getAudioTracks().length > 0, hasVideo: Boolean(size), videoType: "camera",
                videoDimensions: size?.width ? { width: size.width, height: size.height } : undefined, ...content,
            },
        };
        return this.begin(new Publication(this, media, request));
    }

    /**
     * Subscribes to someone's stream.
     *
     * @param {Object} stream One of `streams`.
     * @returns {Promise<Subscription>} Its `media` fills as tracks arrive.
     */
    subscribe(stream) { return this.begin(new Subscription(this, stream)); }

    /**
     * @param {StreamPart} part
     * @returns {Promise<StreamPart>}
     */
    async begin(part) {
        try {
            await part.establish();
        } catch (error) {
            part.over();
            throw error;
        }
        return part;
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
        clearTimeout(this.awaiting);
        for (const part of [...this.parts]) part.over();
        this.refuseWaiting(new SessionError("ended", "The session is over."));
        this.handlers.onEnd?.(reason);
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
        this.handlers.onAway?.(isAway);
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

    /** What the server tells without being asked, by its type. */
    events = {
        candidate(message) { this.peers.get(message.leg)?.receive(message); },
        restartICE({ legs }) { for (const name of legs) this.peers.get(name)?.owner.onRestart(); },
        mediaLost({ legs }) { for (const name of legs) this.peers.get(name)?.owner.onLost(); },
        routes(message) { this.handles.get(message.leg)?.takeRoutes(message); },
        offered(message) { this.handles.get(message.subscription)?.takeOffer(message); },
        subscriptionEnded({ id }) {
            this.handles.get(id)?.fail(new SessionError("peerUnavailable", "No path to the sender was found."));
        },
        streamCreated(stream) {
            const wasAwaited = this.awaited.delete(stream.id);
            this.setStreams([...this.streams.filter(({ id }) => id !== stream.id), stream]);
            if (wasAwaited) for (const part of this.subscriptions(stream.id)) part.reopen();
        },
        streamUpdated(stream) {
            for (const part of this.subscriptions(stream.id)) part.stream = stream;
            this.setStreams(this.streams.map((one) => (one.id === stream.id ? stream : one)));
        },
        streamDestroyed({ id }) { this.removeStream(id); },
        goodbye({ reason }) { this.link.end(reason); },
    };

    /** @param {string} id A stream's. */
    subscriptions(id) { return [...this.parts].filter(({ stream }) => stream?.id === id); }

    /** @param {string} id */
    removeStream(id) {
        this.awaited.delete(id);
        for (const part of this.subscriptions(id)) part.over();
        this.setStreams(this.streams.filter((one) => one.id !== id));
    }

    /** @param {Object[]} streams */
    setStreams(streams) {
        this.streams = streams;
        this.handlers.onStreams?.(streams);
    }
}
