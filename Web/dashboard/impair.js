// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { APIError, ask, scopes } from "./api.js";
import { debounced, h } from "../shared/dom.js";
import { counted } from "./words.js";

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
        this.counters = h("p", { class: "quiet" });
        this.sliders = settings.map((setting) => this.slider(id, setting));
        this.outage = h("input", { type: "checkbox", id: `${id}-outage`, onchange: changed });
        this.element = h("fieldset", {}, h("legend", {}, title),
            h("div", { class: "presets" }, presets.map(([name, preset]) => this.preset(name, preset))),
            this.sliders.map(({ row }) => row),
            h("label", { class: "check", for: `${id}-outage` }, this.outage, "Nothing gets through"), this.counters);
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

    /** @param {Object<string, number>} values All of it; what has no slider stays as it is until a preset is chosen. */
    set(values) {
        this.given = values;
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
        return { ...this.given, ...values, outage: this.outage.checked ? 1 : 0 };
    }

    /** @returns {boolean} Whether nothing is done to the packets. */
    get isPerfect() {
        const { outage, stall_ms: stall } = this.values;
        return !outage && !stall && this.sliders.every(({ input }) => input.value === "0");
    }

    /** @param {?Object<string, number>} counters What was done to the packets so far. */
    showCounters(counters) {
        this.counters.textContent = counters === null ? "" : [
            counted(counters.packetsOffered, "packet"), `${counters.droppedByLoss} lost`,
            `${counters.droppedByQueue} dropped by the full queue`, `${counters.droppedByOutage} dropped by the outage`,
        ].join(", ");
    }
}

/** A participant's network: sliders for both directions. */
class Impairment {
    /**
     * @param {string} path Where it is set.
     * @param {Object} network
     * @param {string} name The participant's.
     * @param {HTMLElement} problem
     */
    constructor(path, network, name, problem) {
        Object.assign(this, { path, problem, changes: 0, sent: 0 });
        const send = debounced(100, () => this.send());
        const changed = () => {
            this.changes += 1;
            send();
        };
        this.up = new Direction(`${network.connection}-up`, "What it sends", network.up, changed);
        this.down = new Direction(`${network.connection}-down`, "What it receives", network.down, changed);
        this.title = h("summary");
        this.element = h("details", { class: "panel" }, this.title, this.up.element, this.down.element);
        this.show(network, name, 0);
    }

    /**
     * @param {Object} network As the server has it: someone else may have changed it.
     * @param {string} name
     * @param {number} changes Those that the server had when it was asked: of a later one it knew nothing.
     */
    show({ up, down, counters }, name, changes) {
        this.title.textContent = `${name}’s network`;
        if (changes === this.changes) {
            this.up.set(up);
            this.down.set(down);
        }
        this.up.showCounters(counters?.up ?? null);
        this.down.showCounters(counters?.down ?? null);
    }

    async send() {
        const { up, down, changes } = this;
        try {
            if (up.isPerfect && down.isPerfect) {
                await ask(this.path, { method: "DELETE" });
            } else {
                await ask(this.path, { method: "PUT", body: { up: up.values, down: down.values } });
            }
            this.problem.textContent = "";
        } catch (error) {
            this.problem.textContent = error.message;
        }
        this.sent = changes;
    }
}

/**
 * Shows sliders for the networks of all participants, where the server emulates any and whoever is logged in may change them.
 *
 * @param {HTMLElement} place
 * @param {import("./call.js").Call} call
 * @returns {Promise<function(): void>} Stops it.
 */
export async function showImpairment(place, call) {
    const allowed = await scopes();
    if (!allowed.includes("emulate")) return () => {};
    const session = `/v1/sessions/${encodeURIComponent(call.session)}`;
    const shown = new Map();
    const forms = h("div", { class: "impairments" });
    const problem = h("p", { class: "problem", role: "alert" });
    const look = async () => {
        const changes = new Map([...shown].map(([connection, impairment]) => [connection, impairment.sent]));
        const { networks } = await ask(`${session}/networks`);
        const present = new Set(networks.map(({ connection }) => connection));
        for (const [connection, impairment] of shown) {
            if (present.has(connection)) continue;
            impairment.element.remove();
            shown.delete(connection);
        }
        for (const network of networks) {
            const { connection } = network;
            const name = call.name(connection);
            if (shown.has(connection)) {
                shown.get(connection).show(network, name, changes.get(connection));
                continue;
            }
            const path = `${session}/connections/${encodeURIComponent(connection)}/network`;
            const impairment = new Impairment(path, network, name, problem);
            shown.set(connection, impairment);
            forms.append(impairment.element);
        }
    };
    try {
        await look();
    } catch (error) {
        // The server emulates none.
        if (error instanceof APIError && error.status === 404) return () => {};
        throw error;
    }
    const join = allowed.includes("tokens") ? h("button", { type: "button", onclick: () => {
        joinHere(call.session).catch((error) => { problem.textContent = error.message; });
    } }, "Join from this browser") : null;
    place.append(h("div", { class: "charthead" }, h("h2", {}, "Impair the network"), join), forms, problem);
    const timer = setInterval(() => look().catch((error) => {
        // The session has ended.
        if (error.status === 404) clearInterval(timer);
        problem.textContent = error.status === 404 ? "" : error.message;
    }), 2000);
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
