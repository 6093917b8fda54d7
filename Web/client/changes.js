// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import * as judged from "./judged.js";

/** Most objects of one report. */
const objectLimit = 256;
/** Most objects that the server keeps from one whole report to the next, with those that have ended meanwhile. */
const keptObjects = 2 * objectLimit;
/** How many of them one report is sure to find, or has all that it may have. */
const spareObjects = objectLimit / 2;
/** Most that a report may weigh as the server counts it. */
const weightLimit = 6144;
/** Most that the server keeps from one whole report to the next, with what has ended or changed meanwhile. */
const keptLimit = 2 * weightLimit;
/** How much of that one report is sure to find. */
const spareWeight = 2048;
/** Longest text: the server takes 256 bytes, and a character may have three. */
const textLimit = 85;

/** Which objects are new in a report first where not all of them have room: what the rules read most. */
const ranks = ["outbound-rtp", "inbound-rtp", "candidate-pair", "transport", "codec", "remote-inbound-rtp", "remote-outbound-rtp"];

/** @param {Object} one @returns {number} */
const rankOf = ({ type, nominated }) => {
    const rank = ranks.indexOf(type);
    return rank < 0 || nominated === false ? ranks.length : rank;
};

/**
 * What is left of a number: millionths, thousandths of the large ones such as times. Both ends calculate with what is
 * left, so nothing adds up.
 *
 * @param {number} value
 */
export const rounded = (value) => {
    if (Number.isInteger(value)) return value;
    const scale = Math.abs(value) < 1e9 ? 1e6 : 1e3;
    return Math.floor(value * scale + 0.5) / scale;
};

/** @param {*} value What a server takes: a number, a truth value or a short text; else `null`. */
const plain = (value) => {
    if (typeof value === "number") return Number.isFinite(value) ? rounded(value) : null;
    if (typeof value === "string") return value.length <= textLimit ? value : null;
    return typeof value === "boolean" ? value : null;
};

/** @param {*} value What a text weighs for the server, or a little more. */
const weightOf = (value) => (typeof value === "string" ? Math.floor(3 * value.length / 32) : 0);

/**
 * A peer connection's reports as what changed since the report before.
 *
 * `[number, time, ...changes]`: `[type, id, member, value, ...]` is a new object, which has the next index from 0;
 * `[index, member, value, ...]` changes one's members, by index or, when they are new, by name; a bare index ends one.
 * Numbers are what is to be added, anything else takes the place of what was there. A report that is whole has its
 * number below zero.
 */
export class ReportChanges {
    /** @param {{types: Set<string>, members: Set<string>, substitutes?: Map<string, string>}} [kept] What of a report is sent. */
    constructor(kept = judged) {
        this.kept = kept;
        /**
         * How many characters of new objects a report has, if one of them is not more by itself: the rest is new in the reports
         * that follow. All at once would be a queue on a narrow uplink.
         */
        this.piece = Infinity;
        this.number = 0;
        this.restart();
    }

    /** Makes the next report a whole one: the server has not got the last. */
    restart() {
        this.time = null;
        /** `{ names, values }` by index; `null` for those that have ended. */
        this.objects = [];
        /** Indexes by id. */
        this.places = new Map();
        /** What of the report before found no room: objects that are not sent. */
        this.omitted = 0;
        /** What the server has kept since the last whole report, and what of it is there still. */
        this.weight = 0;
        this.present = 0;
    }

    /**
     * What is to be sent of a report.
     *
     * @param {Iterable<Object>} report
     * @returns {Array}
     */
    add(report) {
        // What has ended takes room until then; where nothing has, a whole report would find no more.
        const isFull = this.objects.length > keptObjects - spareObjects || this.weight > keptLimit - spareWeight;
        if (isFull && this.weight > this.present) this.restart();
        const all = [...report].filter(({ type, id }) => this.kept.types.has(type) && id.length <= textLimit);
        const judged = all.slice(0, objectLimit);
        const isWhole = this.time === null;
        const now = rounded(Math.max(0, ...judged.map(({ timestamp }) => timestamp)));
        this.number += 1;
        const step = isWhole ? now : rounded(now - this.time);
        this.time = isWhole ? now : rounded(this.time + step);
        const changes = [isWhole ? -this.number : this.number, step];
        const ended = new Set(this.places.keys());
        this.left = this.piece;
        this.waiting = 0;
        if (this.piece < Infinity) judged.sort((one, other) => rankOf(one) - rankOf(other));
        for (const one of judged) {
            ended.delete(one.id);
            const change = this.change(one, now);
            if (change) changes.push(change);
        }
        this.omitted = all.length - judged.filter(({ id }) => this.places.has(id)).length - this.waiting;
        for (const id of ended) {
            changes.push(this.places.get(id));
            this.present -= this.objects[this.places.get(id)].weight;
            this.objects[this.places.get(id)] = null;
            this.places.delete(id);
        }
        return changes;
    }

    /**
     * What is to be sent of an object; `null` if it is as it was.
     *
     * @param {Object} one
     * @param {number} now The report's time.
     */
    change(one, now) {
        const place = this.places.get(one.id);
        if (place === undefined) return this.begin(one, now);
        const object = this.objects[place];
        const { names, values } = object;
        const read = this.read(one, now);
        const change = [place];
        names.forEach((name, index) => {
            const value = read.get(name) ?? null;
            read.delete(name);
            const old = values[index];
            if (value === old) return;
            const isStep = typeof value === "number" && typeof old === "number";
            const step = isStep ? rounded(value - old) : value;
            if (isStep && step === 0) return;
            const weight = weightOf(value);
            if (this.weight + weight > keptLimit) return;
            this.weight += weight;
            values[index] = isStep ? rounded(old + step) : value;
            change.push(index, step);
        });
        for (const [name, value] of read) {
            const weight = 1 + weightOf(value);
            if (!this.hasRoom(weight)) break;
            this.keep(object, weight);
            names.push(name);
            values.push(value);
            change.push(name, value);
        }
        return change.length > 1 ? change : null;
    }

    /**
     * @param {Object} one
     * @param {number} now
     */
    begin(one, now) {
        const read = this.read(one, now);
        const weight = 4 + weightOf(one.id) + [...read.values()].reduce((sum, value) => sum + 1 + weightOf(value), 0);
        // What finds no room finds it when something else has ended.
        if (!this.hasRoom(weight) || this.objects.length >= keptObjects) return null;
        const change = [one.type, one.id, ...[...read].flat()];
        if (!this.hasTurn(change)) return null;
        const object = { names: [...read.keys()], values: [...read.values()], weight: 0 };
        this.keep(object, weight);
        this.places.set(one.id, this.objects.length);
        this.objects.push(object);
        return change;
    }

    /** @param {Array} change A new object. @returns {boolean} Whether it is new in this report, and not in one that follows. */
    hasTurn(change) {
        if (this.piece === Infinity) return true;
        const length = JSON.stringify(change).length;
        if (length > this.left && this.left < this.piece) {
            this.left = 0;
            this.waiting += 1;
            return false;
        }
        this.left -= length;
        return true;
    }

    /** @param {number} weight Whether the server keeps that much more. */
    hasRoom(weight) {
        return this.present + weight <= weightLimit && this.weight + weight <= keptLimit;
    }

    /**
     * Counts what the server keeps of an object from now on.
     *
     * @param {Object} object
     * @param {number} weight
     */
    keep(object, weight) {
        object.weight += weight;
        this.present += weight;
        this.weight += weight;
    }

    /**
     * Whether a member only stands for another one, and the object has that.
     *
     * @param {string} name
     * @param {Object} one
     */
    isSpare(name, one) {
        const other = this.kept.substitutes?.get(name);
        return other !== undefined && plain(one[other]) !== null;
    }

    /**
     * An object's members that matter, no substitutes for others that it has; its time only if it is not the report's.
     *
     * @param {Object} one
     * @param {number} now
     * @returns {Map<string, *>}
     */
    read(one, now) {
        const read = new Map();
        const time = rounded(one.timestamp);
        if (time !== now) read.set("timestamp", time);
        for (const [name, value] of Object.entries(one)) {
            if (!this.kept.members.has(name) || this.isSpare(name, one)) continue;
            const kept = plain(value);
            if (kept !== null) read.set(name, kept);
        }
        return read;
    }
}
