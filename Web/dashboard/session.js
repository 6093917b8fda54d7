// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { Call } from "./call.js";
import { Cards } from "./cards.js";
import { Charts, loadChart } from "./charts.js";
import { logLines, secondTable } from "./details.js";
import { debounced, h } from "../shared/dom.js";
import { Findings } from "./findings.js";
import { showImpairment } from "./impair.js";
import { nearest } from "./series.js";
import { counted, date, duration } from "./words.js";

/** Choices of how much time is shown, minutes; `null` for all. */
const spans = [[2, "2 min"], [10, "10 min"], [60, "1 hour"], [null, "all"]];
const second = 1000;
/** Least time that is shown, ms. */
const leastSpan = 60 * second;

/**
 * @param {string} session
 * @returns {string} Of the page about the call.
 */
const reportAddress = (session) => `/v1/sessions/${encodeURIComponent(session)}/report`;

/** A session's page. */
class SessionPage {
    /**
     * @param {HTMLElement} page
     * @param {Call} call
     * @param {?Function} Chart
     * @param {function(string): void} say
     */
    constructor(page, call, Chart, say) {
        Object.assign(this, { page, call, say });
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
        this.findings = new Findings(call);
        this.refresh = debounced(300, () =>
            call.loadSummary().then(() => this.loadShown()).catch((error) => say(error.message)));
    }

    /** Loads all there is, shows it, and follows what comes. */
    async open() {
        await this.call.loadSummary();
        if (this.call.isOver) this.span = null;
        await this.load();
        this.page.replaceChildren(
            h("nav", {}, h("a", { href: "#/" }, "← All sessions")),
            h("h1", {}, this.call.session), this.heading,
            h("p", {}, h("a", { class: "report", href: reportAddress(this.call.session), target: "_blank", rel: "noopener" },
                "Report"), h("span", { class: "quiet" }, " – the call on one page, to send or to print")),
            this.cards.element, this.impairment,
            h("div", { class: "charthead" }, this.chartTitle, this.spans),
            h("p", { class: "legend" }, key("warning"), key("critical"), key("freeze"), key("pause"),
                h("span", { class: "quiet" }, "Click a second to see all its numbers.")),
            this.charts.element, this.numbers, this.findings.element, h("h2", {}, "What happened"), this.log);
        this.render();
        this.renderLog();
        this.findings.load();
        if (this.call.isOver) return;
        this.unfollow = this.call.follow({
            sample: () => this.soon(),
            event: () => {
                this.renderLog();
                this.soon();
            },
            unknown: () => this.refresh(),
            again: () => this.load().catch((error) => this.say(error.message)),
            state: (isConnected) => this.say(isConnected ? "live" : "connecting…"),
        });
        this.timer = setInterval(() => {
            this.render();
            this.findings.load();
        }, second);
        this.endImpairment = await showImpairment(this.impairment, this.call);
    }

    /** Ends what is running. */
    close() {
        this.unfollow?.();
        this.endImpairment?.();
        clearInterval(this.timer);
        this.charts.close();
    }

    /** Loads what is to be seen, and no more. */
    async load() {
        await this.call.load();
        await this.loadShown();
        this.renderLog();
    }

    /** Loads what the charts show, as far as it is not there. */
    loadShown() { return this.call.loadSelected(this.range().from); }

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

    /** Shows how everyone is, a few times a second at most; the charts have their own second. */
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
        const all = this.call.extent();
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
        this.call.selected = key;
        return this.reload();
    }

    /** @param {?number} time */
    pick(time) {
        const { from, to } = this.range();
        const entry = time === null ? null
            : nearest(this.call.samples(this.call.selected), Math.min(Math.max(time, from), to), 3 * second);
        this.picked = time === null ? null : entry?.time ?? time;
        this.renderNumbers();
        this.render();
    }

    /** Shows the present state. */
    render() {
        this.renderCards();
        const range = this.range();
        this.charts.show(this.call.shown(range), range, this.picked);
    }

    /** Shows how everyone is. */
    renderCards() {
        const { call } = this;
        const { overview } = call.summary;
        this.heading.replaceChildren(
            h("span", { class: call.isOver ? "past" : "live" }, call.isOver ? "over" : "live"),
            ` ${overview.mediaMode} · began ${date(overview.creationTime)} · `,
            duration((overview.endTime ?? call.now()) - overview.creationTime),
            overview.alerts > 0 ? ` · ${counted(overview.alerts, "alert")}` : "");
        this.cards.update(call);
        const flow = call.flow();
        this.chartTitle.textContent = flow ? `${call.name(flow.connection)} ${call.flowTitle(flow)}` : "";
        for (const button of this.spans.children) {
            button.setAttribute("aria-pressed", String(button.dataset.minutes === String(this.span)));
        }
    }

    renderLog() {
        this.log.replaceChildren(...logLines(this.call.events, (connection) => this.call.name(connection),
            (time) => this.pick(time)));
    }

    /** Shows all numbers of the picked second, and loads those that are not there. */
    async renderNumbers() {
        const { call, picked } = this;
        if (picked === null) return this.numbers.replaceChildren();
        this.showNumbers();
        try {
            await call.loadSecond(picked);
        } catch (error) {
            this.say(error.message);
        }
        if (this.picked === picked) this.showNumbers();
    }

    /** Shows what is there of the picked second's numbers. */
    showNumbers() {
        const columns = this.call.secondAt(this.picked);
        this.numbers.replaceChildren(secondTable(this.picked, columns, () => this.pick(null)));
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
    const own = new SessionPage(page, new Call(session), await loadChart(), say);
    try {
        await own.open();
    } catch (error) {
        own.close();
        throw error;
    }
    return () => own.close();
}
