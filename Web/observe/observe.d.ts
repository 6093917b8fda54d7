// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** What is observed, and for whom. */
export interface ObserverOptions {
    /** The participant's token, of the scope `observe`. */
    token: string;
    /** The Sightline server, such as `https://quality.example.org`; if omitted the one that this script is from. */
    server?: string;
}

/** What is known of a peer connection beside its reports. */
export interface PeerOptions {
    /** A name that the participant's other peer connections do not have; made up if omitted. */
    name?: string;
    /** The participant at its other end, as its token names it; pairs both ends where a server changes the SSRCs. */
    remote?: string;
}

/** What is known of a track beside its peer connection's reports: pairs both ends where a server changes the SSRCs. */
export interface TrackTag {
    /** The participant that sends it, as its token names it; omitted for a track of one's own. */
    participant?: string;
    /** What the app calls the track, the same at both ends, such as `camera`, or the id that the server gave it. */
    name?: string;
}

/** What a call was like: 5 is the best. */
export type Score = 1 | 2 | 3 | 4 | 5;

/** Why a call is rated as it is. */
export interface RatingOptions {
    /** One of the app's own words, such as `echo`, of 64 bytes at most. Whoever may read calls sees it. */
    reason?: string;
    /** The person's own words, of 1000 bytes at most. Those who may see names see them. */
    comment?: string;
}

/** Sends what the peer connections of one participant report. */
export class Observer {
    constructor(options: ObserverOptions);
    /** Observes a peer connection, or says more of one that is observed. */
    observe(connection: RTCPeerConnection, options?: PeerOptions): void;
    /** Says what the participant thinks of the call; resolves to whether the server keeps it. */
    rate(score: Score, why?: RatingOptions): Promise<boolean>;
    /** Observes nothing any more. */
    stop(): void;
}

/**
 * Observes all calls that the page makes from now on; with `wraps: false` only what is named by `observe`. What was observed
 * until now and is not closed continues by the new token, also if the last one was refused meanwhile, if both are for the
 * same participant in the same call, and unless `stop` was called. Until then `server` and `wraps` are as in the call
 * before where they are omitted. With a text that is no token it changes nothing, warns once on the console, and returns
 * what `start` returned last, or, where that was nothing, an observer that observes nothing.
 */
export function start(options: ObserverOptions & { wraps?: boolean }): Observer;

/** Observes a peer connection, or says more of one that is observed. Does nothing before `start`. */
export function observe(connection: RTCPeerConnection, options?: PeerOptions): void;

/**
 * Says whose track it is, or what it is called; what is said last counts, and an empty tag takes it back. It may be said
 * before `start`, and before the track is added.
 */
export function tag(track: MediaStreamTrack, tag: TrackTag): void;

/** Says what the participant thinks of the call, also when it is over; resolves to whether the server keeps it. */
export function rate(score: Score, why?: RatingOptions): Promise<boolean>;

/** Observes nothing any more; a later `start` begins without what was observed until now. */
export function stop(): void;
