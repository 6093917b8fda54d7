// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** A refusal of the server, or no answer at all (status 0). */
export class APIError extends Error {
    /**
     * @param {number} status
     * @param {string} message
     */
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}

/**
 * Asks the server; the cookie says who asks.
 *
 * @param {string} path
 * @param {{method?: string, body?: Object}} [request]
 * @returns {Promise<*>} The answer; `null` if it has no content.
 * @throws {APIError}
 */
export async function ask(path, { method = "GET", body } = {}) {
    let response;
    try {
        response = await fetch(path, {
            method,
            headers: body ? { "Content-Type": "application/json" } : {},
            body: body && JSON.stringify(body),
        });
    } catch {
        throw new APIError(0, "The server does not answer.");
    }
    const answer = response.status === 204 ? null : await response.json().catch(() => null);
    if (!response.ok) throw new APIError(response.status, answer?.error?.message ?? `HTTP ${response.status}`);
    return answer;
}

/**
 * Takes the token out of the address and the history; a session beside it is what is shown.
 *
 * @returns {?string} The token; `null` if there is none.
 */
export function tokenFromAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const token = given.get("token");
    if (!token) return null;
    const session = given.get("session");
    const place = session ? `#/session/${encodeURIComponent(session)}` : "";
    history.replaceState(null, "", location.pathname + place);
    return token;
}

/** @returns {Promise<string[]>} What whoever is logged in may do; nothing if no one is. */
export const scopes = async () => (await ask("/v1/login")).scopes;

/** @returns {Promise<boolean>} Whether someone is logged in. */
export const isLoggedIn = async () => (await scopes()).length > 0;

/**
 * @param {string} token
 * @returns {Promise<{scopes: string[]}>}
 */
export const logIn = (token) => ask("/v1/login", { method: "POST", body: { token } });

/** @returns {Promise<null>} */
export const logOut = () => ask("/v1/logout", { method: "POST" });

const pageLength = 10_000;

/**
 * Samples of a session.
 *
 * @param {string} session
 * @param {Object<string, *>} window What is asked for, by the API's parameters such as `from`; `null` and `undefined`
 *   do not narrow.
 * @returns {Promise<Object[]>}
 */
export async function samples(session, window) {
    const given = Object.entries(window).filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => [name, typeof value === "number" ? Math.floor(value) : value]);
    const found = [];
    let cursor = "";
    for (;;) {
        const query = new URLSearchParams([...given, ["limit", pageLength]]);
        if (cursor) query.set("cursor", cursor);
        const page = await ask(`/v1/sessions/${encodeURIComponent(session)}/samples?${query}`);
        found.push(...page.samples);
        if (page.samples.length < pageLength) return found;
        cursor = page.next;
    }
}

/**
 * What happened in a session, up to the newest.
 *
 * @param {string} session
 * @returns {Promise<Object[]>}
 */
export async function timeline(session) {
    const found = [];
    let cursor = "";
    for (;;) {
        const query = new URLSearchParams({ limit: 2000 });
        if (cursor) query.set("cursor", cursor);
        const page = await ask(`/v1/sessions/${encodeURIComponent(session)}/timeline?${query}`);
        found.push(...page.events);
        // A page may end early because of its size.
        if (page.events.length === 0) return found;
        cursor = page.next;
    }
}

/** Notifies of its `over`: no one is logged in any more. */
export const login = new EventTarget();

/** How long after a refusal live data is asked for again, ms, at least: not by all pages at once. */
const pause = 5000;

/** What is stored from now on. */
class Feed {
    /**
     * @param {string} address
     * @param {Object<string, function(Object): void>} handlers
     */
    constructor(address, handlers) {
        Object.assign(this, { address, handlers, wasLost: false, last: 0, isOver: false });
        this.open();
    }

    open() {
        this.source = new EventSource(this.address);
        this.source.onopen = () => this.opened();
        this.source.onerror = () => this.lost();
        for (const type of ["sample", "event", "alert"]) {
            this.source.addEventListener(type, (message) => this.take(type, message));
        }
    }

    opened() {
        this.handlers.state?.(true);
        if (this.wasLost) this.handlers.again?.();
        this.wasLost = false;
        this.last = 0;
    }

    lost() {
        this.wasLost = true;
        this.handlers.state?.(false);
        // Browsers come back by themselves after all but a refusal.
        if (this.source.readyState !== EventSource.CLOSED) return;
        this.timer = setTimeout(() => this.reopen(), pause * (1 + Math.random() / 2));
    }

    /** An `EventSource` does not say why it was refused. */
    async reopen() {
        const status = await ask("/v1/sessions?limit=1").then(() => 200, (error) => error.status);
        if (this.isOver) return;
        if (status === 401) login.dispatchEvent(new Event("over"));
        else this.open();
    }

    /**
     * @param {string} type
     * @param {MessageEvent} message
     */
    take(type, message) {
        const number = Number(message.lastEventId);
        // A slow reader's messages are skipped, and seen by their numbers.
        if (this.last > 0 && number > this.last + 1) this.handlers.again?.();
        this.last = number;
        this.handlers[type]?.(JSON.parse(message.data));
    }

    close() {
        this.isOver = true;
        clearTimeout(this.timer);
        this.source.close();
    }
}

/**
 * Hears what is stored from now on; comes back by itself when the connection is lost, or was refused.
 *
 * @param {?string} session `null` for all.
 * @param {Object<string, function(Object): void>} handlers By `sample`, `event` and `alert`; `again` after a
 *   connection that was lost, when something may have been missed; `state` with whether it is connected.
 * @returns {function(): void} Stops.
 */
export function listen(session, handlers) {
    const feed = new Feed(`/v1/live${session ? `?session=${encodeURIComponent(session)}` : ""}`, handlers);
    return () => feed.close();
}
