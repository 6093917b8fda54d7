// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { ask } from "./api.js";
import { h, svg } from "../shared/dom.js";
import { inOrder, timeChoice, visits } from "./pages.js";
import { date, label } from "./words.js";

const [day, hour] = [86_400_000, 3_600_000];
/** The plot's size, SVG units. */
const [width, height, bottom] = [960, 150, 22];
/** What people call a way out of the machine. */
const ways = {
    direct: "without a TURN server", udp: "TURN over UDP", tcp: "TURN over TCP", tls: "TURN over TLS",
    relayed: "TURN, transport unknown", unknown: "unknown",
};

/** @param {{minutes: number, bad: number}} count @returns {number} */
const share = ({ minutes, bad }) => (minutes > 0 ? bad / minutes : 0);

/** @param {number} value `0...1` @returns {string} */
const percent = (value) => `${(100 * value).toFixed(value < 0.0995 ? 1 : 0)} %`;

/**
 * The minutes of each period, and how many of them were bad.
 *
 * @param {Object[]} periods
 * @param {{from: number, to: number, length: number}} range Unix ms; ms.
 * @returns {Element}
 */
function bars(periods, { from, to, length }) {
    const most = Math.max(1, ...periods.map(({ count }) => count.minutes));
    const first = Math.floor(from / length) * length;
    const step = width / Math.max(1, Math.ceil((to - first) / length));
    const rise = (minutes) => (height - bottom - 4) * minutes / most;
    const bar = (time, minutes, kind, title) => svg("rect", {
        x: (time - first) / length * step + step * 0.1, width: Math.max(1, step * 0.8),
        y: height - bottom - rise(minutes), height: rise(minutes), class: kind,
    }, svg("title", {}, title));
    const ends = [[0, "start", from], [width, "end", to]];
    return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "periods", role: "img",
        "aria-label": "Minutes over time, and the bad ones among them" },
    periods.map(({ time, count }) => {
        const title = `${date(time)}: ${count.minutes} minutes, ${count.bad} bad`;
        return [bar(time, count.minutes, "all", title), bar(time, count.bad, "bad", title)];
    }),
    ends.map(([x, anchor, time]) => svg("text", { x, y: height - 5, "text-anchor": anchor }, date(time))));
}

/**
 * @param {string} title
 * @param {Array<{kind: string, count: {minutes: number, bad: number}}>} list
 * @param {?{groups: number, count: {minutes: number, bad: number}}} more Those that the list omits.
 * @param {Object<string, string>} [words] What people call the kinds.
 * @returns {?HTMLElement}
 */
function groups(title, list, more, words = {}) {
    if (list.length === 0) return null;
    const rows = list.map(({ kind, count }) => [Object.hasOwn(words, kind) ? words[kind] : kind, count]);
    if (more) rows.push([`${more.groups} more`, more.count]);
    return h("section", { class: "panel" }, h("h2", {}, title), h("div", { class: "scroll" }, h("table", {},
        h("thead", {}, h("tr", {}, ["", "minutes", "bad", "share"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, rows.map(([name, count]) => h("tr", {}, h("th", { scope: "row" }, name),
            h("td", {}, String(count.minutes)), h("td", {}, String(count.bad)), h("td", {}, percent(share(count)))))))));
}

/**
 * Bad minutes by what most of each was.
 *
 * @param {string} title
 * @param {Object<string, number>} counts
 * @param {function(string): string} name
 * @param {number} all
 * @returns {?HTMLElement}
 */
function reasons(title, counts, name, all) {
    const rows = Object.entries(counts).sort((left, right) => right[1] - left[1]);
    if (rows.length === 0) return null;
    return h("section", { class: "panel" }, h("h2", {}, title), h("div", { class: "scroll" }, h("table", {},
        h("thead", {}, h("tr", {}, ["", "bad minutes", "of all bad ones"].map((one) => h("th", { scope: "col" }, one)))),
        h("tbody", {}, rows.map(([word, count]) => h("tr", {}, h("th", { scope: "row" }, name(word)),
            h("td", {}, String(count)), h("td", {}, percent(all > 0 ? count / all : 0))))))));
}

/** @param {Object} call */
const worstRow = ({ session, count }) => h("tr", {},
    h("th", { scope: "row" }, h("a", { href: `#/session/${encodeURIComponent(session)}` }, session)),
    h("td", {}, String(count.minutes)), h("td", {}, String(count.bad)), h("td", {}, percent(share(count))));

/**
 * @param {{before: Object, after: Object, difference: ?number, low: ?number, high: ?number, chance: ?number}} found
 * @returns {string}
 */
export function comparisonWords({ before, after, difference, low, high, chance }) {
    const of = ({ calls, bad }) => `${bad} of ${calls} parts in calls`;
    const counts = `Bad: ${of(after)}; before: ${of(before)}`;
    if (difference === undefined) return `${counts}: too few to compare.`;
    const points = (value) => `${value >= 0 ? "+" : "−"}${(100 * Math.abs(value)).toFixed(1)}`;
    const verdict = chance >= 0.05 ? "no significant change" : difference > 0 ? "worse" : "better";
    return `${counts}: ${verdict} (${points(difference)} percentage points, 95 %: `
        + `${points(low)} to ${points(high)}; by chance alone in ${percent(chance)} of such comparisons).`;
}

/**
 * A form for two times to be compared.
 *
 * @param {function(URLSearchParams): Promise<void>} compare
 * @returns {HTMLElement}
 */
function times(compare) {
    const local = (time) => {
        const shifted = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
        return shifted.toISOString().slice(0, 16);
    };
    const now = Date.now();
    const field = (id, time) => h("input", { type: "datetime-local", id, value: local(time), required: true });
    const fields = {
        beforeFrom: field("beforeFrom", now - 14 * day), beforeTo: field("beforeTo", now - 7 * day),
        from: field("from", now - 7 * day), to: field("to", now),
    };
    const submit = (event) => {
        event.preventDefault();
        compare(new URLSearchParams(Object.entries(fields).map(([name, { value }]) => [name, new Date(value).getTime()])));
    };
    return h("form", { class: "filters", onsubmit: submit },
        h("label", { for: "beforeFrom" }, "Before: from"), fields.beforeFrom, h("label", { for: "beforeTo" }, "to"),
        fields.beforeTo, h("label", { for: "from" }, "After: from"), fields.from, h("label", { for: "to" }, "to"), fields.to,
        h("button", { type: "submit" }, "Compare"));
}

/**
 * All calls of a time together.
 *
 * @param {HTMLElement} page
 * @returns {Promise<function(): void>} Stops it.
 */
export async function showFleet(page) {
    const content = h("div");
    const verdict = h("p", { id: "comparison" });
    const take = inOrder();
    const compare = (query) => {
        const words = ask(`/v1/fleet/comparison?${query}`).then(comparisonWords, (error) => error.message);
        return take(words, (text) => { verdict.textContent = text; });
    };
    const read = async (from, to) => {
        const by = to - from > 3 * day ? "day" : "hour";
        const query = new URLSearchParams({ from, to, by });
        const [fleet] = await Promise.all([
            ask(`/v1/fleet?${query}`), compare(new URLSearchParams({ from, to })),
        ]);
        return () => show(fleet, query, { from, to, by });
    };
    const show = (fleet, query, { from, to, by }) => {
        const { total, more } = fleet;
        content.replaceChildren(
            h("p", { class: "facts" }, `${total.minutes} minutes of streams, of which ${total.bad} were bad (${percent(share(total))}). `,
                h("a", { href: `/v1/fleet?${query}&format=csv`, download: "fleet.csv" }, "CSV")),
            h("figure", { class: "panel" }, h("figcaption", {}, `Minutes by ${by} `, h("small", {}, "the bad ones below")),
                bars(fleet.periods, { from, to, length: by === "day" ? day : hour })),
            h("div", { class: "groups" }, ...[
                reasons("What was wrong", fleet.causes, (word) => label("Cause", word), total.bad),
                reasons("On whose side", fleet.sides, (word) => label("NetworkDegradationSource", word), total.bad),
                groups("By browser or software", fleet.clients, more.clients),
                groups("By the app’s version", fleet.versions, more.versions),
                groups("By path", fleet.turn, more.turn, ways),
                groups("By kind of network", fleet.networks, more.networks),
            ].filter(Boolean)),
            fleet.worst.length === 0 ? "" : h("section", {}, h("h2", {}, "Worst calls"), h("table", { class: "sessions" },
                h("thead", {}, h("tr", {}, ["Session", "Minutes", "Bad", "Share"].map((name) => h("th", { scope: "col" }, name)))),
                h("tbody", {}, fleet.worst.map(worstRow)))));
    };
    const time = timeChoice(read);
    await time.load();
    page.replaceChildren(visits("fleet"), h("h1", {}, "All calls"), time.element, content,
        h("section", {}, h("h2", {}, "What changed"), verdict, times(compare)));
    return () => {};
}
