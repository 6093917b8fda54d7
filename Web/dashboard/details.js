// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { h } from "../shared/dom.js";
import { valueAt } from "./series.js";
import { figures, layerFigures, layerLimit } from "./vocabulary.js";
import { clock, eventWords, label, orDash, withUnit, written } from "./words.js";

/** A number of a sample: name, value, how it is written. */
const row = ({ label: name, path, unit, words }) => [
    words ? name : withUnit(name, unit),
    (sample) => valueAt(sample, path),
    (value) => (words ? label(words, value) : written(value, unit)),
];

const texts = (name, path) => [name, (sample) => valueAt(sample, path), String];

/** What is known of one of a sender's layers, by its place from the smallest on. */
const layer = (index) => {
    const [name, path] = [`layer ${index + 1}`, ["video", "layers", index]];
    return [
        texts(`${name} id`, [...path, "rid"]),
        [`${name} sent`, (sample) => {
            const { enabled, sending } = valueAt(sample, path) ?? {};
            return enabled === false ? "off" : { true: "yes", false: "no" }[sending];
        }, String],
        ...layerFigures.map((figure) =>
            row({ ...figure, label: `${name} ${figure.label}`, path: [...path, ...figure.path] })),
    ];
};

/** Every number of a sample. */
const numbers = [
    ...figures.map(row),
    texts("video codec", ["video", "codec"]), texts("audio codec", ["audio", "codec"]),
    ...Array.from({ length: layerLimit }, (_, index) => layer(index)).flat(),
];

/**
 * All numbers of one second, side by side for everyone who measured it.
 *
 * @param {number} time Unix ms
 * @param {{title: string, sample: Object}[]} columns
 * @param {function(): void} close
 * @returns {HTMLElement}
 */
export function secondTable(time, columns, close) {
    const rows = numbers.filter(([, value]) => columns.some(({ sample }) => value(sample) !== undefined));
    return h("section", { class: "panel second", "aria-live": "polite" },
        h("header", {}, h("h2", {}, clock(time)), h("button", { type: "button", onclick: close }, "Close")),
        columns.length === 0 ? h("p", { class: "quiet" }, "Nothing was measured in this second.") : null,
        h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "All numbers of this second" },
            h("table", {},
                h("thead", {}, h("tr", {}, h("td"), columns.map(({ title }) => h("th", { scope: "col" }, title)))),
                h("tbody", {}, rows.map(([name, value, write]) => h("tr", {}, h("th", { scope: "row" }, name),
                    columns.map(({ sample }) => h("td", {}, orDash(value(sample), write)))))))));
}

/** Most lines of the log that are shown. */
const logLimit = 300;

/**
 * The newest events first.
 *
 * @param {Object[]} events In order of time.
 * @param {function(string): string} name Of a connection.
 * @param {function(number): void} pick Gets the time of an event that was clicked.
 * @returns {HTMLElement[]}
 */
export function logLines(events, name, pick) {
    return events.slice(-logLimit).reverse().map((event) =>
        h("li", { class: event.isAlarm ? "alarm" : null },
            h("button", { type: "button", onclick: () => pick(event.time) }, h("time", {}, clock(event.time))),
            h("span", {}, event.connection ? h("b", {}, name(event.connection), " ") : null, eventWords(event),
                event.detail.observer === "router" ? " — seen by the router" : "")));
}
