// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { ask, listen, samples, timeline } from "./api.js";
import { Cards } from "./cards.js";
import { Charts, loadChart } from "./charts.js";
import { logLines, secondTable } from "./details.js";
import { debounced, h } from "./dom.js";
import { showImpairment } from "./impair.js";
import { nearest } from "./series.js";
import { counted, date, duration } from "./words.js";

/** Choices of how much time is shown, minutes; `null` for all. */
const spans = [[2, "2 min"], [10, "10 min"], [60, "1 hour"], [null, "all"]];
const second = 1000;
/** Least time that is shown, ms. */
const leastSpan = 60 * second;
/** How much of everybody's samples is loaded and kept, ms; of the flow that is shown, all that is shown. */
const recent = 60 * second;
/** Flows that ended before are shown as they were last; of more of them nobody would read it. */
const endLimit = 24;

/** What is known of a session. */
export class CallState {
    /**
     * @param {string} session
     * @param {Object<string, string>} table Sentences for diagnoses.
     */
    constructor(session, table) {
        this.session = session;
        this.table = table;
        this.summary = null;
        this.entries = new Map();
        /** Since when the samples of a flow are loaded without a gap, by its key, Unix ms. */
        this.coverage = new Map();
        this.events = [];
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
        return `sends ${stream?.hasVideo === false ? "sound" : stream?.videoType ?? "a stream"}`;
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

    /** Gives up old samples of flows that are not shown. */
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

/**
 * @param {Object} flow
 * @returns {string}
 */
const keyOf = ({ connection, stream, role }) => `${connection} ${stream} ${role}`;

/**
 * @param {string} session
 * @returns {string} Of the page about the call.
 */
const reportAddress = (session) => `/v1/sessions/${encodeURIComponent(session)}/report`;

/** A session's page. */
class SessionPage {
    /**
     * @param {HTMLElement} page
     * @param {CallState} state
     * @param {?Function} Chart
     * @param {function(string): void} say
     */
    constructor(page, state, Chart, say) {
        Object.assign(this, { page, state, say });
        this.span = 10;
        this.picked = null;
        this.cards = new Cards((key) => this.select(key));
        const step = (seconds) => this.pick((this.picked ?? this.range().to) + seconds * second);
        this.charts = new Charts(Chart, (time) => this.pick(time), step);
        this.heading = h("p", { class: "facts" });
        this.chartTitle = h("h2");
        this.spans = h("div", { class: "spans", role: "group", "aria-label": "Time shown" },
            spans.map(([minutes, text]) => h("button", {
                type: "button", data: { minutes: String(minutes) }, onclick: () => this.setSpan(minutes),
            }, text)));
        this.numbers = h("div");
        this.log = h("ol", { class: "log panel", tabindex: "0", "aria-label": "What happened, the newest first" });
        this.impairment = h("div");
        this.refresh = debounced(300, () =>
            this.loadSummary().then(() => this.loadShown()).catch((error) => say(error.message)));
    }

    /** Loads all there is, shows it, and follows what comes. */
    async open() {
        await this.loadSummary();
        if (this.state.isOver) this.span = null;
        await this.load();
        this.page.replaceChildren(
            h("nav", {}, h("a", { href: "#/" }, "← All sessions")),
            h("h1", {}, this.state.session), this.heading,
            h("p", {}, h("a", { class: "report", href: reportAddress(this.state.session), target: "_blank", rel: "noopener" },
                "Report"), h("span", { class: "quiet" }, " – the call on one page, to send or to print")),
            this.cards.element, this.impairment,
            h("div", { class: "charthead" }, this.chartTitle, this.spans),
            h("p", { class: "legend" }, key("warning"), key("critical"), key("freeze"), key("pause"),
                h("span", { class: "quiet" }, "Click a second to see all its numbers.")),
            this.charts.element, this.numbers, h("h2", {}, "What happened"), this.log);
        this.render();
        this.renderLog();
        if (this.state.isOver) return;
        this.unlisten = listen(this.state.session, {
            sample: (entry) => this.take(entry),
            event: (event) => this.happened(event),
            again: () => this.load().catch((error) => this.say(error.message)),
            state: (isConnected) => this.say(isConnected ? "live" : "connecting…"),
        });
        this.timer = setInterval(() => this.render(), second);
        this.endImpairment = await showImpairment(this.impairment, this.state);
    }

    /** Ends what goes on. */
    close() {
        this.unlisten?.();
        this.endImpairment?.();
        clearInterval(this.timer);
        this.charts.close();
    }

    async loadSummary() {
        this.state.summary = await ask(`/v1/sessions/${encodeURIComponent(this.state.session)}`);
        if (!this.state.selected) this.state.selected = this.firstFlow();
    }

    /** Loads what is to be seen, and no more: how everybody is now or was last, and what the charts show. */
    async load() {
        const { state } = this;
        const { lastTime } = state.summary.overview;
        if (!state.selected) state.selected = this.firstFlow();
        state.coverage.clear();
        const [found, events] = await Promise.all([
            samples(state.session, { from: lastTime - recent }), timeline(state.session), this.loadEnds(lastTime - recent),
        ]);
        state.add(found);
        state.events = events;
        if (!state.isOver && found.length > 0) {
            state.offset = found.reduce((last, { time }) => Math.max(last, time), -Infinity) - Date.now();
        }
        await this.loadShown();
        this.renderLog();
    }

    /**
     * Loads how flows were last that ended before a time.
     *
     * @param {number} before Unix ms
     */
    async loadEnds(before) {
        const { state } = this;
        const ended = state.flows().filter(({ endTime }) => endTime < before).slice(-endLimit);
        await Promise.all(ended.map(async ({ connection, stream, role, endTime }) => {
            const window = { connection, stream, role, from: endTime - 5 * second, to: endTime + second };
            state.add(await samples(state.session, window));
        }));
    }

    /** Loads what the charts show, as far as it is not there. */
    async loadShown() {
        const { state } = this;
        const flow = state.flows().find(({ key: own }) => own === state.selected);
        if (!flow) return;
        const { from } = this.range();
        const covered = state.coverage.get(flow.key) ?? Infinity;
        if (from >= covered) return;
        const { connection, stream, role } = flow;
        const window = { connection, stream, role, from, to: covered === Infinity ? null : covered };
        let found = await samples(state.session, { ...window, observer: "client" });
        if (found.length === 0) found = await samples(state.session, { ...window, observer: "router" });
        state.add(found);
        state.coverage.set(flow.key, from);
    }

    /**
     * Loads the charts' samples and shows them; until then, what is there.
     *
     * @returns {Promise<void>}
     */
    async reload() {
        this.render();
        try {
            await this.loadShown();
        } catch (error) {
            this.say(error.message);
        }
        this.render();
    }

    /** @returns {?string} A subscriber's flow if there is one: it tells most. */
    firstFlow() {
        const flows = this.state.flows();
        const received = flows.find(({ role, endTime }) => role === "subscriber" && endTime === undefined);
        return (received ?? flows[0])?.key ?? null;
    }

    /** @param {Object} entry */
    take(entry) {
        this.state.add([entry]);
        this.state.prune();
        this.state.offset = Math.max(entry.time - Date.now(), this.state.offset - second);
        if (!this.state.flows().some(({ key }) => key === keyOf(entry.flow))) this.refresh();
        this.soon();
    }

    /** @param {Object} event */
    happened(event) {
        this.state.events.push(event);
        this.renderLog();
        if (/^(connection|stream|session)/.test(event.type)) this.refresh();
        this.soon();
    }

    /** Shows how everybody is, a few times a second at most; the charts have their own second. */
    soon() {
        if (this.isSoon) return;
        this.isSoon = true;
        setTimeout(() => {
            this.isSoon = false;
            this.renderCards();
        }, 200);
    }

    /** @returns {{from: number, to: number}} The time that is shown, Unix ms. */
    range() {
        const all = this.state.extent();
        const wanted = this.span === null ? all.from : Math.max(all.from, all.to - this.span * 60 * second);
        return { from: Math.min(wanted, all.to - leastSpan), to: all.to };
    }

    /** @param {?number} minutes */
    setSpan(minutes) {
        this.span = minutes;
        return this.reload();
    }

    /** @param {string} key */
    select(key) {
        this.state.selected = key;
        return this.reload();
    }

    /** @param {?number} time */
    pick(time) {
        const { from, to } = this.range();
        const entry = time === null ? null
            : nearest(this.state.samples(this.state.selected), Math.min(Math.max(time, from), to), 3 * second);
        this.picked = time === null ? null : entry?.time ?? time;
        this.renderNumbers();
        this.render();
    }

    /** Shows the present state. */
    render() {
        this.renderCards();
        const range = this.range();
        this.charts.show(this.state.shown(range), range, this.picked);
    }

    /** Shows how everybody is. */
    renderCards() {
        const { state } = this;
        const { overview } = state.summary;
        this.heading.replaceChildren(
            h("span", { class: state.isOver ? "past" : "live" }, state.isOver ? "over" : "live"),
            ` ${overview.mediaMode} · began ${date(overview.creationTime)} · `,
            duration((overview.endTime ?? state.now()) - overview.creationTime),
            overview.alerts > 0 ? ` · ${counted(overview.alerts, "alert")}` : "");
        this.cards.update(state);
        const flow = state.flows().find(({ key: own }) => own === state.selected);
        this.chartTitle.textContent = flow ? `${state.name(flow.connection)} ${state.flowTitle(flow)}` : "";
        for (const button of this.spans.children) {
            button.setAttribute("aria-pressed", String(button.dataset.minutes === String(this.span)));
        }
    }

    renderLog() {
        this.log.replaceChildren(...logLines(this.state.events, (connection) => this.state.name(connection),
            (time) => this.pick(time)));
    }

    /** Shows all numbers of the picked second, and loads those that are not there. */
    async renderNumbers() {
        const { state, picked } = this;
        if (picked === null) return this.numbers.replaceChildren();
        this.showNumbers();
        try {
            state.add(await samples(state.session, { from: picked - second, to: picked + second }));
        } catch (error) {
            this.say(error.message);
        }
        if (this.picked === picked) this.showNumbers();
    }

    /** Shows what is there of the picked second's numbers. */
    showNumbers() {
        const { state, picked } = this;
        const columns = state.flows().flatMap((flow) => ["client", "router"].map((observer) => ({
            title: `${state.name(flow.connection)} ${state.flowTitle(flow)}, by the ${observer}`,
            sample: nearest(state.entries.get(flow.key)?.[observer] ?? [], picked, 0.6 * second)?.sample,
        }))).filter(({ sample }) => sample);
        this.numbers.replaceChildren(secondTable(picked, columns, () => this.pick(null)));
    }
}

/**
 * @param {string} name
 * @returns {HTMLElement}
 */
const key = (name) => h("span", {}, h("i", { class: "swatch", data: { kind: name } }), name);

/**
 * Shows a session.
 *
 * @param {HTMLElement} page
 * @param {string} session
 * @param {function(string): void} say
 * @returns {Promise<function(): void>} Stops it.
 */
export async function showSession(page, session, say) {
    const [table, Chart] = await Promise.all([ask("/web/sentences.json"), loadChart()]);
    const own = new SessionPage(page, new CallState(session, table), Chart, say);
    try {
        await own.open();
    } catch (error) {
        own.close();
        throw error;
    }
    return () => own.close();
}
