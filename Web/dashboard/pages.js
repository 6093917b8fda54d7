// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { h } from "../shared/dom.js";

/** The pages that are of no single session, by what stands in the address. */
const pages = [["", "Sessions"], ["fleet", "All calls"], ["ratings", "Ratings"]];

/**
 * Links between the pages that are of no single session.
 *
 * @param {string} present The one that is shown.
 * @returns {HTMLElement}
 */
export const visits = (present) => h("nav", { class: "visits" }, pages.map(([path, name]) =>
    h("a", { href: `#/${path}`, "aria-current": path === present ? "page" : null }, name)));

const day = 86_400_000;
/** Choices of a time up to now, days. */
const spans = [[1, "a day"], [7, "a week"], [30, "30 days"], [90, "90 days"]];

/**
 * A choice of the time that is looked at.
 *
 * @param {function(number, number): Promise<void>} load Gets its begin and end, Unix ms.
 * @returns {{element: HTMLElement, load: function(): Promise<void>}}
 */
export function timeChoice(load) {
    const problem = h("p", { class: "problem", role: "alert" });
    let days = 7;
    const now = () => {
        const end = Date.now();
        return load(end - days * day, end);
    };
    const buttons = h("div", { class: "spans", role: "group", "aria-label": "Time looked at" },
        spans.map(([count, name]) => h("button", {
            type: "button", "aria-pressed": String(count === days), onclick: async (event) => {
                days = count;
                for (const button of buttons.children) button.setAttribute("aria-pressed", String(button === event.currentTarget));
                try {
                    problem.textContent = "";
                    await now();
                } catch (error) {
                    problem.textContent = error.message;
                }
            },
        }, name)));
    return { element: h("div", {}, buttons, problem), load: now };
}
