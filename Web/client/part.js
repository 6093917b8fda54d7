// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { SessionError } from "./link.js";
import { attempt } from "./peer.js";
import { QualityWatch, event } from "./quality.js";

/** A client's part in a stream: its publication or a subscription to it. */
export class StreamPart extends EventTarget {
    /** @param {Session} client */
    constructor(client) {
        super();
        this.client = client;
        this.watch = new QualityWatch(this);
        /** The server's way to speak of it in a session that may be relayed; `null` in others. */
        this.handle = null;
        this.turn = 0;
        /** Whether the server has ever had it. */
        this.hasWorked = false;
        this.isOver = false;
        /** Why it ended by itself. */
        this.error = null;
        client.parts.add(this);
    }

    /** @returns {?Object} What the server judges of it; `null` before it does. */
    get quality() { return this.watch.current; }

    /** @returns {Object[]} The warnings that are raised. */
    get warnings() { return this.watch.warnings; }

    /** @param {Object} message What the server judges of one of its peer connections. */
    takeJudgement(message) { this.watch.take(message, this.reportingNames); }

    /** What was judged of connections that are gone counts no more; while there is none the next is waited for. */
    keepJudged() { if (this.reporting.length > 0) this.watch.keep(this.reportingNames); }

    get reportingNames() { return new Set(this.reporting.map(({ name }) => name)); }

    /**
     * Asks the server for the stream, a few times if need be; for what it has had, which no one would ask for again, as
     * long as the session lasts: a server that restarted may need a while for its router.
     *
     * @throws {SessionError} If there is no use in it.
     */
    async establish() {
        this.turn += 1;
        const turn = this.turn;
        const open = async () => {
            this.closeWays();
            await this.open();
            this.hasWorked = true;
        };
        try {
            await attempt(() => turn === this.turn, open, this.hasWorked);
        } catch (error) {
            // Someone else tries, as after the server's restart.
            if (turn === this.turn) throw error;
        }
    }

    /** @returns {Error} Why it is over. */
    whyOver() {
        if (this.error) return this.error;
        if (this.client.isOver) return new SessionError("ended", "The session is over.");
        return new SessionError("unknownStream", "The stream is over.");
    }

    /** The server restarted, and knows nothing of it. */
    forget() {
        this.turn += 1;
        this.closeWays();
        this.dropHandle();
        this.watch.forget();
    }

    /** Asks a restarted server again. */
    async reopen() {
        try {
            await this.establish();
        } catch (error) {
            this.fail(error);
        }
    }

    /**
     * @param {string} type
     * @param {Object} body
     * @returns {Promise<Object>} The answer.
     */
    takeHandle(type, body) {
        this.dropHandle();
        this.handle = this.client.makeName();
        this.client.handles.set(this.handle, this);
        return this.client.ask(type, { ...body, leg: this.handle });
    }

    dropHandle() {
        this.client.handles.delete(this.handle);
        this.handle = null;
    }

    /** @param {Error} error Why it ends by itself; the server may still have it. */
    fail(error) {
        if (this.isOver) return;
        const leg = this.name;
        this.over(error);
        if (leg && !this.client.isOver) this.client.ask(this.ending, { leg }).catch(() => {});
    }

    /** Ends it. */
    async end() {
        if (this.isOver) return;
        const leg = this.name;
        this.over();
        if (leg) await this.client.ask(this.ending, { leg });
    }

    /** @param {?Error} [error] Why, if it ends by itself; the server has ended it, or knows already. */
    over(error = null) {
        if (this.isOver) return;
        this.isOver = true;
        this.error = error;
        this.forget();
        this.client.parts.delete(this);
        this.dispatchEvent(event("ended", { error }));
    }
}
