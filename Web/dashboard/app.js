// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { APIError, ask, isLoggedIn, logIn, login, logOut, tokenFromAddress } from "./api.js";
import { showFleet } from "./fleet.js";
import { h } from "../shared/dom.js";
import { showList } from "./list.js";
import { showRatings } from "./ratings.js";
import { showSession } from "./session.js";

const page = document.getElementById("page");
const status = document.getElementById("status");
const leaving = document.getElementById("logout");

/** Ends what the shown page has running. */
let stop = () => {};

/** @param {string} text */
const say = (text) => {
    status.textContent = text;
};

/** The pages that are of no single session, by their addresses. */
const places = { "#/fleet": showFleet, "#/ratings": showRatings };

/** Counts the addresses that were shown. */
let visit = 0;

/** Shows what the address names. */
async function show() {
    stop();
    stop = () => {};
    visit += 1;
    const own = visit;
    say("");
    // Each has a place of its own: one that comes late has none on the page any more.
    const place = h("div");
    page.replaceChildren(place);
    place.replaceChildren(h("p", { class: "quiet" }, "Loading…"));
    const sayHere = (text) => { if (own === visit) say(text); };
    const others = places[location.hash] ?? showList;
    const session = /^#\/session\/(.+)$/.exec(location.hash)?.[1];
    try {
        const end = session ? await showSession(place, decodeURIComponent(session), sayHere) : await others(place, sayHere);
        if (own !== visit) {
            end();
            return;
        }
        stop = end;
        leaving.hidden = false;
    } catch (error) {
        if (own !== visit) return;
        if (error instanceof APIError && [401, 403].includes(error.status)) return showLogin(error);
        if (!(error instanceof APIError)) throw error;
        place.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message));
    }
}

/**
 * Asks for a token.
 *
 * @param {APIError} error Why there is none, or none that will do.
 */
function showLogin(error) {
    leaving.hidden = true;
    const token = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
    const problem = h("p", { class: "problem", role: "alert" }, error.status === 403 ? error.message : "");
    const enter = async (event) => {
        event.preventDefault();
        try {
            await logIn(token.value.trim());
            await show();
        } catch (refusal) {
            problem.textContent = refusal.message;
        }
    };
    page.replaceChildren(
        h("form", { class: "panel login", onsubmit: enter },
            h("h1", {}, "Log in"),
            h("p", {}, "Open the link that the server printed when it started, "
                + "or paste an API token with the scope “read”."),
            h("label", { for: "token" }, "API token"), token, h("button", { type: "submit" }, "Log in"), problem));
    token.focus();
}

/**
 * Asks someone who is logged in whether a link's token is to take the place of theirs: links can come from anyone.
 *
 * @returns {Promise<boolean>}
 */
function asksToReplace() {
    return new Promise((resolve) => {
        const choice = (id, text, answer) => h("button", { type: "button", id, onclick: () => resolve(answer) }, text);
        page.replaceChildren(
            h("div", { class: "panel login" },
                h("h1", {}, "Replace your login?"),
                h("p", {}, "You are logged in already. The link that you opened would log you in with its own token "
                    + "instead. Use it only if you know who made it."),
                choice("keep", "Keep my login", false), choice("replace", "Use the link", true)));
    });
}

/** Logs in with the token in the address, if there is one. */
async function logInFromAddress() {
    const token = tokenFromAddress();
    if (token && (!(await isLoggedIn()) || await asksToReplace())) await logIn(token);
}

/** No one is logged in any more. */
function loggedOut() {
    stop();
    stop = () => {};
    visit += 1;
    showLogin(new APIError(401, ""));
}

leaving.addEventListener("click", async () => {
    await logOut();
    loggedOut();
});
login.addEventListener("over", loggedOut);
window.addEventListener("hashchange", () => {
    // A link with a token may be pasted into an open page.
    if (location.hash.startsWith("#token=")) location.reload();
    else show().then(() => page.focus({ preventScroll: true }));
});

try {
    await logInFromAddress();
    await ask("/v1/sessions?limit=1");
    await show();
} catch (error) {
    showLogin(error instanceof APIError ? error : new APIError(0, String(error)));
}
