// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** More than this between two samples, in ms, is a gap: nothing was measured there. */
const gap = 2500;

/**
 * @param {Object} sample
 * @param {(string|number)[]} path
 * @returns {*} What is there; `undefined` for nothing.
 */
export const valueAt = (sample, path) => path.reduce((part, name) => part?.[name], sample);

/**
 * The values of some samples over time, as many as the eye can tell apart: of each bucket of time the least and the
 * greatest. What was not measured is a gap, never a zero.
 *
 * @param {Object[]} entries In order of time.
 * @param {function(Object): ?number} value Of a sample.
 * @param {number} width Of a bucket, ms; buckets begin at its multiples, so that they stay while time passes.
 * @returns {{x: number, y: number}[]} At most three a bucket; `y` is `NaN` in gaps.
 */
export function points(entries, value, width) {
    const found = [];
    let bucket = null;
    let last = null;
    for (const { time, sample } of entries) {
        const number = Math.floor(time / width);
        if (bucket?.number !== number) {
            flush(bucket, found);
            bucket = { number, least: null, most: null, hole: null };
        }
        if (last !== null && time - last > gap) bucket.hole ??= last + 1;
        last = time;
        const y = value(sample);
        if (y === null || y === undefined || Number.isNaN(y)) bucket.hole ??= time;
        else {
            if (bucket.least === null || y < bucket.least.y) bucket.least = { x: time, y };
            if (bucket.most === null || y > bucket.most.y) bucket.most = { x: time, y };
        }
    }
    flush(bucket, found);
    return found;
}

/**
 * @param {?Object} bucket
 * @param {{x: number, y: number}[]} found Gets what is to be seen of the bucket.
 */
function flush(bucket, found) {
    if (!bucket) return;
    const { least, most, hole } = bucket;
    const kept = hole === null ? [] : [{ x: hole, y: NaN }];
    // One value twice is one point.
    if (least) kept.push(least);
    if (most && most.x !== least.x && most.y !== least.y) kept.push(most);
    found.push(...(kept.length > 1 ? kept.sort((left, right) => left.x - right.x) : kept));
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
 * Whether the video froze or paused since the sample before.
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
