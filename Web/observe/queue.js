// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { KnownReport } from "./known.js";

/** Most reports of one request. */
export const batchLimit = 64;
/** Most reports that the server has not said to be stored; of more the oldest are given up. */
const queueLimit = 240;
/** How often in a row the server is given the same reports in other words. */
const retellingLimit = 3;
/** Most bytes of one request; the server takes 256 KB. */
const batchBytes = 200_000;
/**
 * Estimates of the uplink below which it sends every 2 s, and below half of which every 5 s, bps.
 *
 * A report takes some 400 bytes on the wire by a socket. A request has a long head as well, some 2 KB altogether in several packets,
 * and each is a queue before the call's next frame.
 */
export const poorUplink = { bySocket: 300_000, byRequest: 500_000 };
/** Characters of a report's new statistics where the uplink is not known to be good; packed, they have room in a packet. */
export const reportPiece = 2500;

/** The peer connections of one participant, and what the server has not said to be stored of their reports. */
export class ReportQueue {
    constructor() {
        /** `{ reference, changes, known, remote, estimate }` by name; `known` is what the server has stored. */
        this.peers = new Map();
        /** The same of those that are observed no more, while not all of them is stored. */
        this.past = new Map();
        /** In order. */
        this.reports = [];
    }

    /** @param {string} name @returns {?Object} Of a peer connection that is observed, or was. */
    find(name) { return this.peers.get(name) ?? this.past.get(name); }

    /** @param {string} name @returns {?Object} One that is observed again; `undefined` if it was not, or all is stored. */
    takeBack(name) {
        const peer = this.past.get(name);
        this.past.delete(name);
        return peer;
    }

    /** @param {string} name One that is observed no more. */
    close(name) {
        this.past.set(name, this.peers.get(name));
        this.peers.delete(name);
        this.reports.push({ peerConnection: name, closed: true });
    }

    /** @param {ReportQueue} other One for the same participant, with whose reports it begins. */
    inherit(other) {
        this.past = new Map([...other.past, ...other.peers]);
        this.reports = other.reports;
    }

    /** Forgets all. */
    clear() {
        this.peers.clear();
        this.past.clear();
        this.reports = [];
    }

    /** Gives up what waits: what comes next is whole. */
    restart() {
        this.reports = this.reports.filter(({ closed }) => closed).slice(-batchLimit);
        this.past.clear();
        for (const peer of this.peers.values()) {
            peer.changes.restart();
            peer.known = new KnownReport();
        }
    }

    /** Gives up the oldest of what waits if it is too much; before the next report is written, which may have to be whole. */
    makeRoom() {
        if (this.reports.length < queueLimit) return;
        const gone = this.reports.splice(0, batchLimit);
        for (const report of gone) this.know(report);
        this.reports.unshift(...gone.filter(({ closed }) => closed).slice(-batchLimit / 2));
        for (const name of [...this.peers.keys(), ...this.past.keys()]) this.retell(name);
    }

    /**
     * A report is stored, or is to be no more: those that follow build on it.
     *
     * @param {Object} report
     */
    know({ peerConnection: name, changes }) {
        const peer = this.find(name);
        if (peer && changes) peer.known.add(changes);
    }

    /**
     * Writes what waits of a peer connection once more, the first of it whole: the server has not got what it builds on.
     *
     * @param {string} name
     */
    retell(name) {
        const peer = this.find(name);
        if (!peer) return;
        const { changes, known, estimate } = peer;
        peer.known = new KnownReport();
        changes.restart();
        // What comes in pieces is not all that was measured.
        changes.piece = estimate !== null && estimate < poorUplink.bySocket ? reportPiece : Infinity;
        const own = this.reports.filter((report) => report.peerConnection === name && report.changes);
        for (const report of own) report.changes = changes.add(known.add(report.changes));
        // A server that asks for that may have forgotten all.
        if (own.length > 0 && peer.tags !== "{}") own[0].tracks ??= JSON.parse(peer.tags);
    }

    /** @returns {Object[]} As many of the reports that wait as one request takes; one at least. */
    batch() {
        let bytes = 0;
        const end = this.reports.findIndex((report, index) => {
            bytes += JSON.stringify(report).length;
            return index > 0 && (bytes > batchBytes || index === batchLimit);
        });
        return end < 0 ? this.reports.slice() : this.reports.slice(0, end);
    }

    /**
     * Forgets what is stored of what was sent, and writes once more what the server could make nothing of.
     *
     * @param {Set<Object>} sent
     * @param {string[]} asked Names of the peer connections of which the server has not got what they build on.
     */
    settle(sent, asked) {
        const again = new Set(asked.filter((name) => {
            const peer = this.find(name);
            if (peer) peer.retellings += 1;
            return peer && peer.retellings <= retellingLimit;
        }));
        for (const report of this.reports) {
            if (!sent.has(report) || again.has(report.peerConnection)) continue;
            this.know(report);
            const peer = this.peers.get(report.peerConnection);
            if (peer && !asked.includes(report.peerConnection)) peer.retellings = 0;
        }
        this.reports = this.reports.filter((report) => !sent.has(report) || again.has(report.peerConnection));
        for (const name of asked) this.retell(name);
        const waiting = new Set(this.reports.map(({ peerConnection }) => peerConnection));
        for (const name of this.past.keys()) if (!waiting.has(name)) this.past.delete(name);
    }
}
