// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** How many seconds to a report: at best, on a poor uplink, on a worse one. */
const steps = [1, 2, 5];
/** Seconds that an uplink has to do better before more is sent on it. */
const recovery = 5;

/**
 * How often reports are sent: once a second, less often where the uplink has nothing to spare.
 *
 * An uplink is poor if its estimate is, or if what was sent before has not left yet. Each such second is a step down.
 */
export class ReportPace {
    /** @param {number} [threshold] Estimate below which an uplink is poor, bps; below half of it is worse. */
    constructor(threshold = 100_000) {
        this.threshold = threshold;
        this.step = 0;
        this.good = 0;
        this.waited = 0;
    }

    /** @returns {number} Seconds between two reports. */
    get interval() { return steps[this.step]; }

    /**
     * A second has passed.
     *
     * @param {?number} estimate What the uplink carries, bps; `null` if it is not known.
     * @param {{isUnsent: boolean, isAway: boolean}} link Whether something that was sent has not left yet, and whether
     *   everything waits for another socket.
     * @returns {boolean} Whether a report is to be sent now.
     */
    tick(estimate, { isUnsent, isAway }) {
        this.settle(isAway || isUnsent ? Math.min(this.step + 1, steps.length - 1) : this.needed(estimate));
        this.waited += 1;
        // What has not left yet goes first.
        if (isUnsent || this.waited < this.interval) return false;
        this.waited = 0;
        return true;
    }

    /** @param {?number} estimate */
    needed(estimate) {
        if (estimate === null || estimate >= this.threshold) return 0;
        return estimate >= this.threshold / 2 ? 1 : 2;
    }

    /** @param {number} step The step that the uplink needs now. */
    settle(step) {
        this.good = step < this.step ? this.good + 1 : 0;
        if (step > this.step) this.step = step;
        if (this.good < recovery) return;
        this.step -= 1;
        this.good = 0;
    }
}
