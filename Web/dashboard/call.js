// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { ask, listen, samples, timeline } from "./api.js";
import { nearest } from "./series.js";

const second = 1000;
/** How much of everyone's samples is loaded and kept, ms; of the flow that is selected, all that is shown. */
const recent = 60 * second;
/** Flows that ended before are shown as they were last; of more of them no one would read it. */
const endLimit = 24;

/**
 * @param {Object} flow
 * @returns {string}
 */
const keyOf = ({ connection, stream, role }) => `${connection} ${stream} ${role}`;

/** What is known of a session, loaded as it is needed and kept up to date. */
export class Call {
    /** @param {string} session */
    constructor(session) {
        this.session = session;
        this.summary = null;
        this.entries = new Map();
        /** The time from which the samples of a flow are loaded without a gap, by its key, Unix ms. */
        this.coverage = new Map();
        this.events = [];
        /** The key of the flow whose charts are shown. */
        this.selected = null;
        /** What to add to this machine's time to have the server's, ms. */
        this.offset = 0;
    }

    /** @returns {boolean} Whether the session has ended. */
    get isOver() { return this.summary.overview.endTime !== undefined; }

    /** @returns {number} The server's time as far as it is known, Unix ms. */
    now() { return Date.now() + this.offset; }

    /** @returns {Object[]} Those who are there first. */
    connections() {
        const gone = (connection) => (connection.leaveTime === undefined ? 0 : 1);
        return [...this.summary.connections].sort((left, right) => gone(left) - gone(right));
    }

    /**
     * @param {string} connection
     * @returns {string}
     */
    name(connection) {
        const found = this.summary.connections.find((one) => one.connection === connection);
        return found?.name ?? found?.participant?.slice(0, 7) ?? connection.slice(0, 7);
    }

    /** @returns {Object[]} Every flow with its key; of those that were begun again the last. */
    flows() {
        const all = this.summary.flows.map(({ flow, creationTime, endTime }) =>
            ({ ...flow, creationTime, endTime, key: keyOf(flow) }));
        return [...new Map(all.map((flow) => [flow.key, flow])).values()];
    }

    /**
     * @param {string} connection
     * @returns {Object[]}
     */
    flowsOf(connection) { return this.flows().filter((flow) => flow.connection === connection); }

    /** @returns {?Object} The selected flow. */
    flow() { return this.flows().find(({ key }) => key === this.selected) ?? null; }

    /** @returns {?string} The key of a subscriber's flow if there is one: it tells most. */
    firstFlow() {
        const flows = this.flows();
        const received = flows.find(({ role, endTime }) => role === "subscriber" && endTime === undefined);
        return (received ?? flows[0])?.key ?? null;
    }

    /**
     * @param {Object} flow
     * @returns {string}
     */
    publisherName(flow) {
        const stream = this.summary.streams.find((one) => one.stream === flow.stream);
        return stream?.connection ? this.name(stream.connection) : "somebody";
    }

    /**
     * @param {Object} flow
     * @returns {string} Such as `receives alice`.
     */
    flowTitle(flow) {
        const stream = this.summary.streams.find((one) => one.stream === flow.stream);
        if (flow.role === "subscriber") return `receives ${this.publisherName(flow)}`;
        return `sends ${stream?.hasVideo === false ? "audio" : stream?.videoType ?? "a stream"}`;
    }

    // MARK: Loading

    /** Loads who and what is there. */
    async loadSummary() {
        this.summary = await ask(`/v1/sessions/${encodeURIComponent(this.session)}`);
        this.selected ??= this.firstFlow();
    }

    /** Loads how everyone is now or was last, and what happened. */
    async load() {
        const since = this.summary.overview.lastTime - recent;
        this.coverage.clear();
        const [found, events] = await Promise.all([
            samples(this.session, { from: since }), timeline(this.session), this.loadEnds(since),
        ]);
        this.add(found);
        this.events = events;
        if (this.isOver || found.length === 0) return;
        this.offset = found.reduce((last, { time }) => Math.max(last, time), -Infinity) - Date.now();
    }

    /**
     * Loads how flows were last that ended before a time.
     *
     * @param {number} before Unix ms
     */
    async loadEnds(before) {
        const ended = this.flows().filter(({ endTime }) => endTime < before).slice(-endLimit);
        await Promise.all(ended.map(async ({ connection, stream, role, endTime }) => {
            const window = { connection, stream, role, from: endTime - 5 * second, to: endTime + second };
            this.add(await samples(this.session, window));
        }));
    }

    /**
     * Loads the selected flow from a time on, as far as it is not there.
     *
     * @param {number} from Unix ms
     */
    async loadSelected(from) {
        const flow = this.flow();
        if (!flow) return;
        const covered = this.coverage.get(flow.key) ?? Infinity;
        if (from >= covered) return;
        const { connection, stream, role } = flow;
        const window = { connection, stream, role, from, to: covered === Infinity ? null : covered };
        let found = await samples(this.session, { ...window, observer: "client" });
        if (found.length === 0) found = await samples(this.session, { ...window, observer: "router" });
        this.add(found);
        this.coverage.set(flow.key, from);
    }

    /**
     * Loads what everyone measured in one second.
     *
     * @param {number} time Unix ms
     */
    async loadSecond(time) {
        this.add(await samples(this.session, { from: time - second, to: time + second }));
    }

    // MARK: Live

    /**
     * Follows what happens from now on.
     *
     * @param {Object<string, function(Object): void>} handlers `sample` and `event` once they are kept, `unknown` when
     *   the summary is out of date, `again` and `state` as of `listen`.
     * @returns {function(): void} Stops.
     */
    follow({ sample, event, unknown, again, state }) {
        return listen(this.session, {
            again, state,
            sample: (entry) => {
                if (!this.take(entry)) unknown();
                sample(entry);
            },
            event: (entry) => {
                this.events.push(entry);
                if (/^(connection|stream|session)/.test(entry.type)) unknown();
                event(entry);
            },
        });
    }

    /**
     * @param {Object} entry
     * @returns {boolean} Whether its flow is known.
     */
    take(entry) {
        this.add([entry]);
        this.prune();
        this.offset = Math.max(entry.time - Date.now(), this.offset - second);
        return this.flows().some(({ key }) => key === keyOf(entry.flow));
    }

    /**
     * Takes samples; those that are there already count once.
     *
     * @param {Object[]} entries
     */
    add(entries) {
        const touched = new Set();
        for (const entry of entries) {
            const key = keyOf(entry.flow);
            if (!this.entries.has(key)) this.entries.set(key, { client: [], router: [] });
            const list = this.entries.get(key)[entry.observer];
            const last = list[list.length - 1];
            list.push(entry);
            if (last && last.time >= entry.time) touched.add(list);
        }
        for (const list of touched) {
            list.sort((left, right) => left.time - right.time);
            const once = list.filter((entry, index) => entry.time !== list[index - 1]?.time);
            list.splice(0, list.length, ...once);
        }
    }

    /**
     * The samples of a flow: the client's own, or the router's if it sends none.
     *
     * @param {?string} key
     * @returns {Object[]}
     */
    samples(key) {
        const lists = this.entries.get(key);
        if (!lists) return [];
        return lists.client.length > 0 ? lists.client : lists.router;
    }

    /**
     * The samples that the charts show, without what is not loaded as a whole.
     *
     * @param {{from: number, to: number}} range Unix ms.
     * @returns {Object[]}
     */
    shown(range) {
        const from = Math.max(range.from - second, this.coverage.get(this.selected) ?? this.now() - recent);
        return this.samples(this.selected).filter(({ time }) => time >= from && time <= range.to);
    }

    /**
     * @param {string} key
     * @param {?number} since Older ones do not count; `null` if all do.
     * @returns {?Object}
     */
    latest(key, since) {
        const list = this.samples(key);
        const last = list[list.length - 1];
        return last && (since === null || last.time >= since) ? last : null;
    }

    /**
     * What everyone measured in one second.
     *
     * @param {number} time Unix ms
     * @returns {{title: string, sample: Object}[]}
     */
    secondAt(time) {
        return this.flows().flatMap((flow) => ["client", "router"].map((observer) => ({
            title: `${this.name(flow.connection)} ${this.flowTitle(flow)}, by the ${observer}`,
            sample: nearest(this.entries.get(flow.key)?.[observer] ?? [], time, 0.6 * second)?.sample,
        }))).filter(({ sample }) => sample);
    }

    /** Gives up old samples of flows that are not selected. */
    prune() {
        const since = this.now() - recent;
        for (const [key, lists] of this.entries) {
            if (key === this.selected) continue;
            for (const list of [lists.client, lists.router]) {
                // Now and then, and never the last one.
                if (list.length < 300) continue;
                const old = list.findIndex(({ time }) => time >= since);
                list.splice(0, old < 0 ? list.length - 1 : old);
                this.coverage.delete(key);
            }
        }
    }

    /** @returns {{from: number, to: number}} The call from its first stream on, Unix ms. */
    extent() {
        const { creationTime, endTime, lastTime } = this.summary.overview;
        const began = this.summary.flows.map((flow) => flow.creationTime);
        const from = began.length > 0 ? Math.min(...began) : creationTime;
        return { from, to: this.isOver ? Math.max(endTime, from) : Math.max(lastTime, this.now()) };
    }
}
