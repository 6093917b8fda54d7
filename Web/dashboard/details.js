// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { h } from "../shared/dom.js";
import { clock, eventWords, orDash } from "./words.js";

const plain = (value) => String(value);
const integer = (value) => String(Math.round(value));
const fixed = (digits) => (value) => value.toFixed(digits);
const kilo = (value) => (value / 1000).toFixed(1);
const milli = (value) => (value * 1000).toFixed(1);

/** What is told of each layer of a sender, by its place from the smallest on. */
const layers = [0, 1, 2].flatMap((index) => {
    const name = `layer ${index + 1}`;
    const of = (value) => (sample) => {
        const layer = sample.video?.layers?.[index];
        return layer && value(layer);
    };
    return [
        [`${name} sent`, of(({ enabled, sending }) => (enabled === false ? "off" : sending)),
            (value) => (value === true ? "yes" : value === false ? "no" : value)],
        [`${name} size`, of(({ width, height }) => (height === undefined ? undefined : `${width}×${height}`)), plain],
        [`${name} frames a second`, of(({ frameRate }) => frameRate), fixed(1)],
        [`${name} bitrate, kbit/s`, of(({ bitrate }) => bitrate), kilo],
    ];
});

const media = (name) => [
    [`${name} bitrate, kbit/s`, (sample) => sample[name]?.bitrate, kilo],
    [`${name} packets`, (sample) => sample[name]?.packets, integer],
    [`${name} packets lost`, (sample) => sample[name]?.packetsLost, integer],
    [`${name} bytes`, (sample) => sample[name]?.bytes, integer],
    [`${name} jitter, ms`, (sample) => sample[name]?.jitter, milli],
    [`${name} MOS`, (sample) => sample[name]?.mos, fixed(2)],
];

/** Every number of a sample: name, value, how it is written. */
const numbers = [
    ["condition", (sample) => sample.networkCondition, plain],
    ["reason", (sample) => sample.networkConditionReason, plain],
    ["publisher’s condition", (sample) => sample.remoteNetworkCondition, plain],
    ["publisher’s reason", (sample) => sample.remoteNetworkConditionReason, plain],
    ["blamed", (sample) => sample.networkDegradationSource, plain],
    ["cause", (sample) => sample.diagnosis?.cause, plain],
    ["direction", (sample) => sample.diagnosis?.direction, plain],
    ["side", (sample) => sample.diagnosis?.side, plain],
    ["severity, 1 to 4", (sample) => sample.diagnosis?.severity, plain],
    ["estimate, kbit/s", (sample) => sample.connectionEstimatedBandwidth, kilo],
    ["wanted, kbit/s", (sample) => sample.bandwidthDemand, kilo],
    ["network loss, %", (sample) => sample.fractionLost, (value) => (value * 100).toFixed(2)],
    ["round trip time, ms", (sample) => sample.roundTripTime, milli],
    ...media("video"),
    ["width", (sample) => sample.video?.width, integer],
    ["height", (sample) => sample.video?.height, integer],
    ["frames a second", (sample) => sample.video?.frameRate, fixed(1)],
    ...layers,
    ["frames sent", (sample) => sample.video?.framesSent, integer],
    ["limited by", (sample) => sample.video?.qualityLimitationReason, plain],
    ["freezes", (sample) => sample.video?.freezeCount, integer],
    ["frozen, ms", (sample) => sample.video?.totalFreezesDuration, integer],
    ["pauses", (sample) => sample.video?.pauseCount, integer],
    ["paused, ms", (sample) => sample.video?.totalPausesDuration, integer],
    ...media("audio"),
    ["audio level", (sample) => sample.audio?.audioLevel, fixed(3)],
];

/**
 * All numbers of one second, side by side for everybody who measured it.
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
