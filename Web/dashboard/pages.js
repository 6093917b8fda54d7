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

/**
 * Has answers take effect in the order of their requests: a slow one does not replace that of a later request.
 *
 * @returns {function(Promise, function(*): void): Promise<void>} Shows what a request answers, unless a later one's answer
 *   is there already; fails as the request does, unless a later request was made.
 */
export function inOrder() {
    let [made, shown] = [0, 0];
    return async (request, show) => {
        made += 1;
        const own = made;
        try {
            const answer = await request;
            if (own < shown) return;
            shown = own;
            show(answer);
        } catch (error) {
            if (own === made) throw error;
        }
    };
}

const day = 86_400_000;
/** Choices of a time up to now, days. */
const spans = [[1, "a day"], [7, "a week"], [30, "30 days"], [90, "90 days"]];

/**
 * A choice of the time that is looked at.
 *
 * @param {function(number, number): Promise<function(): void>} read Gets its begin and end, Unix ms; gives what shows the
 *   answer.
 * @returns {{element: HTMLElement, load: function(): Promise<void>}}
 */
export function timeChoice(read) {
    const problem = h("p", { class: "problem", role: "alert" });
    const take = inOrder();
    let days = 7;
    const load = () => {
        const end = Date.now();
        return take(read(end - days * day, end), (show) => {
            problem.textContent = "";
            show();
        });
    };
    const buttons = h("div", { class: "spans", role: "group", "aria-label": "Time looked at" },
        spans.map(([count, name]) => h("button", {
            type: "button", "aria-pressed": String(count === days), onclick: async (event) => {
                days = count;
                for (const button of buttons.children) button.setAttribute("aria-pressed", String(button === event.currentTarget));
                try {
                    await load();
                } catch (error) {
                    problem.textContent = error.message;
                }
            },
        }, name)));
    return { element: h("div", {}, buttons, problem), load };
}
