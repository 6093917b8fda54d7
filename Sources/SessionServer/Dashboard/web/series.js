// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** More than this between two samples, in ms, is a gap: nothing was measured there. */
const gap = 2500;

/**
 * The values of some samples over time. What was not measured is a gap, never a zero.
 *
 * @param {Object[]} entries In order of time.
 * @param {function(Object): ?number} value
 * @returns {{x: number, y: number}[]} `y` is `NaN` in gaps.
 */
export function points(entries, value) {
    const found = [];
    let last = null;
    for (const { time, sample } of entries) {
        if (last !== null && time - last > gap) found.push({ x: last + 1, y: NaN });
        found.push({ x: time, y: value(sample) ?? NaN });
        last = time;
    }
    return found;
}

/**
 * Leaves out what nobody would see: of each bucket of time the least, the most and a gap remain.
 *
 * @param {{x: number, y: number}[]} all In order of time.
 * @param {number} limit Most buckets.
 * @returns {{x: number, y: number}[]}
 */
export function thinned(all, limit) {
    if (all.length <= limit * 3) return all;
    const start = all[0].x;
    const width = (all[all.length - 1].x - start) / limit || 1;
    const kept = [];
    let bucket = [];
    let number = 0;
    for (const point of all) {
        const own = Math.floor((point.x - start) / width);
        if (own !== number) {
            kept.push(...extremes(bucket));
            bucket = [];
            number = own;
        }
        bucket.push(point);
    }
    return kept.concat(extremes(bucket));
}

/**
 * @param {{x: number, y: number}[]} bucket
 * @returns {{x: number, y: number}[]}
 */
function extremes(bucket) {
    const values = bucket.filter(({ y }) => !Number.isNaN(y));
    const hole = bucket.find(({ y }) => Number.isNaN(y));
    const kept = hole ? [hole] : [];
    if (values.length > 0) {
        const least = values.reduce((best, point) => (point.y < best.y ? point : best));
        const most = values.reduce((best, point) => (point.y > best.y ? point : best));
        kept.push(least);
        if (most !== least) kept.push(most);
    }
    return kept.sort((left, right) => left.x - right.x);
}

/**
 * The stretches of time in which something holds.
 *
 * @param {Object[]} entries In order of time.
 * @param {function(Object, ?Object): (string|null)} kind Of a sample and the one before it.
 * @returns {{from: number, to: number, kind: string}[]}
 */
export function bands(entries, kind) {
    const found = [];
    entries.forEach(({ time, sample }, index) => {
        const before = entries[index - 1];
        const isNext = before && time - before.time <= gap;
        const own = kind(sample, isNext ? before.sample : null);
        if (!own) return;
        const last = found[found.length - 1];
        const from = isNext ? before.time : time - 1000;
        if (last && last.kind === own && last.to >= from) last.to = time;
        else found.push({ from, to: time, kind: own });
    });
    return found;
}

/**
 * Whether the picture froze or paused since the sample before.
 *
 * @param {Object} sample
 * @param {?Object} before
 * @returns {?string} `freeze` or `pause`.
 */
export function gapKind(sample, before) {
    const grew = (name) => {
        const [now, then] = [sample.video?.[name], before?.video?.[name]];
        return typeof now === "number" && typeof then === "number" && now > then;
    };
    if (grew("totalPausesDuration") || grew("pauseCount")) return "pause";
    return grew("totalFreezesDuration") || grew("freezeCount") ? "freeze" : null;
}

/**
 * The entry nearest to a time.
 *
 * @param {Object[]} entries In order of time.
 * @param {number} time
 * @param {number} reach Farther ones do not count, ms.
 * @returns {?Object}
 */
export function nearest(entries, time, reach) {
    let [low, high] = [0, entries.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (entries[middle].time < time) low = middle + 1;
        else high = middle;
    }
    const close = [entries[low - 1], entries[low]].filter((entry) => entry && Math.abs(entry.time - time) <= reach);
    close.sort((left, right) => Math.abs(left.time - time) - Math.abs(right.time - time));
    return close[0] ?? null;
}
