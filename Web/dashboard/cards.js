// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import "../client/bars.js";
import { h } from "../shared/dom.js";
import { bars, blame, clock, endingWords, label, orDash, rate, sentence, side, trouble } from "./words.js";

/** Older samples of a running call say nothing of now, ms. */
const freshness = 6000;

/** One stream at one participant, as a row of a card; kept and updated, so that the keyboard stays where it is. */
class FlowRow {
    /**
     * @param {Object} flow
     * @param {function(): void} select Shows its charts.
     */
    constructor(flow, select) {
        this.flow = flow;
        this.signal = h("sightline-bars", { label: "Signal" });
        this.title = h("span", { class: "title" });
        this.condition = h("span", { class: "condition" });
        this.reason = h("span", { class: "reason" });
        this.blame = h("strong", { class: "blame" });
        this.sentence = h("span", { class: "sentence" });
        this.figures = h("span", { class: "figures" });
        this.element = h("button", { type: "button", class: "flow", "aria-pressed": "false", onclick: select },
            this.signal,
            h("span", { class: "verdict" }, this.title, this.condition, this.reason, this.blame, this.sentence,
                this.figures));
    }

    /**
     * @param {{title: string, sample: ?Object, names: Object, isSelected: boolean}} state `sample` is
     *   `null` if there is none of now.
     */
    update({ title, sample, names, isSelected }) {
        const condition = sample?.networkCondition ?? "unknown";
        this.title.textContent = title;
        this.signal.level = bars(sample);
        this.condition.textContent = label("NetworkCondition", condition);
        this.condition.dataset.condition = condition;
        this.reason.textContent = reason(sample);
        const guilty = blame(sample, this.flow.role, names);
        this.blame.textContent = guilty ? `To blame: ${guilty}` : "";
        // As long as the network is not known, nothing that is wrong is no finding.
        const isEarly = condition === "unknown" && sample?.diagnosis?.cause === "none";
        this.sentence.textContent = isEarly ? "" : sentence(judgement(sample, this.flow.role));
        this.figures.textContent = sample ? figures(sample) : "No data in the last few seconds.";
        this.element.setAttribute("aria-pressed", String(isSelected));
        this.element.dataset.role = this.flow.role;
    }
}

/**
 * The diagnosis, with the side that a relayed publisher's comparison of its paths names.
 *
 * @param {?Object} sample
 * @param {string} role
 * @returns {?Object}
 */
function judgement(sample, role) {
    const diagnosis = sample?.diagnosis;
    const named = side(sample, role);
    return diagnosis && named && named !== "none" ? { ...diagnosis, side: named } : diagnosis;
}

/**
 * What drives the condition, and what is diagnosed where that is something else.
 *
 * @param {?Object} sample
 * @returns {string}
 */
function reason(sample) {
    const cause = sample?.diagnosis?.cause;
    const words = [trouble("NetworkReason", sample?.networkConditionReason)];
    if (cause !== "unknown") words.push(trouble("Cause", cause));
    return [...new Set(words.filter(Boolean))].join(" · ");
}

/**
 * @param {Object} sample
 * @returns {string}
 */
function figures(sample) {
    const { video, audio } = sample;
    const parts = [
        video && `video ${orDash(video.bitrate, rate)}`,
        video?.height && `${video.width}x${video.height}`,
        video?.frameRate !== undefined && `${Math.round(video.frameRate)} fps`,
        audio && `audio ${orDash(audio.bitrate, rate)}`,
        sample.fractionLost !== undefined && `loss ${(sample.fractionLost * 100).toFixed(1)} %`,
        sample.roundTripTime !== undefined && `RTT ${Math.round(sample.roundTripTime * 1000)} ms`,
    ];
    return parts.filter(Boolean).join(" · ");
}

/** A participant with all streams that it sends and receives. */
class Card {
    /** @param {string} connection */
    constructor(connection) {
        this.connection = connection;
        this.name = h("h3");
        this.note = h("p", { class: "note" });
        this.rows = new Map();
        this.list = h("div", { class: "flows" });
        this.element = h("article", { class: "card panel" }, this.name, this.note, this.list);
    }
}

/** Everyone in the session. */
export class Cards {
    /** @param {function(string): void} onSelect Gets the key of a flow whose charts are wanted. */
    constructor(onSelect) {
        this.onSelect = onSelect;
        this.cards = new Map();
        this.element = h("div", { class: "cards" });
    }

    /** @param {import("./call.js").Call} call */
    update(call) {
        const present = new Set();
        for (const connection of call.connections()) {
            present.add(connection.connection);
            this.updateCard(connection, call);
        }
        for (const [id, card] of this.cards) {
            if (present.has(id)) continue;
            card.element.remove();
            this.cards.delete(id);
        }
    }

    /**
     * @param {Object} connection
     * @param {import("./call.js").Call} call
     */
    updateCard(connection, call) {
        let card = this.cards.get(connection.connection);
        if (!card) {
            card = new Card(connection.connection);
            this.cards.set(connection.connection, card);
            this.element.append(card.element);
        }
        const isGone = connection.leaveTime !== undefined;
        card.name.textContent = call.name(connection.connection);
        const times = isGone ? `left ${clock(connection.leaveTime)}${endingWords(connection.reason)}` : `since ${clock(connection.joinTime)}`;
        card.note.textContent = [connection.role, connection.client, times].filter(Boolean).join(" · ");
        card.element.classList.toggle("gone", isGone);
        for (const flow of call.flowsOf(connection.connection)) this.updateRow(card, flow, call, isGone);
    }

    /**
     * @param {Card} card
     * @param {Object} flow
     * @param {import("./call.js").Call} call
     * @param {boolean} isGone
     */
    updateRow(card, flow, call, isGone) {
        let row = card.rows.get(flow.key);
        if (!row) {
            row = new FlowRow(flow, () => this.onSelect(flow.key));
            card.rows.set(flow.key, row);
            card.list.append(row.element);
        }
        // An ended stream shows how it was last; a running one only what is fresh.
        const since = isGone || flow.endTime !== undefined || call.isOver ? null : call.now() - freshness;
        row.element.classList.toggle("ended", since === null);
        row.update({
            title: call.flowTitle(flow), sample: call.latest(flow.key, since)?.sample ?? null,
            names: { own: call.name(flow.connection), publisher: call.publisherName(flow) },
            isSelected: call.selected === flow.key,
        });
    }
}
