// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { ask } from "./api.js";
import { h, svg } from "../shared/dom.js";
import { timeChoice, visits } from "./pages.js";
import { date, orDash } from "./words.js";

/** Most ratings that are shown. */
const limit = 1000;
/** The plot's size, and the room for what stands at its axes, SVG units. */
const [width, height, left, bottom] = [640, 240, 36, 34];
/** The best rating. */
const best = 5;

/**
 * @param {number} score
 * @returns {string} Such as `★★★☆☆`.
 */
export const stars = (score) => "★".repeat(score) + "☆".repeat(Math.max(0, best - score));

/** @param {number} value @returns {string} */
const two = (value) => value.toFixed(2);

/**
 * @param {{count: number, correlation: ?number, low: ?number, high: ?number}} agreement
 * @returns {string}
 */
export function agreementWords({ count, correlation, low, high }) {
    const of = `${count} rated ${count === 1 ? "call" : "calls"} with a score`;
    if (correlation === undefined) return `Rank correlation: unknown, of ${of}.`;
    return `Rank correlation ${two(correlation)} (95 %: ${two(low)} to ${two(high)}), of ${of}.`;
}

/**
 * Each rating against the score of the same call.
 *
 * @param {Object[]} ratings
 * @returns {Element}
 */
function scatter(ratings) {
    const x = (score) => left + (width - left - 10) * score / 100;
    const y = (rating) => 14 + (height - bottom - 28) * (best - rating) / (best - 1);
    const seen = new Map();
    const points = ratings.filter(({ judged }) => judged !== undefined).map(({ judged, score }) => {
        // What lies on the same place is set apart.
        const place = `${Math.round(judged)} ${score}`;
        const count = seen.get(place) ?? 0;
        seen.set(place, count + 1);
        const shift = count % 2 === 0 ? count / 2 : -(count + 1) / 2;
        return svg("circle", { cx: x(judged), cy: y(score) + Math.max(-10, Math.min(10, 3 * shift)), r: 4, class: "point" });
    });
    const rows = Array.from({ length: best }, (_, index) => index + 1);
    return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "scatter", role: "img",
        "aria-label": `Ratings against scores, of ${points.length} calls` },
    rows.map((row) => [
        svg("line", { x1: left, x2: width - 10, y1: y(row), y2: y(row), class: "grid" }),
        svg("text", { x: left - 10, y: y(row) + 4, "text-anchor": "end" }, String(row)),
    ]),
    [0, 20, 40, 60, 80, 100].map((score) =>
        svg("text", { x: x(score), y: height - 18, "text-anchor": "middle" }, String(score))),
    svg("text", { x: (left + width) / 2, y: height - 3, "text-anchor": "middle" }, "score by the rules"),
    points);
}

/**
 * @param {Object} rating
 * @returns {HTMLElement}
 */
function row(rating) {
    return h("tr", {},
        h("td", {}, h("a", { href: `#/session/${encodeURIComponent(rating.session)}` }, rating.session)),
        h("td", { data: { title: "When" } }, date(rating.time)),
        h("td", { data: { title: "Who" } }, rating.name ?? rating.participant?.slice(0, 7) ?? "–"),
        h("td", { data: { title: "Rating" } }, h("span", { class: "stars", title: `${rating.score} of ${best}` }, stars(rating.score))),
        h("td", { data: { title: "Score" } }, orDash(rating.judged, (score) => String(Math.round(score)))),
        h("td", { data: { title: "Why" } }, [rating.reason, rating.comment].filter(Boolean).join(" – ")));
}

/**
 * What people say of their calls, held against the scores by the rules.
 *
 * @param {HTMLElement} page
 * @returns {Promise<function(): void>} Stops it.
 */
export async function showRatings(page) {
    const content = h("div");
    const read = async (from, to) => {
        const query = new URLSearchParams({ limit, from, to });
        const { ratings, agreement, next } = await ask(`/v1/ratings?${query}`);
        return () => show(query, ratings, agreement, next);
    };
    const show = (query, ratings, agreement, next) => {
        if (ratings.length === 0) {
            content.replaceChildren(h("p", { class: "quiet" }, "No one has rated a call in this time."));
            return;
        }
        content.replaceChildren(
            h("div", { class: "panel" }, scatter(ratings), h("p", { class: "agreement" }, agreementWords(agreement))),
            h("p", {}, h("a", { href: `/v1/ratings?${query}&format=csv`, download: "ratings.csv" }, "CSV")),
            h("table", { class: "sessions" },
                h("thead", {}, h("tr", {}, ["Session", "When", "Who", "Rating", "Score", "Why"].map((name) =>
                    h("th", { scope: "col" }, name)))),
                h("tbody", {}, ratings.map(row))),
            next ? h("p", { class: "quiet" }, `Only the newest ${limit} are shown.`) : "");
    };
    const time = timeChoice(read);
    await time.load();
    page.replaceChildren(visits("ratings"), h("h1", {}, "Ratings"), time.element, content);
    return () => {};
}
