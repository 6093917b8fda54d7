// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** The version of the session protocol. */
export const version = 1;
/** Silence after which a socket counts as lost, ms. */
const silence = 8000;
/** Silence after which the server is asked for a word, ms: pages do not see the pings of a WebSocket. */
const quiet = 3000;
/** Bytes that may wait for the network: an acknowledgement or two. */
const unsent = 256;
/** Longest pause between two tries to come back, ms. */
const pause = 1000;
/** Longest that a try may take, ms: less than TCP would wait. */
const attempt = 4000;

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

const unreachable = () => new SessionError("unreachable", "The server does not answer.");

/**
 * Messages to and from the server, in order and each once, over as many sockets as that takes.
 *
 * Once the server has said how to come back, both sides number their messages and keep them until they are confirmed.
 * A server that restarted knows nothing of that: the client joins again, and both begin from the start.
 */
export class SessionLink {
    /**
     * @param {URL} url
     * @param {{onMessage: function(Object): void, onAway: function(boolean): void, onEnd: function(string): void,
     *   onForgotten: function(Object): void}} handlers `onForgotten` gets what a server that restarted answers
     *   to joining it.
     * @param {Object} question What is asked of a server that has been quiet: a request whose answer changes nothing.
     */
    constructor(url, handlers, question) {
        Object.assign(this, { url, handlers, question });
        this.lastID = 0;
        this.socket = null;
        this.isOver = false;
        this.begin(null);
    }

    /** @param {?Object} resumption How to come back, as the server says it. */
    begin(resumption) {
        this.lastSent = 0;
        this.received = 0;
        this.confirmed = 0;
        this.unconfirmed = [];
        this.resumption = resumption;
    }

    /**
     * Opens the first socket, and joins.
     *
     * @param {Object} request What `join` says.
     * @returns {Promise<Object>} The answer.
     */
    async open(request) {
        this.request = request;
        const joined = await this.greet(await this.connect(), "join", request);
        this.timer = setInterval(() => this.tick(), 1000);
        return joined;
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

    /** @returns {boolean} Whether what is sent has to wait for another socket. */
    get isAway() { return this.socket === null; }

    /** @returns {boolean} Whether something that was sent has not left yet, beside a word of a moment ago. */
    get isUnsent() { return this.socket?.bufferedAmount > unsent; }

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
            const limit = setTimeout(() => socket.close(), attempt);
            socket.onopen = () => {
                clearTimeout(limit);
                resolve(socket);
            };
            socket.onclose = () => reject(unreachable());
        });
    }

    /**
     * Says the first word on a socket, which is the session's own from the answer on.
     *
     * @param {WebSocket} socket
     * @param {"join"|"resume"} type
     * @param {Object} body
     * @returns {Promise<Object>} The answer.
     */
    greet(socket, type, body) {
        return new Promise((resolve, reject) => {
            const limit = setTimeout(() => socket.close(), attempt);
            const refuse = (error) => {
                clearTimeout(limit);
                reject(error);
            };
            socket.onclose = () => refuse(unreachable());
            socket.onmessage = ({ data }) => {
                const message = JSON.parse(data);
                if (message.type === "error") return refuse(new SessionError(message.code, message.message));
                if (message.type !== "joined" && message.type !== "resumed") return;
                clearTimeout(limit);
                this.adopt(socket);
                if (message.type === "joined") this.begin(message.resumption ?? null);
                // Shows the server that its answer has arrived: it waits for no one else.
                this.acknowledge();
                resolve(message);
            };
            this.lastID += 1;
            socket.send(JSON.stringify({ ...body, type, id: this.lastID }));
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
        if (this.isOver) socket.close();
    }

    /** @param {Object} message */
    take(message) {
        this.heard = performance.now();
        if (message.type === "ack") return this.confirm(message.received);
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

    /** Tells the server what has come. */
    acknowledge() {
        if (!this.resumption) return;
        this.confirmed = this.received;
        this.socket.send(JSON.stringify({ type: "ack", received: this.received }));
    }

    /** Confirms what has come, and looks whether anything still does. */
    tick() {
        if (!this.socket || !this.resumption) return;
        if (this.received > this.confirmed) this.acknowledge();
        const time = performance.now() - this.heard;
        if (time > silence) return this.lose();
        if (time > quiet) this.send(this.question.type, this.question);
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
                await this.comeBack();
                return this.handlers.onAway(false);
            } catch (error) {
                if (error.code !== "unreachable") return this.end(error.code);
                // Not all clients of a server that was away at once.
                await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
            }
        }
        this.end("lost");
    }

    /** Goes on with the session on another socket. */
    async comeBack() {
        const socket = await this.connect();
        const { token } = this.resumption;
        try {
            const { received } = await this.greet(socket, "resume", { version, token, received: this.received });
            this.confirm(received);
            for (const { text } of this.unconfirmed) socket.send(text);
        } catch (error) {
            if (error.code !== "unknownResumption") throw error;
            this.handlers.onForgotten(await this.greet(socket, "join", { ...this.request, restore: token }));
        }
    }
}
