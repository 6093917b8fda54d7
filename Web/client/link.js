// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** The version of the session protocol. */
export const version = 1;
/** Silence after which a socket counts as lost, ms. */
const silence = 8000;
/** Silence after which the server is asked for a word, ms: pages do not see the pings of a WebSocket. */
const quiet = 3000;
/** Time between two looks at the socket, ms. */
const tick = 1000;
/** Time between two looks by which the second is late, ms: the page is hidden, or was busy or asleep. */
const late = 2500;
/** How long the server has to hang up on who has left, ms. */
const farewell = 2000;
/** Bytes that may wait for the network: an acknowledgement or two. */
const unsent = 256;
/** How long a message of the server waits for one of the page's that confirms it, before an `ack` does, ms. */
const confirmAfter = 1500;
/** Most messages that wait so. */
const mostUnreported = 16;
/** Longest pause between two tries to come back, ms. */
const pause = 1000;
/** Longest that a try may take, ms: less than TCP would wait. */
const attempt = 4000;
/** How often servers of a cluster may say in a row that the session is elsewhere. */
const hops = 3;

/** The server's refusal of a request, or that it cannot be reached. */
export class SessionError extends Error {
    /**
     * @param {string} code
     * @param {string} message
     * @param {string} [url] Where the session is, if the code is `elsewhere`.
     */
    constructor(code, message, url) {
        super(message);
        this.code = code;
        if (url) this.url = url;
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
        /** Where the page asks first; and the server of a cluster that has the session, once one has said which. */
        this.entry = url;
        this.node = null;
        this.lastID = 0;
        this.socket = null;
        this.isOver = false;
        /** When the socket was last looked at, and whether that was late. */
        this.looked = 0;
        this.wasLate = false;
        this.begin(null);
    }

    /** @param {?Object} resumption How to come back, as the server says it. */
    begin(resumption) {
        this.lastSent = 0;
        this.received = 0;
        this.confirmed = 0;
        /** When the first message came that the server does not know to have come. */
        this.unreportedSince = 0;
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
        const joined = await this.follow((socket) => this.greet(socket, "join", request));
        this.looked = performance.now();
        this.timer = setInterval(() => this.tick(), tick);
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
            if (this.socket && this.received > this.confirmed) {
                message.received = this.received;
                this.confirmed = this.received;
            }
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
        if (reason === "left") this.hangUp();
        else this.socket?.close();
        this.handlers.onEnd(reason);
    }

    /** Who leaves is hung up on by the server; if it does not, by the page. */
    hangUp() {
        const { socket } = this;
        if (socket) setTimeout(() => socket.close(), farewell);
    }

    /**
     * Says the first word on a new socket, and says it elsewhere if the server knows that the session is there.
     *
     * @param {function(WebSocket): Promise<Object>} enter
     * @returns {Promise<Object>} The answer.
     */
    async follow(enter) {
        for (let hop = 0; ; hop += 1) {
            const socket = await this.connect();
            try {
                return await enter(socket);
            } catch (error) {
                if (this.socket !== socket) socket.close();
                if (error.code !== "elsewhere" || hop === hops || !this.moveTo(error.url)) throw error;
            }
        }
    }

    /**
     * @param {string} [server] Where the session is.
     * @returns {boolean} Whether it can be used: what can be read in transit is none where the first address cannot be.
     */
    moveTo(server) {
        let url;
        try {
            url = new URL(this.entry.pathname, server);
        } catch {
            return false;
        }
        url.protocol = url.protocol.replace("http", "ws");
        if (this.entry.protocol === "wss:" && url.protocol !== "wss:") return false;
        this.node = url;
        this.url = url;
        return true;
    }

    /** Nothing came of the last try: another server may have the session by now, which the first address finds. */
    turn() {
        if (this.node) this.url = this.url === this.entry ? this.node : this.entry;
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
                if (message.type === "error") return refuse(new SessionError(message.code, message.message, message.url));
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
    }

    /** @param {Object} message */
    take(message) {
        // Of what comes between the leave and its answer the page hears nothing.
        if (this.isOver) return;
        this.heard = performance.now();
        if (message.received !== undefined) this.confirm(message.received);
        if (message.type === "ack") return;
        if (message.seq !== undefined) {
            if (message.seq <= this.received) return;
            // Most are confirmed by the next message to the server.
            if (this.received === this.confirmed) this.unreportedSince = this.heard;
            this.received = message.seq;
            if (this.received - this.confirmed >= mostUnreported) this.acknowledge();
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
        const now = performance.now();
        const isExcused = this.look(now);
        if (!this.socket || !this.resumption) return;
        if (this.received > this.confirmed && now - this.unreportedSince > confirmAfter) this.acknowledge();
        const time = now - this.heard;
        if (isExcused) this.heard = Math.max(this.heard, now - quiet);
        if (now - this.heard > silence) return this.lose();
        if (time > quiet) this.send(this.question.type, this.question);
    }

    /**
     * A look that is late says nothing of the silence before it: what has come may not have been read yet. The server is
     * asked first, and has as long to answer as others have, or until the next look if that is late, too.
     *
     * @param {number} now
     * @returns {boolean} Whether a silence until now is not the server's.
     */
    look(now) {
        const [before, wasLate] = [this.looked, this.wasLate];
        this.looked = now;
        this.wasLate = now - before > late;
        return this.wasLate && !(wasLate && this.heard < before);
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
        // Also for who leaves meanwhile: the server hears of it.
        while (performance.now() < deadline) {
            try {
                await this.comeBack();
                if (!this.isOver) this.handlers.onAway(false);
                return;
            } catch (error) {
                if (error.code !== "unreachable" && error.code !== "elsewhere") return this.end(error.code);
                this.turn();
                // Not all clients of a server that was away at once.
                await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
            }
        }
        this.end("lost");
    }

    /** Goes on with the session on another socket. */
    comeBack() { return this.follow((socket) => this.goOn(socket)); }

    /** @param {WebSocket} socket */
    async goOn(socket) {
        const { token } = this.resumption;
        try {
            const { received } = await this.greet(socket, "resume", { version, token, received: this.received });
            this.confirm(received);
            for (const { text } of this.unconfirmed) socket.send(text);
        } catch (error) {
            // Who has left has nothing to come back for.
            if (error.code !== "unknownResumption" || this.isOver) throw error;
            const joined = await this.greet(socket, "join", { ...this.request, restore: token });
            if (this.isOver) this.send("leave", {});
            else this.handlers.onForgotten(joined);
        }
        if (this.isOver) this.hangUp();
    }
}
