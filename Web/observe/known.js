// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { rounded } from "../client/changes.js";

/**
 * What a server knows of a peer connection that has stored all of its reports up to one: those that follow are made of it, for a
 * server that has not got it.
 */
export class KnownReport {
    constructor() {
        this.time = 0;
        /** `{ type, id, names, values }` by index; `null` for those that have ended. */
        this.objects = [];
    }

    /**
     * The server has the next report, too.
     *
     * @param {Array} changes As `ReportChanges` writes them.
     * @returns {Object[]} The report that they lead to.
     */
    add([number, step, ...changes]) {
        if (number < 0) Object.assign(this, new KnownReport());
        this.time = rounded(this.time + step);
        for (const change of changes) this.apply(change);
        return this.objects.filter(Boolean).map(({ type, id, names, values }) => ({
            type, id, timestamp: this.time,
            ...Object.fromEntries(names.map((name, index) => [name, values[index]]).filter(([, value]) => value !== null)),
        }));
    }

    /** @param {number|Array} change */
    apply(change) {
        if (!Array.isArray(change)) {
            this.objects[change] = null;
            return;
        }
        const isNew = typeof change[0] === "string";
        if (isNew) this.objects.push({ type: change[0], id: change[1], names: [], values: [] });
        const { names, values } = isNew ? this.objects.at(-1) : this.objects[change[0]];
        for (let at = isNew ? 2 : 1; at < change.length; at += 2) {
            const [member, value] = [change[at], change[at + 1]];
            const index = typeof member === "string" ? names.push(member) - 1 : member;
            const old = values[index];
            const isStep = typeof value === "number" && typeof old === "number";
            values[index] = isStep ? rounded(old + value) : value;
        }
    }
}
