// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** Network quality levels as the server names them, from 0. */
const levels = ["zero", "one", "two", "three", "four", "five"];

/**
 * @param {string} [name] A level as the server names it.
 * @returns {?number} 0 to 5; `null` if it is not known.
 */
export const levelNumber = (name) => (levels.includes(name) ? levels.indexOf(name) : null);

/** @param {Array<?number>} all The lowest of them that are known; `null` if none is. */
const lowest = (all) => {
    const known = all.filter((level) => level !== null);
    return known.length > 0 ? Math.min(...known) : null;
};

/**
 * What the server judges of one connection of a stream, as pages see it.
 *
 * @param {Object} message The server's.
 */
export function streamQuality({ sample, sentence }) {
    const [audioLevel, videoLevel] = [levelNumber(sample.levels?.audio?.level), levelNumber(sample.levels?.video?.level)];
    return Object.freeze({
        level: lowest([audioLevel, videoLevel]), audioLevel, videoLevel,
        networkCondition: sample.networkCondition ?? "unknown",
        networkConditionReason: sample.networkConditionReason ?? "unknown",
        remoteNetworkCondition: sample.remoteNetworkCondition ?? "unknown",
        networkDegradationSource: sample.networkDegradationSource ?? null,
        diagnosis: sample.diagnosis ?? null,
        sentence: sentence ?? null,
    });
}

/** @param {Object} quality How bad it is: higher is worse. */
const badness = ({ level, diagnosis }) => 10 * (5 - (level ?? 5)) + (diagnosis?.severity ?? 0);

/**
 * A participant's network quality, as pages see it.
 *
 * @param {Object} stats As the server says it.
 */
export function participantQuality({ level, isIdle, audio, video }) {
    return Object.freeze({
        level: levelNumber(level), isIdle: isIdle ?? false,
        audioLevel: levelNumber(audio?.level), videoLevel: levelNumber(video?.level),
    });
}

/** An event that says more. */
export const event = (type, detail) => new CustomEvent(type, { detail: Object.freeze(detail) });

/** A warning's identity: a second one of the same kind about the same media takes no other's place. */
const warningKey = ({ reason, media, direction }) => [reason, media, direction].join();

/** How a warning is cleared that nothing is judged for any more. */
const notApplicable = (warning) => ({ ...warning, isAlarm: false, recovery: "notApplicable" });

/** What is judged of one publication or subscription, by each of its connections. */
export class QualityWatch {
    /** @param {EventTarget} target Where changes are dispatched. */
    constructor(target) {
        this.target = target;
        this.byLeg = new Map();
        this.raised = new Map();
        this.current = null;
    }

    /** @returns {Object[]} Warnings that are raised. */
    get warnings() { return [...this.raised.values()].map(({ warning }) => warning); }

    /**
     * Takes what the server judges.
     *
     * @param {Object} message
     * @param {Set<string>} present The names of the connections that there are.
     */
    take(message, present) {
        this.prune(present);
        this.byLeg.set(message.leg, streamQuality(message));
        this.update();
        for (const { type, ...detail } of message.sample.events ?? []) {
            this.happened[type]?.call(this, detail, message.leg);
        }
    }

    /** Forgets what was judged of connections that are gone. */
    keep(present) {
        this.prune(present);
        this.update();
    }

    /** The warnings of those that are gone have no one left to clear them. */
    prune(present) {
        for (const leg of [...this.byLeg.keys()]) if (!present.has(leg)) this.byLeg.delete(leg);
        for (const { warning, legs } of [...this.raised.values()]) {
            for (const leg of [...legs]) if (!present.has(leg)) this.clear(notApplicable(warning), leg);
        }
    }

    /** The worst connection is what is shown. */
    update() {
        const all = [...this.byLeg.values()];
        const worst = all.reduce((one, other) => (one && badness(other) <= badness(one) ? one : other), null);
        if (JSON.stringify(worst) === JSON.stringify(this.current)) return;
        this.current = worst;
        if (worst) this.notify("qualitychange", worst);
    }

    /** What the server says that happened on a connection, by its type. */
    happened = {
        networkConditionChanged(detail) { this.notify("networkcondition", detail); },
        videoQualityChanged(detail) { this.notify("videoquality", detail); },
        callQuality({ phase, ...warning }, leg) {
            if (phase === "trigger") this.raise(warning, leg);
            else this.clear(warning, leg);
        },
    };

    raise(warning, leg) {
        const key = warningKey(warning);
        const entry = this.raised.get(key);
        if (entry) return void entry.legs.add(leg);
        this.raised.set(key, { warning: Object.freeze(warning), legs: new Set([leg]) });
        this.notify("warning", warning);
    }

    /** Raised until the last connection is without it. */
    clear(warning, leg) {
        const entry = this.raised.get(warningKey(warning));
        if (!entry?.legs.delete(leg) || entry.legs.size > 0) return;
        this.raised.delete(warningKey(warning));
        this.notify("warningrecovered", warning);
    }

    /** Whoever judged has forgotten all of it, or there is nothing left to be judged. */
    forget() { this.keep(new Set()); }

    notify(type, detail) { this.target.dispatchEvent(event(type, detail)); }
}
