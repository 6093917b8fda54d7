// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** The version of the session protocol. */
export const version = 1;
/** Silence after which a socket counts as lost, ms: about each leg the server says something every second. */
const silence = 8000;
/** Pause between two tries to come back, ms. */
const pause = 1000;

/** The server's refusal of a request, or that it cannot be reached. */
export class SessionError extends Error {
    /**
     * @param {string} code
     * @param {string} message
     */
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}

/**
 * Messages to and from the server, in order and each once, over as many sockets as that takes.
 *
 * Once the server has said how to come back, both sides number their messages and keep them until they are confirmed.
 */
export class SessionLink {
    /**
     * @param {URL} url
     * @param {{onMessage: function(Object): void, onAway: function(boolean): void, onEnd: function(string): void}}
     *   handlers
     */
    constructor(url, handlers) {
        Object.assign(this, { url, handlers });
        this.lastID = 0;
        this.lastSent = 0;
        this.received = 0;
        this.confirmed = 0;
        this.unconfirmed = [];
        this.resumption = null;
        this.socket = null;
        this.isOver = false;
    }

    /** Opens the first socket. */
    async open() {
        this.adopt(await this.connect());
        this.timer = setInterval(() => this.tick(), 1000);
    }

    /**
     * Sends a message, or keeps it for the next socket.
     *
     * @param {string} type
     * @param {Object} body
     * @returns {number} Its id.
     */
    send(type, body) {
        this.lastID += 1;
        const message = { ...body, type, id: this.lastID };
        if (this.resumption) {
            this.lastSent += 1;
            message.seq = this.lastSent;
        }
        const text = JSON.stringify(message);
        if (this.resumption) this.unconfirmed.push({ seq: message.seq, text });
        this.socket?.send(text);
        return this.lastID;
    }

    /**
     * Ends it.
     *
     * @param {string} reason
     */
    end(reason) {
        if (this.isOver) return;
        this.isOver = true;
        clearInterval(this.timer);
        // Who leaves is hung up on by the server.
        if (reason !== "left") this.socket?.close();
        this.handlers.onEnd(reason);
    }

    /** @returns {Promise<WebSocket>} */
    connect() {
        return new Promise((resolve, reject) => {
            const socket = new WebSocket(this.url);
            socket.onopen = () => resolve(socket);
            socket.onerror = () => reject(new SessionError("unreachable", "The server does not answer."));
        });
    }

    /** @param {WebSocket} socket */
    adopt(socket) {
        this.socket = socket;
        this.heard = performance.now();
        socket.onmessage = ({ data }) => {
            if (this.socket === socket) this.take(JSON.parse(data));
        };
        socket.onclose = () => {
            if (this.socket === socket) this.lose();
        };
    }

    /** @param {Object} message */
    take(message) {
        this.heard = performance.now();
        if (message.type === "ack") return this.confirm(message.received);
        if (message.type === "joined") this.resumption = message.resumption ?? null;
        if (message.seq !== undefined) {
            if (message.seq <= this.received) return;
            this.received = message.seq;
        }
        this.handlers.onMessage(message);
    }

    /** @param {number} received The number of the last message that the server has. */
    confirm(received) {
        this.unconfirmed = this.unconfirmed.filter(({ seq }) => seq > received);
    }

    /** Confirms what has come, and looks whether anything still does. */
    tick() {
        if (!this.socket || !this.resumption) return;
        if (this.received > this.confirmed) {
            this.confirmed = this.received;
            this.socket.send(JSON.stringify({ type: "ack", received: this.received }));
        }
        if (performance.now() - this.heard > silence) this.lose();
    }

    /** The socket is lost; another one takes its place. */
    async lose() {
        const old = this.socket;
        this.socket = null;
        old?.close();
        if (this.isOver) return;
        if (!this.resumption) return this.end("lost");
        this.handlers.onAway(true);
        const deadline = performance.now() + this.resumption.seconds * 1000;
        while (!this.isOver && performance.now() < deadline) {
            try {
                await this.resume(await this.connect());
                return this.handlers.onAway(false);
            } catch (error) {
                if (error.code !== "unreachable") break;
                await new Promise((resolve) => setTimeout(resolve, pause));
            }
        }
        this.end("lost");
    }

    /**
     * Makes a new socket the session's own.
     *
     * @param {WebSocket} socket
     * @returns {Promise<void>}
     */
    resume(socket) {
        return new Promise((resolve, reject) => {
            socket.onclose = () => reject(new SessionError("unreachable", "The server does not answer."));
            socket.onmessage = ({ data }) => {
                const message = JSON.parse(data);
                if (message.type === "error") return reject(new SessionError(message.code, message.message));
                if (message.type !== "resumed") return;
                this.adopt(socket);
                this.confirm(message.received);
                for (const { text } of this.unconfirmed) socket.send(text);
                resolve();
            };
            this.lastID += 1;
            const request = { version, token: this.resumption.token, received: this.received };
            socket.send(JSON.stringify({ ...request, type: "resume", id: this.lastID }));
        });
    }
}
