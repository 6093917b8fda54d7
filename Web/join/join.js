// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import "../client/bars.js";
import { connect, testNetwork, testPattern } from "../client/index.js";
import { h } from "../shared/dom.js";

const page = document.getElementById("page");
const status = document.getElementById("status");
const videos = h("div", { class: "videos" });
const problem = h("p", { class: "problem", role: "alert" });

/** The token is kept for as long as the page is open, and taken out of the address and the history. */
const token = new URLSearchParams(location.hash.slice(1)).get("token");
history.replaceState(null, "", location.pathname);

/**
 * @returns {Promise<{media: MediaStream, end: function(): void}>}
 */
async function camera() {
    const media = await navigator.mediaDevices.getUserMedia({ audio: true, video: { width: 640, height: 360 } });
    return { media, end: () => media.getTracks().forEach((track) => track.stop()) };
}

/**
 * @param {string} title
 * @param {MediaStream} media
 * @param {boolean} isOwn No one wants to hear themselves.
 * @returns {{element: HTMLElement, bars: HTMLElement, advice: HTMLElement}}
 */
function tile(title, media, isOwn) {
    const video = h("video", { autoplay: true, playsinline: true, "aria-label": title, data: { own: String(isOwn) } });
    video.muted = isOwn;
    video.srcObject = media;
    const bars = h("sightline-bars", { label: isOwn ? "Your network" : `Network of ${title}` });
    const advice = h("p", { class: "quiet", role: "status" });
    return { element: h("figure", { class: "panel" }, video, h("figcaption", {}, title, " ", bars), advice), bars, advice };
}

/** How much the page wants to know of everyone's network. */
const networkQuality = { local: "minimal", remote: "minimal" };

/** Why the session can be over, in words. */
const endings = {
    left: "You have left.",
    lost: "The server could not be reached again in time.",
    resumptionOver: "You were away for too long, and are out of the session.",
    shutdown: "The server was shut down.",
    expiredToken: "The link that invited you is no longer valid: ask for another one.",
    unknownSession: "The session has ended meanwhile.",
};

/** @param {Error} error */
function refused(error) {
    problem.textContent = error.message;
}

/** What someone does in a session, from entering it to leaving it. */
class Participation {
    constructor() {
        /** What is shown of others' streams, by their ids; `null` before there is anything. */
        this.shown = new Map();
        /** The bars of each connection. */
        this.bars = new Map();
    }

    /** @param {?function(): Promise<{media: MediaStream, end: function(): void}>} source `null` to watch only. */
    async begin(source) {
        this.source = await source?.();
        this.session = await connect(location.origin, token, { networkQuality });
        const on = (type, react) => this.session.addEventListener(type, ({ detail }) => react(detail));
        on("streamcreated", ({ stream }) => this.watch(stream));
        on("streamdestroyed", ({ stream }) => this.remove(stream));
        on("networkqualitychange", ({ connection, level }) => {
            for (const bars of this.bars.get(connection) ?? []) bars.level = level;
        });
        on("reconnecting", () => this.say(true));
        on("reconnected", () => this.say(false));
        on("disconnected", ({ reason }) => this.over(reason));
        this.say(false);
        this.showActions();
        for (const stream of this.session.streams) this.watch(stream);
        if (!this.source) return;
        this.publication = await this.session.publish(this.source.media, { senderStatsTrack: true });
        this.publication.addEventListener("ended", ({ detail }) => this.ended(detail.error, "your own stream"));
        const own = tile("You", this.source.media, true);
        this.follow(this.publication, own, this.session.connection);
        videos.prepend(own.element);
    }

    /** @param {boolean} isAway Whether the connection to the server is lost for the moment. */
    say(isAway) {
        const { name, id } = this.session.connection;
        status.textContent = isAway ? "the connection is lost; coming back…" : `in the session as ${name ?? id}`;
    }

    /** @param {Object} stream */
    async watch(stream) {
        if (this.shown.has(stream.id)) return;
        this.shown.set(stream.id, null);
        const name = stream.connection.name ?? "a participant";
        try {
            const subscription = await this.session.subscribe(stream);
            const shown = tile(name, subscription.media, false);
            // The stream may have ended meanwhile.
            if (!this.shown.has(stream.id)) return;
            this.shown.set(stream.id, shown);
            this.follow(subscription, shown, stream.connection);
            subscription.addEventListener("ended", ({ detail }) => {
                this.remove(stream);
                this.ended(detail.error, `${name}’s audio and video`);
            });
            videos.append(shown.element);
        } catch (error) {
            if (this.shown.has(stream.id)) refused(error);
        }
    }

    /** @param {Object} stream */
    remove({ id, connection }) {
        const shown = this.shown.get(id);
        shown?.element.remove();
        this.bars.get(connection.id)?.delete(shown?.bars);
        this.shown.delete(id);
    }

    /** Shows how the network of whoever sends does, and what is wrong with what is sent or received. */
    follow(part, { bars, advice }, connection) {
        if (!this.bars.has(connection.id)) this.bars.set(connection.id, new Set());
        this.bars.get(connection.id).add(bars);
        bars.level = this.session.networkQualityOf(connection.id)?.level ?? null;
        part.addEventListener("qualitychange", ({ detail }) => { advice.textContent = detail.sentence ?? ""; });
    }

    /**
     * @param {?Error} error Why something has ended by itself; `null` if it has not.
     * @param {string} whose
     */
    ended(error, whose) {
        if (error) problem.textContent = `The call continues without ${whose}: ${error.message}`;
    }

    showActions() {
        const toggle = (kind, on, off) => {
            const button = h("button", { type: "button", "aria-pressed": "false", onclick: () => {
                const tracks = this.source.media.getTracks().filter((track) => track.kind === kind);
                for (const track of tracks) track.enabled = !track.enabled;
                const isOff = tracks.every((track) => !track.enabled);
                button.textContent = isOff ? on : off;
                button.setAttribute("aria-pressed", String(isOff));
                this.publication?.update().catch(refused);
            } }, off);
            return button;
        };
        page.replaceChildren(
            h("h1", {}, `Session ${this.session.id}`),
            h("div", { class: "actions" },
                this.source ? [toggle("audio", "Unmute", "Mute"), toggle("video", "Show video", "Hide video")] : [],
                h("button", { type: "button", id: "leave", onclick: () => this.session.leave() }, "Leave")),
            problem, videos);
    }

    /** @param {string} reason */
    over(reason) {
        this.source?.end();
        videos.replaceChildren();
        this.shown.clear();
        this.bars.clear();
        status.textContent = "";
        showChoices(endings[reason] ?? `The session is over for you: ${reason}.`);
    }
}

/** Says what the network here carries, before the call. */
async function testFirst() {
    const cancelled = new AbortController();
    const bar = h("progress", { max: "1", value: "0", "aria-label": "Network test" });
    const step = h("p", { class: "quiet" }, "Testing…");
    problem.textContent = "";
    page.replaceChildren(
        h("h1", {}, "Your network"), bar, step,
        h("div", { class: "actions" }, h("button", { type: "button", onclick: () => cancelled.abort() }, "Stop")));
    const onProgress = ({ fraction, step: name }) => {
        bar.value = fraction;
        step.textContent = `Testing: ${name}`;
    };
    try {
        const { sentence } = await testNetwork({ url: location.origin, token, onProgress, signal: cancelled.signal });
        showChoices(sentence);
    } catch (error) {
        showChoices("Choose what the others see of you.");
        if (!cancelled.signal.aborted) refused(error);
    }
}

/** @param {string} note */
function showChoices(note) {
    const choice = (id, text, source) => h("button", { type: "button", id, onclick: async () => {
        problem.textContent = "";
        const participation = new Participation();
        try {
            await participation.begin(source);
        } catch (error) {
            participation.source?.end();
            // Why the session is over has been said.
            if (error.code !== "ended") refused(error);
        }
    } }, text);
    page.replaceChildren(
        h("h1", {}, "Join the call"),
        token ? h("p", {}, note) : h("p", { class: "problem" }, "There is no token: open the link that invited you."),
        h("div", { class: "actions" },
            choice("camera", "With camera and microphone", camera),
            choice("test-pattern", "With a test pattern", async () => testPattern("browser")),
            choice("watch", "Only watch", null),
            h("button", { type: "button", id: "test", onclick: testFirst }, "Test the network first")),
        problem);
}

showChoices("Choose what the others see of you.");
