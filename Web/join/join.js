// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { SessionClient } from "./client.js";
import { h } from "../shared/dom.js";
import { testPattern } from "./test-pattern.js";

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
 * @returns {HTMLElement}
 */
function tile(title, media, isOwn) {
    const video = h("video", { autoplay: true, playsinline: true, "aria-label": title, data: { own: String(isOwn) } });
    video.muted = isOwn;
    video.srcObject = media;
    return h("figure", { class: "panel" }, video, h("figcaption", {}, title));
}

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
        this.shown = new Map();
    }

    /** @param {?function(): Promise<{media: MediaStream, end: function(): void}>} source `null` to watch only. */
    async begin(source) {
        this.source = await source?.();
        this.client = await SessionClient.join(location.origin, token, {
            onStreams: (streams) => this.watch(streams), onEnd: (reason) => this.over(reason),
            onAway: (isAway) => this.say(isAway), onProblem: (part, error) => this.ended(part, error),
        });
        this.say(false);
        this.showActions();
        this.watch(this.client.streams);
        if (!this.source) return;
        this.publication = await this.client.publish(this.source.media);
        videos.prepend(tile("You", this.source.media, true));
    }

    /** @param {boolean} isAway Whether the connection to the server is lost for the moment. */
    say(isAway) {
        const { name, id } = this.client.connection;
        status.textContent = isAway ? "the connection is lost; coming back…" : `in the session as ${name ?? id}`;
    }

    /** @param {Object[]} streams */
    watch(streams) {
        for (const [id, element] of this.shown) {
            if (streams.some((stream) => stream.id === id)) continue;
            element?.remove();
            this.shown.delete(id);
        }
        for (const stream of streams) {
            if (this.shown.has(stream.id) || stream.connection.id === this.client.connection.id) continue;
            this.shown.set(stream.id, null);
            this.client.subscribe(stream).then((part) => this.show(stream, part.media), refused);
        }
    }

    /**
     * Something has ended by itself.
     *
     * @param {Publication|Subscription} part
     * @param {Error} error
     */
    ended(part, error) {
        const whose = part.stream ? `${part.stream.connection.name ?? "a participant"}’s audio and video` : "your own stream";
        problem.textContent = `The call continues without ${whose}: ${error.message}`;
        if (part.stream) this.shown.get(part.stream.id)?.remove();
    }

    /**
     * @param {Object} stream
     * @param {MediaStream} media
     */
    show(stream, media) {
        const element = tile(stream.connection.name ?? "somebody", media, false);
        this.shown.set(stream.id, element);
        videos.append(element);
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
            h("h1", {}, `Session ${this.client.session}`),
            h("div", { class: "actions" },
                this.source ? [toggle("audio", "Unmute", "Mute"), toggle("video", "Show video", "Hide video")] : [],
                h("button", { type: "button", id: "leave", onclick: () => this.client.leave() }, "Leave")),
            problem, videos);
    }

    /** @param {string} reason */
    over(reason) {
        this.source?.end();
        videos.replaceChildren();
        this.shown.clear();
        status.textContent = "";
        showChoices(endings[reason] ?? `The session is over for you: ${reason}.`);
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
            refused(error);
        }
    } }, text);
    page.replaceChildren(
        h("h1", {}, "Join the call"),
        token ? h("p", {}, note) : h("p", { class: "problem" }, "There is no token: open the link that invited you."),
        h("div", { class: "actions" },
            choice("camera", "With camera and microphone", camera),
            choice("test-pattern", "With a test pattern", async () => testPattern("browser")),
            choice("watch", "Only watch", null)),
        problem);
}

showChoices("Choose what the others see of you.");
