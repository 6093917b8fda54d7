// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

const causes = {
    none: "nothing is wrong", packetLoss: "packet loss", bandwidth: "too little bandwidth", latency: "long delay",
    jitter: "uneven delivery", connection: "connection interrupted", cpu: "device too busy",
    device: "camera or microphone", media: "no sound or picture", recovering: "recovering", unknown: "not known yet",
};

const reasons = {
    ...causes, none: "", networkConditionChange: "the network has changed", connection: "connection",
};

const endings = {
    lost: "connection lost", shutdown: "the server was stopped", serverLost: "the server was lost",
    forced: "removed by a moderator", unpublished: "", left: "",
};

/** What raised a warning. */
const warnings = {
    highRemoteInboundRTT: "long round trip", highInboundJitter: "uneven delivery", highInboundPacketLoss: "packet loss in",
    missingMediaStream: "connection interrupted", constantAudioLevel: "the sound’s level does not move",
    zeroAudioLevel: "no sound", lowOSOutputVolumeLevel: "the loudspeaker is turned down", lowMOS: "the sound is poor",
    highOutboundPacketLoss: "packet loss out", lowBandwidth: "too little bandwidth", noMediaReceived: "nothing is received",
    noMediaSent: "nothing is sent", frozenVideo: "the picture stands still", cpuLimited: "the device is too busy to encode",
    decoderOverloaded: "the device is too busy to decode", highAudioConcealment: "gaps in the sound",
    silentMicrophone: "the microphone is silent", lowCaptureRate: "the camera delivers few pictures",
};

/** Why video changed. */
const videoReasons = {
    publisherPropertyChanged: "the publisher turned it on or off", subscriberPropertyChanged: "the subscriber turned it on or off",
    qualityChanged: "switched by audio fallback", qualityDegradationBandwidth: "too little bandwidth",
    qualityDegradationCPU: "the device is too busy", qualityDegradationOther: "limited by something else",
    codecNotSupported: "the codec is not supported", codecChange: "another codec", resolutionChange: "another size",
    videoInterruption: "no pictures came",
};

const fallbackStates = {
    on: "the video is on", warned: "the video is about to be switched off", off: "the video is off, to save the sound",
};

const levels = { unknown: null, zero: 0, one: 1, two: 2, three: 3, four: 4, five: 5 };
const conditionLevels = { critical: 1, warning: 2, fair: 3, good: 4, excellent: 5 };

/** Conditions from worst to best. */
export const conditions = ["critical", "warning", "fair", "good", "excellent"];

/**
 * @param {?string} cause
 * @returns {string}
 */
export const causeWords = (cause) => causes[cause] ?? cause ?? "";

/**
 * @param {?string} reason
 * @returns {string}
 */
export const reasonWords = (reason) => reasons[reason] ?? reason ?? "";

/**
 * Why somebody or something is gone.
 *
 * @param {?string} reason
 * @returns {string} In brackets, with a space before; empty where there is nothing to say.
 */
export function endingWords(reason) {
    const words = endings[reason] ?? reason;
    return words ? ` (${words})` : "";
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
 * The sentence for a diagnosis, of the server's table.
 *
 * @param {Object<string, string>} table
 * @param {?{cause: string, direction: ?string, side: ?string}} diagnosis
 * @returns {string}
 */
export function sentence(table, diagnosis) {
    if (!diagnosis) return "";
    // What the table says to do is for those who look for something that is wrong.
    if (diagnosis.cause === "none") return "Nothing is wrong.";
    const keys = [diagnosis.cause, diagnosis.direction, diagnosis.side].filter(Boolean);
    for (let length = keys.length; length > 0; length -= 1) {
        const found = table[`support.${keys.slice(0, length).join(".")}`];
        if (found) return found;
    }
    return "";
}

/**
 * Who is to blame, in plain words.
 *
 * @param {?Object} sample
 * @param {string} role
 * @param {{own: string, publisher: string}} names Of the participant who measured, and of the stream's publisher.
 * @returns {string} Empty if nobody is.
 */
export function blame(sample, role, names) {
    const diagnosis = sample?.diagnosis;
    if (!diagnosis || ["none", "unknown", "recovering"].includes(diagnosis.cause)) return "";
    if (["cpu", "device"].includes(diagnosis.cause)) {
        return diagnosis.side === "remote" ? `${names.publisher}’s device` : `${names.own}’s device`;
    }
    const way = { uplink: " (uplink)", downlink: " (downlink)" }[diagnosis.direction] ?? "";
    switch (diagnosis.side ?? sample.networkDegradationSource) {
        case "local": return `${names.own}’s network${way}`;
        case "remote":
            return role === "publisher" ? "the receiver’s network" : `${names.publisher}’s network (uplink)`;
        case "bothOrUnclear": return "both networks, or not clear whose";
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
    return bps >= 1e6 ? `${(bps / 1e6).toFixed(1)} Mbit/s` : `${Math.round(bps / 1000)} kbit/s`;
}

/**
 * @param {?number} value
 * @param {function(number): string} write
 * @returns {string} A dash for what was not measured, which is not zero.
 */
export const orDash = (value, write) => (value === null || value === undefined ? "–" : write(value));

/**
 * What happened, in plain words.
 *
 * @param {Object} event
 * @returns {string}
 */
export function eventWords(event) {
    const { reason, phase, media, side, from, to, state } = event.detail;
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
            return `${side === "remote" ? "the publisher’s network" : "network"}: ${from} → ${to}`
                + (reason && reason !== "networkConditionChange" ? ` (${reasonWords(reason)})` : "");
        case "videoQualityChanged":
            return videoChange(videoReasons[reason] ?? reason, phase, isAlarm);
        case "callQuality":
            return `${phase === "recover" ? "warning over" : "warning"}: ${warnings[reason] ?? reason}`
                + (media ? ` (${media})` : "");
        case "audioFallback": return `audio fallback: ${fallbackStates[state] ?? state}`;
        default: return [event.type, reason].filter(Boolean).join(": ");
    }
}

/**
 * @param {string} why
 * @param {?string} phase
 * @param {boolean} isAlarm
 * @returns {string} A change that nobody suffers from is neither better nor worse.
 */
function videoChange(why, phase, isAlarm) {
    if (phase === "recover") return `video is better again (${why})`;
    return isAlarm ? `video got worse (${why})` : `video changed (${why})`;
}
