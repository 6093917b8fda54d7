// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { APIError, ask } from "./api.js";
import { debounced, h } from "../shared/dom.js";

/** What can be set of each direction: name, words, greatest value, step, unit. */
const settings = [
    ["loss", "Loss", 30, 1, "%"], ["burst_loss", "Loss in bursts", 30, 1, "%"], ["delay", "Delay", 1000, 10, "ms"],
    ["jitter", "Jitter", 300, 5, "ms"], ["rate", "Rate", 5000, 50, "kbit/s"],
];

/** Networks to choose from; what they say holds for both directions. */
const presets = [
    ["Clean", {}], ["6 % loss", { loss: 6 }], ["Bursts", { burst_loss: 5 }], ["Slow", { rate: 300 }],
    ["Far away", { delay: 250 }], ["Congested Wi-Fi", { jitter: 80, burst_loss: 2, delay: 20 }], ["Cut", { outage: 1 }],
];

/** One direction of a participant's network. */
class Direction {
    /**
     * @param {string} id
     * @param {string} title
     * @param {Object<string, number>} values
     * @param {function(): void} changed
     */
    constructor(id, title, values, changed) {
        this.changed = changed;
        this.sliders = settings.map((setting) => this.slider(id, setting));
        this.outage = h("input", { type: "checkbox", id: `${id}-outage`, onchange: changed });
        this.element = h("fieldset", {}, h("legend", {}, title),
            h("div", { class: "presets" }, presets.map(([name, preset]) => this.preset(name, preset))),
            this.sliders.map(({ row }) => row),
            h("label", { class: "check", for: `${id}-outage` }, this.outage, "Nothing gets through"));
        this.set(values);
    }

    /**
     * @param {string} name
     * @param {Object<string, number>} values
     * @returns {HTMLElement}
     */
    preset(name, values) {
        const choose = () => {
            this.set(values);
            this.changed();
        };
        return h("button", { type: "button", onclick: choose }, name);
    }

    /**
     * @param {string} id
     * @param {Array} setting
     * @returns {Object}
     */
    slider(id, [name, words, most, step, unit]) {
        const own = `${id}-${name}`;
        const input = h("input", { type: "range", id: own, min: 0, max: most, step, oninput: () => {
            this.write();
            this.changed();
        } });
        const output = h("output", { for: own });
        const row = h("div", { class: "slider" }, h("label", { for: own }, words), input, output);
        return { name, unit, input, output, row };
    }

    /** @param {Object<string, number>} values */
    set(values) {
        for (const { name, input } of this.sliders) input.value = String(values[name] ?? 0);
        this.outage.checked = values.outage === 1;
        this.write();
    }

    /** Writes the values beside the sliders. */
    write() {
        for (const { name, unit, input, output } of this.sliders) {
            output.textContent = name === "rate" && input.value === "0" ? "no limit" : `${input.value} ${unit}`;
        }
    }

    /** @returns {Object<string, number>} */
    get values() {
        const values = Object.fromEntries(this.sliders.map(({ name, input }) => [name, Number(input.value)]));
        return { ...values, outage: this.outage.checked ? 1 : 0 };
    }
}

/**
 * Shows sliders for the emulated networks of those whose server offers it.
 *
 * @param {HTMLElement} place
 * @param {import("./call.js").Call} call
 * @returns {Promise<function(): void>} Stops it.
 */
export async function showImpairment(place, call) {
    const shown = new Set();
    const forms = h("div", { class: "impairments" });
    const problem = h("p", { class: "problem", role: "alert" });
    const look = async () => {
        const { participants } = await ask("/v1/conditions");
        for (const participant of participants.filter(({ connection }) => !shown.has(connection))) {
            shown.add(participant.connection);
            forms.append(form(participant, call.name(participant.connection), problem));
        }
    };
    try {
        await look();
    } catch (error) {
        // Only the demo's server has networks to impair, and its token opens them.
        if (error instanceof APIError && [403, 404].includes(error.status)) return () => {};
        throw error;
    }
    const join = h("button", { type: "button", onclick: () => joinHere(call.session).catch((error) => {
        problem.textContent = error.message;
    }) }, "Join from this browser");
    place.append(h("div", { class: "charthead" }, h("h2", {}, "Make the network bad"), join), forms, problem);
    const timer = setInterval(() => look().catch((error) => {
        problem.textContent = error.message;
    }), 3000);
    return () => clearInterval(timer);
}

/**
 * Opens a page that takes part in the session.
 *
 * @param {string} session
 */
async function joinHere(session) {
    // Opened at once: later, a browser would take it for a window that no one asked for.
    const page = window.open("about:blank");
    const { token } = await ask(`/v1/sessions/${encodeURIComponent(session)}/tokens`, {
        method: "POST", body: { role: "publisher", name: "browser" },
    });
    // The fragment is sent to no server.
    page.location = `/join#token=${token}`;
}

/**
 * @param {Object} participant
 * @param {string} name
 * @param {HTMLElement} problem
 * @returns {HTMLElement}
 */
function form({ connection, up, down }, name, problem) {
    const send = debounced(100, async () => {
        try {
            await ask(`/v1/conditions/${encodeURIComponent(connection)}`, {
                method: "PUT", body: { up: ups.values, down: downs.values },
            });
            problem.textContent = "";
        } catch (error) {
            problem.textContent = error.message;
        }
    });
    const ups = new Direction(`${connection}-up`, "What it sends", up, send);
    const downs = new Direction(`${connection}-down`, "What it receives", down, send);
    return h("details", { class: "panel" }, h("summary", {}, `${name}’s network`), ups.element, downs.element);
}
