// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/**
 * Has a page's own call judged by a Sightline server: what its peer connections report once a second is sent there, and
 * nothing else about the page changes.
 *
 * One tag, before the call's scripts, which are modules or deferred: `<script type="module" src="https://…/web/observe/observe.js"
 * data-token="…"></script>`; or `start({ token })` from a script.
 */

import { ReportChanges } from "../client/changes.js";
import { ReportPace } from "../client/pace.js";
import { KnownReport } from "./known.js";
import { guarded, wrapPage } from "./page.js";
import { batchLimit, poorUplink, reportPiece, ReportQueue } from "./queue.js";
import { ReportSocket } from "./socket.js";

const second = 1000;
/** Most that a request of a page that goes away may have, bytes: browsers take no more than 64 KB of all of them. */
const farewellLimit = 60_000;
/** Most tracks of a peer connection that the server takes a tag of. */
const tagLimit = 256;
/** Longest pause after a failure, ms: less than what the server takes for the end of a participant. */
const longestPause = 20 * second;
/** Longest pause between two tries to send a rating, ms: a person may wait for it. */
const longestRatingPause = 4 * second;
/** How long a request, or an answer by the socket, may take, ms: the server stores what it is sent before it answers. */
const requestTimeout = 10 * second;
/** How long a request may take on a good uplink, ms: what comes from someone unknown waits for three seconds at the server. */
const storingTime = 4 * second;
/** Estimate of an uplink on which a whole report is no queue, bps. */
const goodUplink = 1_000_000;
/** How long the browser may take to read all statistics before what there is is sent, ms. */
const readingTime = second / 2;
/** The token is not good, or for something else: nothing would be taken. */
const final = [401, 403];
/** What was sent is not taken, or is too much: sent again it would be no better. */
const refused = [400, 413, 429];

/** What the app says of tracks; `isUsed` once it has said anything. */
const tags = { byTrack: new WeakMap(), isUsed: false };

const native = { fetch: globalThis.fetch?.bind(globalThis) };

/** What is remembered before `start` and after `stop`: nothing, and what `start` does by default. */
const nothing = () => ({ connections: [], isWanted: false, server: undefined, wraps: true });

/**
 * What is left for whoever observes next, for a call may outlive its token: the page's peer connections,
 * `{ reference, name, remote }` each, and what `start` was given that the next one need not be given again.
 */
let remembered = nothing();

/**
 * @param {RTCPeerConnection} connection
 * @param {{name?: string, remote?: string}} [options] The first name stays, and the last other end.
 */
function remember(connection, { name, remote } = {}) {
    if (!remembered.isWanted) return;
    const known = remembered.connections.find(({ reference }) => reference.deref() === connection);
    if (known) {
        Object.assign(known, { name: known.name ?? name, remote: remote ?? known.remote });
        return;
    }
    const open = remembered.connections.filter(({ reference }) => isOpen(reference.deref()));
    remembered.connections = [...open, { reference: new WeakRef(connection), name, remote }];
}

/** @param {?RTCPeerConnection} connection `undefined` if nothing has it any more. */
const isOpen = (connection) => Boolean(connection) && connection.signalingState !== "closed";

/**
 * What the app says of the tracks that a peer connection sends and receives now.
 *
 * @param {RTCPeerConnection} connection
 * @returns {Object<string, Object>} By the tracks' ids.
 */
function tagged(connection) {
    if (!tags.isUsed) return {};
    const tracks = [...connection.getSenders(), ...connection.getReceivers()].map(({ track }) => track);
    return Object.fromEntries(tracks.filter((track) => track && tags.byTrack.has(track)).slice(0, tagLimit)
        .map((track) => [track.id, tags.byTrack.get(track)]));
}

/** @param {string} token @returns {{call: string, participant: string}} What it is for. */
function claimsOf(token) {
    try {
        const base64 = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        const { call, participant } = JSON.parse(new TextDecoder().decode(bytes)).observer;
        return { call, participant };
    } catch {
        throw new Error("the token is not one of a participant in an observed call");
    }
}

/** Sends what the peer connections of one participant report. */
export class Observer {
    /** @param {{token: string, server?: string}} options */
    constructor({ token, server = new URL(import.meta.url).origin }) {
        this.claims = claimsOf(token);
        this.place = `${server.replace(/\/$/, "")}/v1/calls/${encodeURIComponent(this.claims.call)}`;
        this.address = `${this.place}/reports`;
        this.token = token;
        this.socket = new ReportSocket(this.address, token);
        this.prefix = Math.random().toString(36).slice(2, 8);
        this.count = 0;
        /** What is observed, and what of it is not stored. */
        this.queue = new ReportQueue();
        /** Names of those that are observed. */
        this.names = new WeakMap();
        /** Tracks that are watched: one comes again with each negotiation. */
        this.tracks = new WeakSet();
        this.eventCount = 0;
        this.events = [];
        this.pace = new ReportPace(poorUplink.bySocket);
        this.pause = 0;
        this.resumeAt = 0;
        this.isSending = false;
        this.sentAt = 0;
        this.isOver = false;
        /** The refusal that the page's author has been warned of; `null` while the server takes what comes. */
        this.complaint = null;
        this.onPageHide = (event) => this.leave(event.persisted);
        globalThis.addEventListener?.("pagehide", this.onPageHide);
        this.timer = setInterval(() => this.tick(), second);
    }

    /**
     * Observes a peer connection.
     *
     * @param {RTCPeerConnection} connection
     * @param {{name?: string, remote?: string}} [options] `remote` is the participant at its other end.
     */
    observe(connection, { name, remote } = {}) {
        const known = this.names.get(connection);
        const own = known ?? name ?? `${this.prefix}-${this.count += 1}`;
        if (latest === this) remember(connection, { name: own, remote });
        if (this.isOver) return;
        if (known) {
            const peer = this.queue.peers.get(known);
            if (peer && remote) peer.remote = remote;
            return;
        }
        this.names.set(connection, own);
        // Before the call needs the uplink.
        this.socket.open();
        const begun = this.queue.takeBack(own) ?? { changes: new ReportChanges(), known: new KnownReport(), tags: "{}" };
        this.queue.peers.set(own, {
            ...begun, reference: new WeakRef(connection), remote, estimate: null, isReading: false, isTooLarge: false,
            retellings: 0,
        });
        const state = (type, read) => () => this.note(type, { peerConnection: own, state: read() });
        connection.addEventListener("connectionstatechange", state("connectionState", () => connection.connectionState));
        connection.addEventListener("iceconnectionstatechange",
            state("iceConnectionState", () => connection.iceConnectionState));
        connection.addEventListener("track", ({ track }) => this.watch(track, "remote"));
    }

    /**
     * Observes a peer connection by the name that it had.
     *
     * @param {RTCPeerConnection} connection
     * @param {{name?: string, remote?: string}} [options]
     */
    takeOver(connection, options) {
        this.observe(connection, options);
        for (const { track } of connection.getReceivers()) this.watch(track, "remote");
        // They were watched by whoever observed as the page got them.
        for (const { track } of connection.getSenders()) if (track) this.watch(track, "local");
    }

    /**
     * Continues with what another one for the same participant has not heard to be stored.
     *
     * @param {Observer} other
     */
    inherit(other) {
        this.queue.inherit(other.queue);
        this.events = other.events;
    }

    /** @param {?Observer} other Whether it observes the same participant in the same call. */
    isFor(other) {
        if (!other) return false;
        return other.claims.call === this.claims.call && other.claims.participant === this.claims.participant;
    }

    /**
     * Notes what becomes of a track.
     *
     * @param {MediaStreamTrack} track
     * @param {string} end
     */
    watch(track, end) {
        if (this.tracks.has(track)) return;
        this.tracks.add(track);
        for (const state of ["ended", "mute", "unmute"]) {
            track.addEventListener(state, () => this.note("track", { end, kind: track.kind, state }));
        }
    }

    /**
     * Notes something that happened.
     *
     * @param {string} type
     * @param {Object<string, string>} detail
     */
    note(type, detail) {
        if (this.isOver || this.events.length >= batchLimit) return;
        this.eventCount += 1;
        // What is sent again, because no one knows whether it arrived, is still the same.
        this.events.push({ type, time: Date.now(), id: `${this.prefix}-${this.eventCount}`, detail });
    }

    /** @returns {boolean} Whether what was sent last may not have left yet: an answer waits for the server's store, too. */
    get isUnsent() {
        if (!this.isSending) return false;
        if (this.socket.isOpen) return !this.socket.isReceived;
        return this.socket.isOpening || performance.now() - this.sentAt > storingTime;
    }

    /** Reads what is due, and sends it. */
    async tick() {
        const estimates = [...this.queue.peers.values()].map(({ estimate }) => estimate).filter((estimate) => estimate !== null);
        this.pace.threshold = this.socket.isOpen ? poorUplink.bySocket : poorUplink.byRequest;
        const link = { isUnsent: this.isUnsent, isAway: this.pause > 0 };
        if (this.pace.tick(estimates.length > 0 ? Math.min(...estimates) : null, link)) {
            const reading = [...this.queue.peers].map(([name, peer]) => this.read(name, peer));
            // One that hangs keeps nothing else from being sent.
            await Promise.race([Promise.all(reading), new Promise((done) => { setTimeout(done, readingTime); })]);
        }
        this.send();
    }

    /**
     * Reads a peer connection's statistics; never fails.
     *
     * @param {string} name
     * @param {Object} peer
     */
    async read(name, peer) {
        const connection = peer.reference.deref();
        if (!connection || connection.signalingState === "closed") {
            this.queue.close(name);
            return;
        }
        if (connection.connectionState === "new" && connection.signalingState === "stable") return;
        if (peer.isReading) return;
        peer.isReading = true;
        try {
            this.take(name, peer, [...(await connection.getStats()).values()], tagged(connection));
        } catch {
            // No one knows how far it came.
            peer.changes.restart();
        } finally {
            peer.isReading = false;
        }
    }

    /**
     * @param {string} name
     * @param {Object} peer
     * @param {Object[]} report
     * @param {Object<string, Object>} tracks What the app says of its tracks, by their id.
     */
    take(name, peer, report, tracks) {
        // It may have been closed, and said so, while this was asked.
        if (this.isOver || report.length === 0 || !this.queue.peers.has(name)) return;
        const pair = report.find(({ availableOutgoingBitrate }) => availableOutgoingBitrate !== undefined);
        peer.estimate = pair?.availableOutgoingBitrate ?? null;
        this.queue.makeRoom();
        const time = Math.max(...report.map(({ timestamp }) => timestamp));
        peer.changes.piece = (peer.estimate ?? 0) < goodUplink ? reportPiece : Infinity;
        const changes = peer.changes.add(report);
        const said = JSON.stringify(tracks);
        // A server that asks for a whole report may have forgotten all.
        const isNew = said !== peer.tags || (changes[0] < 0 && said !== "{}");
        peer.tags = said;
        this.queue.reports.push({
            peerConnection: name, time, remote: peer.remote, changes, ...(isNew ? { tracks } : {}),
        });
        this.complainOfSize(peer);
    }

    /**
     * Says once of a peer connection that its reports are larger than the server takes.
     *
     * @param {Object} peer
     */
    complainOfSize(peer) {
        if (peer.changes.omitted === 0 || peer.isTooLarge) return;
        peer.isTooLarge = true;
        console.warn(`Sightline judges a part of this peer connection: ${peer.changes.omitted} of its statistics are more `
            + "than a report may have");
    }

    /** Sends what waits, one piece after the other. */
    async send() {
        if (this.isSending || this.isOver || performance.now() < this.resumeAt) return;
        if (this.queue.reports.length === 0 && this.events.length === 0) return;
        const [reports, events] = [this.queue.batch(), this.events.slice()];
        this.isSending = true;
        this.sentAt = performance.now();
        const abortion = new AbortController();
        const timer = setTimeout(() => abortion.abort(), requestTimeout);
        try {
            // Who begins says which browser it is.
            const client = reports.some(({ changes }) => changes?.[0] < 0) ? navigator.userAgent.slice(0, 128) : undefined;
            const answer = await this.deliver({ client, reports, events }, abortion.signal);
            this.answered(answer, answer.ok ? await answer.json() : null, new Set([...reports, ...events]));
        } catch {
            // It may have arrived: what the server has, it counts once.
            this.wait(0);
        } finally {
            clearTimeout(timer);
            this.isSending = false;
        }
    }

    /**
     * Sends by the socket, or as a request where none can be had.
     *
     * @param {Object} body
     * @param {AbortSignal} signal
     * @returns {Promise<Response>}
     */
    async deliver(body, signal) {
        return await this.socket.open() ? this.socket.post(body, signal) : this.post(body, { signal });
    }

    /**
     * @param {Response} answer
     * @param {?Object} receipt
     * @param {Set<Object>} sent The reports and events that it is the answer to.
     */
    answered(answer, receipt, sent) {
        if (this.isOver) return;
        if (!answer.ok && this.complaint !== answer.status) {
            console.warn(`Sightline does not observe this call: ${answer.status} from ${this.address}`);
        }
        this.complaint = answer.ok ? null : answer.status;
        if (final.includes(answer.status)) {
            this.end();
            return;
        }
        // Whoever answered may be something between here and the server, or the server without this call for a while.
        if (!answer.ok && !refused.includes(answer.status)) {
            this.wait(0);
            return;
        }
        this.events = this.events.filter((event) => !sent.has(event));
        const isRefused = !answer.ok || Boolean(receipt?.error);
        this.queue.settle(sent, isRefused ? [] : receipt?.restart ?? []);
        // What was refused is missing from then on.
        if (isRefused) this.queue.restart();
        if (answer.ok) this.pause = 0;
        else this.wait((Number(answer.headers.get("Retry-After")) || 0) * second);
    }

    /** @param {number} least How long to send nothing, ms; twice as long as the last time, if that is longer. */
    wait(least) {
        this.pause = Math.min(longestPause, Math.max(least, 2 * this.pause, second));
        this.resumeAt = performance.now() + this.pause * (0.75 + Math.random() / 2);
    }

    /**
     * @param {Object} body
     * @param {RequestInit & {address?: string}} [options]
     */
    post(body, { address = this.address, ...options } = {}) {
        return native.fetch(address, {
            method: "POST", body: JSON.stringify(body), credentials: "omit", cache: "no-store",
            headers: { "Authorization": `Bearer ${this.token}`, "Content-Type": "application/json" }, ...options,
        });
    }

    /**
     * Says what the participant thinks of the call; also when it is over. What is said last counts.
     *
     * @param {number} score A whole number, 1 to 5, the best.
     * @param {{reason?: string, comment?: string}} [why] A word of the app's; the person's own words.
     * @returns {Promise<boolean>} Whether the server keeps it; it is tried a few times.
     */
    async rate(score, { reason, comment } = {}) {
        for (let pause = second; ; pause *= 2) {
            const abortion = new AbortController();
            const timer = setTimeout(() => abortion.abort(), requestTimeout);
            const options = { address: `${this.place}/ratings`, keepalive: true, signal: abortion.signal };
            const answer = await this.post({ score, reason, comment }, options).catch(() => null);
            clearTimeout(timer);
            if (answer?.ok) return true;
            // The participant's first report may not be stored yet.
            const mayChange = !answer || answer.status >= 500 || [404, 429].includes(answer.status);
            if (!mayChange || pause > longestRatingPause) return false;
            await new Promise((done) => { setTimeout(done, pause); });
        }
    }

    /**
     * The page goes away: sends what waits, and that the peer connections are closed; if it comes back, they begin again.
     *
     * @param {boolean} mayReturn Whether the browser keeps the page.
     */
    leave(mayReturn) {
        const closed = [...this.queue.peers.keys()].slice(0, batchLimit).map((name) => ({ peerConnection: name, closed: true }));
        // What is being sent may not arrive any more; what the server has, it counts once.
        const waiting = this.queue.reports.slice(0, batchLimit - closed.length);
        const body = { reports: [...waiting, ...closed], events: this.events };
        if (body.reports.length > 0 || body.events.length > 0) {
            const isShort = JSON.stringify(body).length < farewellLimit;
            const farewell = isShort ? body : { reports: closed };
            // Either may not get away any more; twice does no harm.
            if (this.socket.isOpen) this.socket.post(farewell).catch(() => {});
            this.post(farewell, { keepalive: true }).catch(() => {});
        }
        // Browsers keep no page that has a socket.
        this.socket.close();
        this.events = [];
        this.queue.restart();
        if (!mayReturn) this.end();
    }

    /** Observes nothing any more; whoever is next does not either, of what there is now. */
    stop() {
        this.end();
        // One that another has taken the place of has none.
        if (latest === this) remembered = nothing();
    }

    /** Observes nothing any more. */
    end() {
        this.isOver = true;
        clearInterval(this.timer);
        globalThis.removeEventListener?.("pagehide", this.onPageHide);
        this.socket.close();
        this.queue.clear();
        if (observer === this) observer = null;
    }
}

/** What the page's calls are observed by; `null` while they are not. */
let observer = null;
/** What they were observed by last: people are asked when a call is over. */
let latest = null;
/** Whether the page's own functions are wrapped, which is done once. */
let isWrapped = false;
/** Observes nothing, for an app whose token is none: it uses it as it would any other. */
const idle = Object.assign(Object.create(Observer.prototype), { observe() {}, stop() {}, async rate() { return false; } });

/** Has what the page makes calls of noted; without what browsers have for calls it makes none. */
function wrapOnce() {
    if (isWrapped || !globalThis.RTCPeerConnection) return;
    isWrapped = true;
    wrapPage(() => observer, (connection) => latest?.observe(connection));
}

/**
 * Observes all calls that the page makes from now on, and, unless `stop` was called, what was observed until now of the
 * same participant in the same call.
 *
 * @param {{token: string, server?: string, wraps?: boolean}} options `wraps: false` observes only what is named by
 *   `observe`. What is omitted is as it was until now.
 * @returns {Observer} With a token that is none, what observed until now, or one that observes nothing.
 */
export function start({ token, server = remembered.server, wraps = remembered.wraps }) {
    const next = guarded(() => new Observer({ token, server }));
    if (!next) return latest ?? idle;
    // Another call is not to hear of them.
    const connections = next.isFor(latest) ? remembered.connections : [];
    if (next.isFor(observer)) next.inherit(observer);
    observer?.end();
    observer = next;
    latest = next;
    remembered = { connections, isWanted: true, server, wraps };
    if (wraps) guarded(wrapOnce);
    for (const { reference, name, remote } of connections) {
        const connection = reference.deref();
        if (isOpen(connection)) guarded(() => next.takeOver(connection, { name, remote }));
    }
    return next;
}

/**
 * Observes a peer connection, or says more of one that is observed.
 *
 * @param {RTCPeerConnection} connection
 * @param {{name?: string, remote?: string}} [options] `remote` is the participant at its other end.
 */
export function observe(connection, options) {
    guarded(() => latest?.observe(connection, options));
}

/**
 * Says whose track it is, or what it is called: where a server gives streams other SSRCs, both ends are one by that. What
 * is said last counts; it may be said before `start`.
 *
 * @param {MediaStreamTrack} track One that the page sends or receives.
 * @param {{participant?: string, name?: string}} tag `participant` sends it; `name` is the same at both ends.
 */
export function tag(track, { participant, name }) {
    if (participant === undefined && name === undefined) {
        tags.byTrack.delete(track);
        return;
    }
    tags.byTrack.set(track, { participant, name });
    tags.isUsed = true;
}

/**
 * Says what the participant thinks of the call; also when it is over, and after `stop`.
 *
 * @param {number} score A whole number, 1 to 5, the best.
 * @param {{reason?: string, comment?: string}} [why] A word of the app's; the person's own words.
 * @returns {Promise<boolean>} Whether the server keeps it.
 */
export async function rate(score, why) { return await latest?.rate(score, why) ?? false; }

/** Observes nothing any more. */
export function stop() { latest?.stop(); }

const own = [...(globalThis.document?.querySelectorAll("script[data-token]") ?? [])]
    .find(({ src }) => src === import.meta.url);
if (own) start({ token: own.dataset.token, server: own.dataset.server });
