// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { ask, listen } from "./api.js";
import { debounced, h } from "../shared/dom.js";
import { inOrder, visits } from "./pages.js";
import { conditions } from "./vocabulary.js";
import { date, duration, label } from "./words.js";

/** Time between two looks at the list, ms: what has no events changes too. */
const pause = 5000;

/**
 * The list of live and past sessions.
 *
 * @param {HTMLElement} page
 * @param {function(string): void} say Shows the state of the connection.
 * @returns {Promise<function(): void>} Stops it.
 */
export async function showList(page, say) {
    const live = h("tbody");
    const past = h("tbody");
    const none = h("p", { class: "quiet" });
    const more = h("button", { type: "button", hidden: true }, "More");
    const condition = h("select", { id: "condition" }, h("option", { value: "" }, "any"),
        conditions.map((name, index) => h("option", { value: name },
            `${label("NetworkCondition", name)}${index === 0 ? "" : " or worse"}`)));
    const participant = h("input", { id: "participant", type: "search", placeholder: "name" });
    let next = null;

    const query = (cursor, limit) => {
        const values = { condition: condition.value, participant: participant.value.trim(), cursor, limit };
        return new URLSearchParams(Object.entries(values).filter(([, value]) => value));
    };
    const take = inOrder();
    const refresh = () => take(Promise.all([
        ask(`/v1/sessions?live=true&${query("", 200)}`), ask(`/v1/sessions?live=false&${query("", 50)}`),
    ]), ([running, over]) => {
        live.replaceChildren(...running.sessions.map(row));
        past.replaceChildren(...over.sessions.map(row));
        next = over.next ?? null;
        more.hidden = !next;
        none.textContent = running.sessions.length + over.sessions.length > 0 ? "" : "There are no such sessions.";
    });
    const quietly = () => refresh().catch((error) => say(error.message));
    more.addEventListener("click", async () => {
        more.disabled = true;
        try {
            await take(ask(`/v1/sessions?live=false&${query(next, 50)}`), (answer) => {
                clearInterval(timer);
                past.append(...answer.sessions.map(row));
                next = answer.next ?? null;
                more.hidden = !next;
            });
        } catch (error) {
            say(error.message);
        } finally {
            more.disabled = false;
        }
    });
    const search = debounced(250, quietly);
    condition.addEventListener("change", search);
    participant.addEventListener("input", search);

    await refresh();
    page.replaceChildren(
        visits(""), h("h1", {}, "Sessions"),
        h("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
            h("label", { for: "condition" }, "Worst condition"), condition,
            h("label", { for: "participant" }, "Participant"), participant),
        table("Live now", live), table("Past", past), none, more);
    const timer = setInterval(quietly, pause);
    const end = listen(null, {
        event: search, again: search, state: (isConnected) => say(isConnected ? "live" : "connecting…"),
    });
    return () => {
        clearInterval(timer);
        end();
    };
}

/**
 * @param {string} title
 * @param {HTMLElement} body
 * @returns {HTMLElement}
 */
function table(title, body) {
    const columns = ["Session", "Began", "Length", "Worst", "Participants", "Alerts"];
    return h("section", {}, h("h2", {}, title),
        h("table", { class: "sessions" },
            h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))), body));
}

/**
 * @param {Object} session
 * @returns {HTMLElement}
 */
function row(session) {
    const worst = session.worstCondition ?? "unknown";
    return h("tr", {},
        h("td", {}, h("a", { href: `#/session/${encodeURIComponent(session.session)}` }, session.session)),
        cell("Began", date(session.creationTime)),
        cell("Length", duration((session.endTime ?? session.lastTime) - session.creationTime)),
        cell("Worst", h("span", { class: "condition", data: { condition: worst } }, label("NetworkCondition", worst))),
        cell("Participants", session.connections), cell("Alerts", session.alerts));
}

/**
 * @param {string} title Stands before the value where the table is too narrow for columns.
 * @param {Node|string|number} content
 * @returns {HTMLElement}
 */
const cell = (title, content) => h("td", { data: { title } }, content);
