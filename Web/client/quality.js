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
    get warnings() { return [...this.raised.values()]; }

    /**
     * Takes what the server judges.
     *
     * @param {Object} message
     * @param {Set<string>} present The names of the connections that there are.
     */
    take(message, present) {
        for (const leg of this.byLeg.keys()) if (!present.has(leg)) this.byLeg.delete(leg);
        this.byLeg.set(message.leg, streamQuality(message));
        const all = [...this.byLeg.values()];
        const worst = all.reduce((one, other) => (badness(other) > badness(one) ? other : one));
        if (JSON.stringify(worst) !== JSON.stringify(this.current)) {
            this.current = worst;
            this.tell("qualitychange", worst);
        }
        for (const { type, ...detail } of message.sample.events ?? []) this.happened[type]?.call(this, detail);
    }

    /** What the server says that happened, by its type. */
    happened = {
        networkConditionChanged(detail) { this.tell("networkcondition", detail); },
        videoQualityChanged(detail) { this.tell("videoquality", detail); },
        callQuality({ phase, ...warning }) {
            if (phase === "trigger") this.raise(warning);
            else this.clear(warning);
        },
    };

    raise(warning) {
        const key = warningKey(warning);
        if (this.raised.has(key)) return;
        this.raised.set(key, Object.freeze(warning));
        this.tell("warning", warning);
    }

    clear(warning) {
        if (this.raised.delete(warningKey(warning))) this.tell("warningrecovered", warning);
    }

    /** Whoever judged has forgotten all of it, or there is nothing left to be judged. */
    forget() {
        this.byLeg.clear();
        for (const warning of this.warnings) this.clear({ ...warning, isAlarm: false, recovery: "notApplicable" });
    }

    tell(type, detail) { this.target.dispatchEvent(event(type, detail)); }
}
