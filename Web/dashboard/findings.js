// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { ask } from "./api.js";
import { h } from "../shared/dom.js";
import { stars } from "./ratings.js";
import { clock, duration } from "./words.js";

/** How long a running call's findings are shown before they are asked for again, ms. */
const freshness = 60_000;
/** Most findings that are shown, and most costs of one part of a score. */
const [findingLimit, costLimit] = [50, 3];
/** The parts of a score, in their order. */
const parts = ["audio", "video", "connectivity"];

/** @param {number} points @returns {string} */
const whole = (points) => String(Math.round(points));

/**
 * @param {{score: number, costs: Object[]}} part
 * @returns {string} What cost most.
 */
function costs(part) {
    const words = part.costs.slice(0, costLimit).map(({ points, words: what, seconds, first }) =>
        `−${points.toFixed(1)}: ${what}, ${duration(1000 * seconds)} from ${clock(first)}`);
    return words.length > 0 ? words.join("; ") : "nothing";
}

/** What is worth knowing about a call as a whole, and its score. */
export class Findings {
    /** @param {Object} call */
    constructor(call) {
        this.call = call;
        this.element = h("section", { class: "findings" });
        this.askedAt = -Infinity;
    }

    /** Loads what is known by now, unless that was done a moment ago; shows nothing where that cannot be had. */
    async load() {
        if (performance.now() - this.askedAt < freshness) return;
        this.askedAt = performance.now();
        try {
            this.show(await ask(`/v1/sessions/${encodeURIComponent(this.call.session)}/findings`));
        } catch {
            // Asked for again a minute later; the rest of the page says what is wrong with the server.
        }
    }

    /** @param {Object} found */
    show({ score, participants, findings, ratings }) {
        this.element.replaceChildren(...[
            ratings.length === 0 ? null : h("h2", {}, "Participants' ratings"),
            ratings.length === 0 ? null : this.said(ratings),
            score === undefined ? null : h("h2", {}, `Score ${whole(score)} of 100`),
            score === undefined ? null : this.scores(participants),
            findings.length === 0 ? null : h("h2", {}, "Findings"),
            findings.length === 0 ? null : this.list(findings.slice(0, findingLimit)),
        ].filter(Boolean));
    }

    /** @param {Object[]} ratings */
    said(ratings) {
        return h("ol", { class: "finds panel" }, ratings.map(({ connection, time, score, reason, comment }) => h("li", {},
            h("time", {}, clock(time)),
            h("span", {}, h("b", {}, `${this.call.name(connection)} `), h("span", { class: "stars" }, stars(score)),
                reason ? ` ${reason}` : "", comment ? h("q", {}, comment) : ""))));
    }

    /** @param {Object[]} participants */
    scores(participants) {
        const rows = participants.flatMap((one) => parts.filter((name) => one[name]).map((name, index) => h("tr", {},
            h("th", { scope: "row" }, index === 0 ? this.call.name(one.connection) : ""),
            h("td", {}, index === 0 ? whole(one.score) : ""),
            h("td", {}, name), h("td", {}, whole(one[name].score)), h("td", {}, costs(one[name])))));
        return h("div", { class: "panel scroll" }, h("table", {},
            h("thead", {}, h("tr", {}, ["who", "score", "part", "score", "what cost it"].map((name) =>
                h("th", { scope: "col" }, name)))),
            h("tbody", {}, rows)));
    }

    /** @param {Object[]} findings */
    list(findings) {
        return h("ol", { class: "finds panel" }, findings.map((finding) => {
            const flow = finding.flow ? ` ${this.call.flowTitle(finding.flow)}` : "";
            return h("li", { class: finding.severity === "problem" ? "alarm" : null },
                h("time", {}, clock(finding.from)),
                h("span", {}, h("b", {}, `${this.call.name(finding.connection)}${flow} `), finding.sentence,
                    h("br"), h("span", { class: "quiet" }, finding.advice)));
        }));
    }
}
