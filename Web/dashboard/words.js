// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import {
    conditionLevels, endings, fallbackStates, labels, levels, origins, sentences, units,
} from "./vocabulary.js";

/**
 * What people call a word; itself, if it is one that this version does not know.
 *
 * @param {string} vocabulary
 * @param {?string} word
 * @returns {string}
 */
export const label = (vocabulary, word) => labels[vocabulary][word] ?? word ?? "";

/**
 * What people call a cause or a reason; nothing where nothing is wrong.
 *
 * @param {string} vocabulary
 * @param {?string} word
 * @returns {string}
 */
export const trouble = (vocabulary, word) => (word === "none" ? "" : label(vocabulary, word));

/**
 * Why someone or something is gone.
 *
 * @param {?string} reason
 * @returns {string} In brackets, with a space before; empty where there is nothing to say.
 */
export function endingWords(reason) {
    return bracketed(reason in endings ? endings[reason] : reason);
}

/**
 * @param {number} count
 * @param {string} noun
 * @returns {string} Such as `1 alert` or `2 alerts`.
 */
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * A sample's signal bars: the lowest network quality level of its media, or what its condition is worth where the
 * levels are not kept.
 *
 * @param {?Object} sample
 * @returns {?number} 0 to 5; `null` if not known.
 */
export function bars(sample) {
    const known = [sample?.levels?.audio?.level, sample?.levels?.video?.level]
        .map((level) => levels[level] ?? null).filter((level) => level !== null);
    if (known.length > 0) return Math.min(...known);
    return conditionLevels[sample?.networkCondition] ?? null;
}

/**
 * The sentence for a diagnosis.
 *
 * @param {?{cause: string, direction: ?string, side: ?string}} diagnosis
 * @returns {string}
 */
export function sentence(diagnosis) {
    if (!diagnosis) return "";
    // What the table says to do is for those who look for something that is wrong.
    if (diagnosis.cause === "none") return "Nothing is wrong.";
    const { cause, direction, side } = diagnosis;
    const places = [[direction, side], [side], [direction], []].filter((place) => place.every(Boolean));
    return places.map((place) => sentences[[cause, ...place].join(".")]).find(Boolean) ?? "";
}

/** The other side: a publisher's comparison of its paths names the side as its subscriber sees it. */
const reversed = { local: "remote", remote: "local" };

/**
 * The side that is to blame, as who measured it sees it.
 *
 * @param {?Object} sample
 * @param {string} role
 * @returns {?string}
 */
export function side(sample, role) {
    const { diagnosis, networkDegradationSource: source } = sample ?? {};
    if (diagnosis?.side || !source) return diagnosis?.side ?? null;
    return role === "publisher" ? reversed[source] ?? source : source;
}

/**
 * Who is to blame, in plain words.
 *
 * @param {?Object} sample
 * @param {string} role
 * @param {{own: string, publisher: string}} names Of the participant who measured, and of the stream's publisher.
 * @returns {string} Empty if no one is.
 */
export function blame(sample, role, names) {
    const diagnosis = sample?.diagnosis;
    const origin = origins[diagnosis?.cause];
    if (!origin) return "";
    if (origin === "device") {
        return diagnosis.side === "remote" ? `${names.publisher}’s device` : `${names.own}’s device`;
    }
    const way = ["uplink", "downlink"].includes(diagnosis.direction)
        ? ` (${label("NetworkDirection", diagnosis.direction)})` : "";
    switch (side(sample, role)) {
        case "local": return `${names.own}’s network${way}`;
        case "remote":
            return role === "publisher" ? "the receiver’s network" : `${names.publisher}’s network (uplink)`;
        case "bothOrUnclear": return label("NetworkDegradationSource", "bothOrUnclear");
        case "server": return label("NetworkDegradationSource", "server");
        case "none": return "";
        default: return role === "publisher" ? `${names.own}’s network${way}` : "";
    }
}

/**
 * @param {number} time Unix ms
 * @returns {string}
 */
export const clock = (time) => new Date(time).toLocaleTimeString([], { hour12: false });

/**
 * @param {number} time Unix ms
 * @returns {string}
 */
export const date = (time) =>
    new Date(time).toLocaleString([], { dateStyle: "medium", timeStyle: "short", hour12: false });

/**
 * @param {number} milliseconds
 * @returns {string} Such as `1 h 02 min` or `3 min 20 s`.
 */
export function duration(milliseconds) {
    const seconds = Math.max(0, Math.round(milliseconds / 1000));
    const two = (number) => String(number).padStart(2, "0");
    if (seconds >= 3600) return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} min`;
    return seconds >= 60 ? `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s` : `${seconds} s`;
}

/**
 * @param {number} bps
 * @returns {string}
 */
export function rate(bps) {
    return `${Math.round(bps / 1000)} kbit/s`;
}

/**
 * @param {?number} value
 * @param {function(number): string} write
 * @returns {string} A dash for what was not measured, which is not zero.
 */
export const orDash = (value, write) => (value === null || value === undefined ? "–" : write(value));

/**
 * A figure as people are shown it, without its unit.
 *
 * @param {number} value
 * @param {string} unit
 * @returns {string}
 */
export function written(value, unit) {
    if (unit === "unixTime") return clock(value);
    const { factor, decimals } = units[unit];
    return (value * factor).toFixed(decimals);
}

/**
 * A figure with its unit.
 *
 * @param {string} name
 * @param {string} unit
 * @returns {string} Such as `jitter, ms`.
 */
export const withUnit = (name, unit) => [name, units[unit].label].filter(Boolean).join(", ");

/**
 * What happened, in plain words.
 *
 * @param {Object} event
 * @returns {string}
 */
export function eventWords(event) {
    const { reason, phase, recovery, media, direction, side, from, to, state } = event.detail;
    const { isAlarm } = event;
    switch (event.type) {
        case "sessionCreated": return "The session began";
        case "sessionDestroyed": return "The session ended";
        case "connectionCreated": return "joined";
        case "connectionDestroyed": return `left${endingWords(reason)}`;
        case "streamCreated": return "began to publish";
        case "streamUpdated": return "changed what is published";
        case "streamDestroyed": return `ended the stream${endingWords(reason)}`;
        case "networkConditionChanged":
            return `${side === "remote" ? "the publisher’s network" : "network"}: `
                + `${label("NetworkCondition", from)} → ${label("NetworkCondition", to)}`
                + (reason === "networkConditionChange" ? "" : bracketed(trouble("NetworkReason", reason)));
        case "videoQualityChanged":
            return videoChange(label("VideoEventReason", reason), phase, isAlarm);
        case "callQuality":
            return `${phase === "recover" ? "warning over" : "warning"}: ${label("Warning", reason)}`
                + bracketed([media, direction, recovery === "notApplicable" ? "not applicable" : ""].filter(Boolean).join(", "));
        case "networkEmulationBegan": return `network is emulated${bracketed(event.detail.conditions)}`;
        case "networkEmulationEnded": return "network emulation ended";
        case "audioFallback": return `audio fallback: ${fallbackStates[state] ?? state}`;
        case "getUserMedia": return captureWords(event.detail.wants || "a device", event.detail.error);
        case "getDisplayMedia": return captureWords("the screen", event.detail.error);
        case "enumerateDevices": return "listed the devices";
        case "addIceCandidate": return `could not add an ICE candidate${bracketed(event.detail.error)}`;
        case "track": return `${event.detail.end} ${event.detail.kind} track: ${state}`;
        case "connectionState": return `connection ${state}`;
        case "networkPath": return pathWords(event.detail);
        case "iceConnectionState": return `path ${state}`;
        default: return [event.type, reason].filter(Boolean).join(": ");
    }
}

/**
 * @param {string} words
 * @returns {string} With a space before; nothing of nothing.
 */
const bracketed = (words) => (words ? ` (${words})` : "");

/**
 * @param {{turn: string, network: ?string}} path
 * @returns {string} Which way packets go.
 */
const pathWords = ({ turn, network }) => (turn === "direct" ? "sends without a TURN server"
    : `sends through a TURN server${bracketed(turn === "relayed" ? "" : turn.toUpperCase())}`)
    + (network ? `, by ${network}` : "");

/**
 * @param {string} what
 * @param {?string} error
 * @returns {string}
 */
const captureWords = (what, error) => (error ? `was refused ${what}${bracketed(error)}` : `captures ${what}`);

/**
 * @param {string} why
 * @param {?string} phase
 * @param {boolean} isAlarm
 * @returns {string} A change that no one suffers from is neither better nor worse.
 */
function videoChange(why, phase, isAlarm) {
    if (phase === "recover") return `video is better again (${why})`;
    return isAlarm ? `video got worse (${why})` : `video changed (${why})`;
}
