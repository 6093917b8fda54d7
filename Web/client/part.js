// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { isPassing, sleep } from "./peer.js";

/** Time between two tries, ms. */
const pause = 1000;

/** A client's part in a stream: its publication or a subscription to it. */
export class StreamPart {
    /** @param {SessionClient} client */
    constructor(client) {
        this.client = client;
        /** The server's way to speak of it in a session that may be relayed; `null` in others. */
        this.handle = null;
        this.turn = 0;
        this.isOver = false;
        client.parts.add(this);
    }

    /**
     * Asks the server for the stream, as often as it takes.
     *
     * @throws {SessionError} If there is no use in it.
     */
    async establish() {
        this.turn += 1;
        const turn = this.turn;
        for (;;) {
            this.closeWays();
            try {
                return await this.open();
            } catch (error) {
                // Someone else tries, as after the server's restart.
                if (turn !== this.turn) return;
                if (!isPassing(error) || this.isOver || this.client.isOver) throw error;
                await sleep(pause);
                if (turn !== this.turn) return;
            }
        }
    }

    /** The server restarted, and knows nothing of it. */
    forget() {
        this.turn += 1;
        this.closeWays();
        this.dropHandle();
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

    /** @param {Error} error Why it ends by itself. */
    fail(error) {
        if (this.isOver) return;
        this.over();
        this.client.handlers.onProblem?.(this, error);
    }

    /** Ends it. */
    async end() {
        if (this.isOver) return;
        const leg = this.name;
        this.over();
        if (leg) await this.client.ask(this.ending, { leg });
    }

    /** The server has ended it, or knows already. */
    over() {
        this.isOver = true;
        this.forget();
        this.client.parts.delete(this);
    }
}
