// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { StreamPart } from "./part.js";
import { Peer, PeerLink } from "./peer.js";

/** How long frames are waited for on a new path that has connected, before it is taken without, ms. */
const frameTimeout = 3000;

/**
 * What a client receives of someone's stream: from the media router or from its publisher.
 *
 * Whatever is new stands beside what is there until media arrives by it; then the old goes.
 */
export class Subscription extends StreamPart {
    /**
     * @param {Session} client
     * @param {Object} stream As the server describes it.
     * @param {boolean} hasVideo Whether its video is wanted.
     */
    constructor(client, stream, hasVideo) {
        super(client);
        Object.assign(this, { stream, hasVideo });
        /** Audio and video, as they arrive. */
        this.media = new MediaStream();
        /** What publishers have offered, by the server's names. */
        this.offered = new Map();
        /** The way through the router. */
        this.link = null;
        /** The peer connection that media is taken from. */
        this.current = null;
    }

    async open() {
        const request = { stream: this.stream.id, preference: { subscribeToVideo: this.hasVideo } };
        if (this.client.mayBeRelayed) return this.takeHandle("subscribe", request);
        this.link = this.makeLink("subscribe", request, (peer) => this.show(peer));
        return this.link.connect();
    }

    makeLink(type, body, onPeer) {
        return new PeerLink(this.client, {
            type, body: () => body, onPeer, prepare: (peer) => peer.receiveMedia(), isEndless: true,
            onFailure: (error) => this.fail(error),
        });
    }

    /** @param {{router: boolean}} routes */
    takeRoutes({ router }) {
        const isRouted = Boolean(this.current) && this.current === this.link?.peer;
        if (!router) {
            if (!this.current || isRouted) return;
            this.closeLink();
            return this.notifySettled();
        }
        // What the server heard before it changed its mind may have said otherwise.
        if (isRouted) return this.notifySettled();
        if (this.link) return;
        this.link = this.makeLink("replace", { replaces: this.handle }, (peer) => {
            // One that takes a lost one's place has nothing beside it to wait with.
            if (!this.current || !this.offered.has(this.current.name)) this.settle(peer);
            else this.settleWithMedia(peer);
        });
        this.link.bringBack();
    }

    /** @param {{leg: string, offer: string}} message A publisher's offer. */
    async takeOffer({ leg, offer }) {
        const peer = this.offered.get(leg) ?? this.makeOffered(leg);
        try {
            await peer.answer(offer);
        } catch (error) {
            if (this.offered.get(leg) !== peer) return;
            this.client.send("answer", { leg, message: String(error.message).slice(0, 200) });
            if (peer.connection.connectionState !== "connected") this.dropOffered(leg);
            return;
        }
        if (!this.offered.has(leg) || peer === this.current) return;
        // The first has nothing beside it that could deliver media instead.
        if (this.current) this.settleWithMedia(peer);
        else this.settle(peer);
    }

    /** @param {string} name */
    makeOffered(name) {
        const peer = new Peer(this.client, {
            onState: (state) => {
                // Only the publisher can make another offer.
                if (state === "failed" && this.offered.has(name)) this.client.send("legLost", { leg: name });
            },
            // Whoever makes the offers does something about it.
            onLost: () => {}, onRestart: () => {},
        }, name);
        this.offered.set(name, peer);
        return peer;
    }

    /** @param {string} name */
    dropOffered(name) {
        this.offered.get(name)?.close();
        this.offered.delete(name);
    }

    /** @param {Peer} peer Media is taken from it as soon as it brings any. */
    settleWithMedia(peer) {
        const settle = () => this.settle(peer);
        const wait = () => {
            if (peer.connection.connectionState !== "connected") return;
            const video = peer.tracks.find(({ kind }) => kind === "video");
            if (!video?.muted || !this.stream.content.hasVideo) return settle();
            video.addEventListener("unmute", settle, { once: true });
            setTimeout(settle, frameTimeout);
        };
        peer.connection.addEventListener("connectionstatechange", wait);
        wait();
    }

    /** @param {Peer} peer Media is taken from it from now on; what was there before goes. */
    settle(peer) {
        const isOffered = this.offered.get(peer.name) === peer;
        if (peer === this.current || this.isOver || !(isOffered || this.link?.peer === peer)) return;
        this.show(peer);
        this.notifySettled();
        for (const name of [...this.offered.keys()]) if (name !== peer.name) this.dropOffered(name);
        if (isOffered) this.closeLink();
    }

    /** @param {Peer} peer */
    show(peer) {
        this.current = peer;
        for (const old of this.media.getTracks()) this.media.removeTrack(old);
        for (const track of peer.tracks) this.media.addTrack(track);
    }

    notifySettled() { this.client.send("settled", { leg: this.current.name }); }

    closeLink() {
        this.link?.close();
        this.link = null;
    }

    get reporting() { return this.current ? [this.current] : []; }

    get name() { return this.handle ?? this.link?.name; }

    closeWays() {
        this.current = null;
        this.closeLink();
        for (const name of [...this.offered.keys()]) this.dropOffered(name);
    }

    get ending() { return "unsubscribe"; }
}
