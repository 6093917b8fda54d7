// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** How long it may take until a socket is open and its token is taken, ms. */
const attempt = 4000;
/** How long after one that could not be had none is tried, ms; twice as long each time, up to the longest. */
const pauses = { shortest: 30_000, longest: 600_000 };

const native = { WebSocket: globalThis.WebSocket };

/**
 * A socket to the server, for what requests would bring: what is at the head of each of them is said once.
 *
 * Browsers pack what is sent on it, and a message has room in a packet: congestion control finds no queue of several, which it
 * would answer by sending less of the call.
 */
export class ReportSocket {
    /**
     * @param {string} address Where requests would go.
     * @param {string} token The participant's.
     */
    constructor(address, token) {
        this.address = address.replace(/^http/, "ws");
        this.token = token;
        /** The one that is open. */
        this.socket = null;
        /** The one that is being opened, and whether it will be. */
        this.opening = null;
        /** `{ resolve, reject }` of what was sent and is not answered yet, in order. */
        this.unanswered = [];
        /** Whether the server has confirmed that it has what was sent last, or answered it. */
        this.isReceived = false;
        this.pause = 0;
        this.resumeAt = 0;
    }

    /** @returns {boolean} Whether it is about to be open, or not. */
    get isOpening() { return this.opening !== null; }

    /** @returns {boolean} Whether something can be sent on it now. */
    get isOpen() { return this.socket !== null; }

    /** @returns {Promise<boolean>} Whether it is open, if need be after it was opened; never fails. */
    async open() {
        if (this.isOpen) return true;
        if (!native.WebSocket || performance.now() < this.resumeAt) return false;
        this.opening ??= this.connect();
        return this.opening.outcome;
    }

    /** @returns {{socket: ?WebSocket, outcome: Promise<boolean>}} */
    connect() {
        const opening = { socket: null };
        opening.outcome = new Promise((resolve) => {
            // Where the page's policy forbids it, some browsers throw.
            try { opening.socket = new native.WebSocket(this.address); } catch { return resolve(false); }
            const { socket } = opening;
            const timer = setTimeout(() => resolve(false), attempt);
            socket.onopen = () => socket.send(JSON.stringify({ token: this.token }));
            socket.onmessage = ({ data }) => resolve(statusOf(data) === 200);
            socket.onclose = () => resolve(false);
            opening.timer = timer;
        }).then((isOpen) => {
            clearTimeout(opening.timer);
            // Meanwhile it may not be wanted any more.
            const isWanted = this.opening === opening;
            if (isWanted) this.opening = null;
            if (isOpen && isWanted) this.adopt(opening.socket);
            else opening.socket?.close();
            if (!isOpen && isWanted) this.putOff();
            return isOpen && isWanted;
        });
        return opening;
    }

    /** @param {WebSocket} socket One on which the server answers. */
    adopt(socket) {
        this.socket = socket;
        this.pause = 0;
        socket.onmessage = ({ data }) => {
            this.isReceived = true;
            // The answer to it is still to come.
            if (statusOf(data) !== undefined) this.unanswered.shift()?.resolve(responseOf(data));
        };
        socket.onclose = () => { if (this.socket === socket) this.close(); };
    }

    /** None could be had: the way may not carry any. */
    putOff() {
        this.pause = Math.min(pauses.longest, Math.max(pauses.shortest, 2 * this.pause));
        this.resumeAt = performance.now() + this.pause;
    }

    /**
     * Sends what a request would bring; it has to be open.
     *
     * @param {Object} body
     * @param {AbortSignal} [signal] Ends the socket as well: what is answered next would be for something else.
     * @returns {Promise<Response>} What the request would be answered; fails if the socket ends before.
     */
    post(body, signal) {
        return new Promise((resolve, reject) => {
            this.unanswered.push({ resolve, reject });
            this.isReceived = false;
            signal?.addEventListener("abort", () => this.close());
            this.socket.send(JSON.stringify(body));
        });
    }

    /** Closes it; it may be opened again. */
    close() {
        const { socket, unanswered } = this;
        this.opening = null;
        this.socket = null;
        this.unanswered = [];
        socket?.close();
        for (const { reject } of unanswered) reject(new Error("the socket is closed"));
    }
}

/** @param {string} data @returns {?number} The status that an answer has; `null` if it is none, `undefined` if it has none. */
function statusOf(data) {
    try { return JSON.parse(data).status; } catch { return null; }
}

/** @param {string} data An answer. @returns {Response} That as the answer to a request. */
function responseOf(data) {
    const status = statusOf(data);
    const isStatus = Number.isInteger(status) && status >= 200 && status <= 599;
    const { retryAfter } = isStatus ? JSON.parse(data) : {};
    return new Response(data, { status: isStatus ? status : 502, headers: retryAfter ? { "Retry-After": retryAfter } : {} });
}
