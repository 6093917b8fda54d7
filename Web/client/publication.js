// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { PeerLink } from "./peer.js";
import { StreamPart } from "./part.js";

/** How long a way to a subscriber may take to connect, ms. */
const connectionLimit = 15_000;
const router = "router";

/**
 * What a client publishes: through the media router, to its subscribers directly, or for a while both, as the server
 * says.
 */
export class Publication extends StreamPart {
    /**
     * @param {Session} client
     * @param {MediaStream} media
     * @param {Object} request What `publish` says beside the leg and the offer.
     */
    constructor(client, media, request) {
        super(client);
        Object.assign(this, { media, request });
        /** What brings the stream back on a server that restarted. */
        this.restore = undefined;
        /** By the end that each leads to. */
        this.ways = new Map();
        /** Whether the reports are those of the way through the router. */
        this.showsRouter = true;
    }

    async open() {
        const body = () => ({ ...this.request, restore: this.restore });
        let answer;
        if (this.client.mayBeRelayed) {
            answer = await this.takeHandle("publish", body());
        } else {
            const onFailure = (error) => this.fail(error);
            const link = this.makeLink({ type: "publish", body, isEndless: true, onFailure });
            this.ways.set(router, { link, turn: 0 });
            answer = await link.connect();
        }
        this.restore = answer.restore;
    }

    /** @param {Object} plan */
    makeLink(plan) {
        const prepare = (peer) => peer.sendMedia(this.media, this.request.maximumBitrate);
        return new PeerLink(this.client, { ...plan, prepare });
    }

    /** @param {Object} message The ends that the server wants. */
    takeRoutes(message) {
        const wanted = new Map(message.router ? [[router, { turn: 0, subscribesToVideo: true }]] : []);
        for (const subscriber of message.subscribers) wanted.set(subscriber.subscriberId, subscriber);
        for (const [end, way] of this.ways) {
            if (wanted.get(end)?.turn === way.turn) continue;
            this.ways.delete(end);
            this.endWay(way);
        }
        this.keepJudged();
        for (const [end, { turn, subscribesToVideo }] of wanted) {
            if (!this.ways.has(end)) this.beginWay(end, turn);
            const way = this.ways.get(end);
            way.hasVideo = subscribesToVideo;
            this.applyVideo(way);
        }
    }

    /**
     * @param {string} end
     * @param {number} turn
     */
    beginWay(end, turn) {
        const way = { turn };
        const body = end === router ? { replaces: this.handle } : { publication: this.handle, subscriberId: end };
        const giveUp = (error) => {
            if (this.ways.get(end) !== way) return;
            if (end === router) this.fail(error);
            else this.giveUp(end, error.message);
        };
        way.link = this.makeLink({
            type: end === router ? "replace" : "relay", body: () => body, onPeer: () => this.applyVideo(way),
            // In place of one to a subscriber the server knows another way; the router's leads to all others, too.
            isEndless: end === router, onFailure: giveUp,
        });
        this.ways.set(end, way);
        way.link.bringBack();
        if (end === router) return;
        way.limit = setTimeout(() => {
            if (!way.link.hasConnected) giveUp(new Error("no network path was found in time"));
        }, connectionLimit);
    }

    /**
     * The server knows another way to a subscriber, or ends its subscription.
     *
     * @param {string} subscriberId
     * @param {string} message
     */
    giveUp(subscriberId, message) {
        this.client.send("giveUp", { publication: this.handle, subscriberId, message: message.slice(0, 200) });
    }

    /** Sends video or none, as the subscriber wants it. */
    applyVideo({ link, hasVideo }) {
        for (const { sender, mid } of link.peer?.connection.getTransceivers() ?? []) {
            // Before the first offer it is not known which is which.
            if (mid === null || !this.media.getVideoTracks().length) continue;
            const [track] = this.media.getVideoTracks();
            if (sender.track?.kind === "audio" || (sender.track === track) === hasVideo) continue;
            sender.replaceTrack(hasVideo ? track : null).catch(() => {});
        }
    }

    endWay({ link, limit }) {
        clearTimeout(limit);
        link.close();
    }

    /** Those whose reports count: while the way changes the old ones, until the last of them has gone. */
    get reporting() {
        const all = [...this.ways].filter(([, { link }]) => link.peer);
        const isShown = ([end]) => (end === router) === this.showsRouter;
        if (all.length > 0 && !all.some(isShown)) this.showsRouter = !this.showsRouter;
        return all.filter(isShown).map(([, { link }]) => link.peer);
    }

    /** Says whether there is audio and video now, after tracks were enabled or disabled. */
    async update() {
        const isOn = (tracks) => tracks.some((track) => track.enabled);
        const content = {
            ...this.request.content,
            hasAudio: isOn(this.media.getAudioTracks()), hasVideo: isOn(this.media.getVideoTracks()),
        };
        this.request = { ...this.request, content };
        await this.client.ask("update", { leg: this.name, content });
    }

    get name() { return this.handle ?? this.ways.get(router)?.link.name; }

    closeWays() {
        for (const way of this.ways.values()) this.endWay(way);
        this.ways.clear();
    }

    get ending() { return "unpublish"; }
}
