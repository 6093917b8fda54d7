// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import { Session } from "./client.js";
import { SessionError } from "./link.js";
import { FirstMedia, TestPublication, TestSubscription } from "./test-connections.js";
import { OwnMedia, TestMedia } from "./test-media.js";

/*
 * A network test: the page makes the connections, reads them, and does what the server says, which decides and judges as the
 * SDK's test does.
 */

/** How often the connections are read, ms. */
const interval = 250;
/** How often connections are looked at that are being made, ms. */
const glance = 50;
/** How long each step may take, ms. */
const limit = 8000;
/** How long keys are waited for before a connection is made again: its lost packets are sent again after ever longer times, ms. */
const keyLimit = 4000;
/** How long the first frame is waited for, from the first packet on, ms. */
const frameLimit = 1500;
/** How long the media router has to say that it fills the downlink, ms; the request is there before what is asked next. */
const answerLimit = 3000;
/** How long the whole test may take before it asks for the result, until the server says it, ms. */
const usualLimit = 14_000;
/** How long the server has to judge, and at least that where the test's time is over, ms. */
const [farewell, shortFarewell] = [5000, 1000];
/** What the connections' steps are of the whole. */
const share = 0.2;
const connecting = [
    "serverReachable", "tokenAccepted", "sessionFree", "publish", "subscribe", "iceCandidates", "udpPath", "dtls", "mediaReceived",
];

/** What to do where no server is there to say it. */
const advice = {
    unreachable: "Check the address and the internet connection; ask whether a firewall or proxy keeps WebSockets out.",
    lost: "Try again; if it stays, ask whether the server is healthy.",
    token: "Get a new token of this server, for a session that exists; if it is new, check this device's date.",
    silent: "Begin the test when someone clicks or presses a key, or give it media of your own.",
};

/** What is wrong where a step takes too long. */
const missing = {
    address: "this device found no address at which it could be reached",
    path: "no path to the media router was found: is UDP blocked, or a TURN server missing?",
    keys: "the media router was reached, but no keys could be agreed on with it",
    media: "nothing of the test stream came back from the media router",
    frame: "no video came back",
    answer: "the server did not answer in time",
    time: "the test had no more time for this step",
};

const sleep = (time) => new Promise((resolve) => { setTimeout(resolve, time); });

/** That a test could not be made, for a reason that is not the network's; says what to do. */
export class NetworkTestError extends Error {
    /** @param {{step: string, code: string, message: string, advice: string}} failure */
    constructor({ step, code, message, advice: what }) {
        super(`${message}${/[.?!]$/.test(message) ? "" : "."} ${what}`);
        Object.assign(this, { name: "NetworkTestError", step, code, advice: what });
    }
}

/** The steps of a test, and its progress. */
class StepLog {
    /** @param {function(Object): void} [onProgress] */
    constructor(onProgress) {
        this.begin = performance.now();
        this.start = Date.now();
        this.steps = [];
        this.current = null;
        this.fraction = 0;
        this.onProgress = onProgress;
    }

    get elapsed() { return Math.round((performance.now() - this.begin) * 100) / 100; }

    /** @param {string} step It begins; the one before it has passed. */
    enter(step) {
        this.leave("passed");
        this.current = { step, start: this.elapsed };
        this.notify({ step });
    }

    /** @param {"passed"|"failed"} outcome Of the present step. */
    leave(outcome) {
        if (!this.current) return;
        const { step, start } = this.current;
        this.current = null;
        const completed = { step, start, duration: Math.round((this.elapsed - start) * 100) / 100, outcome };
        this.steps.push(completed);
        this.notify({ step, completed });
    }

    /** @param {{step: string, completed?: Object}} progress */
    notify(progress) {
        const place = connecting.indexOf(progress.step);
        if (place >= 0) this.advance((share * (place + (progress.completed ? 1 : 0))) / connecting.length);
        this.onProgress?.({ ...progress, fraction: this.fraction });
    }

    /**
     * @param {Object} sample
     * @param {number} done Of what comes after the connections, 0 to 1 or more.
     */
    sample(sample, done) {
        this.advance(share + (1 - share) * Math.min(Math.max(0, done), 1));
        this.onProgress?.({ step: sample.step, fraction: this.fraction, sample });
    }

    advance(fraction) { this.fraction = Math.max(this.fraction, fraction); }
}

/** One test. */
class NetworkTest {
    /** @param {Object} options As `testNetwork` takes them. */
    constructor({ url, token, media, onProgress, signal }) {
        Object.assign(this, { url, token, signal });
        this.log = new StepLog(onProgress);
        this.media = media ? new OwnMedia(media) : new TestMedia();
        // Only what is made for it has enough to send, and only some browsers send what they do not believe in.
        this.fillsUplink = !media && !("mozInnerScreenX" in globalThis);
        this.publication = null;
        this.subscription = null;
        /** Whether the server has begun to say what is to be done. */
        this.isMeasuring = false;
        this.isReading = false;
        this.isOver = false;
        /** Whether the media router did not answer in time that it fills the downlink, until the server knows. */
        this.isUnanswered = false;
        /** What was read and not sent yet. */
        this.readings = [];
        /** Settled when the test cannot continue. */
        this.interruption = new Promise((_, reject) => { this.interrupt = reject; });
        this.interruption.catch(() => {});
        /** That the test has taken all of its time. */
        this.timeUp = new SessionError("timeout", missing.time);
        this.stop = () => this.interrupt(signal.reason);
        signal?.addEventListener("abort", this.stop, { once: true });
    }

    /** @returns {Promise<Object>} The report. */
    async run() {
        this.endBy(usualLimit);
        try {
            await this.connect();
            const failure = await this.outcome();
            this.log.leave(failure ? "failed" : "passed");
            return await this.conclude(failure);
        } finally {
            this.isOver = true;
            this.signal?.removeEventListener("abort", this.stop);
            clearInterval(this.timer);
            clearTimeout(this.burst);
            clearTimeout(this.ending);
            this.publication?.close();
            this.subscription?.close();
            this.media.end();
            this.session?.leave();
        }
    }

    async connect() {
        this.log.enter("serverReachable");
        if (!await this.during(this.media.begin())) {
            throw new NetworkTestError({
                step: "serverReachable", code: "silent", message: "The browser keeps the test's tone from playing",
                advice: advice.silent,
            });
        }
        const connection = Session.connect(this.url, this.token);
        // One that comes too late is not needed any more.
        connection.then((session) => { if (this.isOver) session.leave(); }, () => {});
        try {
            this.session = await this.during(connection);
        } catch (error) {
            throw this.refusal(error);
        }
        this.session.addEventListener("reconnecting", () => this.interrupt(
            new SessionError("connectionLost", "the connection to the server was lost in the middle of the test")));
        this.session.addEventListener("disconnected", ({ detail }) => this.interrupt(
            new SessionError("connectionEnded", `the session ended: ${detail.reason}`)));
        this.log.enter("tokenAccepted");
    }

    /** @param {Error} error Why the session could not be entered. */
    refusal(error) {
        if (!(error instanceof SessionError)) return error;
        const { code, message } = error;
        const isAway = code === "unreachable" || error === this.timeUp;
        if (!isAway) this.log.enter("tokenAccepted");
        const { step } = this.log.current;
        this.log.leave("failed");
        return new NetworkTestError({ step, code, message, advice: isAway ? advice.unreachable : advice.token });
    }

    /** @returns {Promise<?Object>} Why the test could not be carried through; `null` if it was. */
    async outcome() {
        try {
            await this.carryOut();
            return null;
        } catch (error) {
            if (this.signal?.aborted) throw this.signal.reason;
            if (!(error instanceof SessionError)) throw error;
            // The server knows whether what was measured until then is a verdict.
            if (error === this.timeUp && this.isMeasuring) return null;
            const { message } = error;
            const code = error === this.timeUp ? "outOfTime" : error.code;
            return { step: this.log.current?.step ?? "sessionFree", code, message: message.slice(0, 300) };
        }
    }

    /** @param {?Object} failure @returns {Promise<Object>} The server's judgement. */
    async conclude(failure) {
        clearInterval(this.timer);
        // Media would be in the way of the question, also those that an action releases which is still under way.
        this.publication?.retire();
        this.silence().catch(() => {});
        // Whatever the server refused, what comes after it builds on nothing.
        this.readings = [];
        const outcome = { start: this.log.start, steps: this.log.steps, ...(failure ? { failure } : {}) };
        const left = this.limit + shortFarewell - this.log.elapsed;
        const late = sleep(Math.max(shortFarewell, Math.min(farewell, left))).then(() => null);
        const answer = this.session.isOver || this.session.link.isAway
            ? null : await Promise.race([this.exchange({ ended: { outcome } }).catch(() => null), late]);
        if (!answer?.result) {
            throw new NetworkTestError({
                step: failure?.step ?? "quality", code: failure?.code ?? "connectionLost",
                message: failure?.message ?? "The server does not answer", advice: advice.lost,
            });
        }
        const { report, sentence, isConclusive } = answer.result;
        if (!isConclusive) throw new NetworkTestError(report.failure);
        return { ...report, sentence };
    }

    // What the test consists of.

    async carryOut() {
        this.log.enter("sessionFree");
        await this.during(this.exchange({ connecting: {} }));
        this.timer = setInterval(() => this.read(), interval);
        await this.open(true, (step) => this.log.enter(step));
        this.log.enter("mediaReceived");
        await this.release();
        await this.awaitFirstFrame();
        await this.measure();
    }

    /** Waits for the first frame, for as long as media are not too much for the path. */
    async awaitFirstFrame() {
        const first = new FirstMedia();
        const isEnough = () => {
            const { audioPackets, frames, readAt } = this.subscription;
            if (this.media.audio) first.add(audioPackets, readAt);
            return frames > 0 || first.isTooMuch;
        };
        // A network that is too narrow for it is not a broken one; what fills it would keep the server from hearing of that.
        await this.poll(frameLimit, missing.frame, isEnough).catch(() => this.check());
        if (this.subscription.frames === 0) await this.during(this.silence());
    }

    /** Does what the server says until that is all. */
    async measure() {
        this.isMeasuring = true;
        for (;;) {
            // A network without room for video has little for words.
            await this.during(sleep(this.publication.hasVideo ? interval : 2 * interval));
            const course = { fillsUplink: this.fillsUplink, ...(this.isUnanswered ? { isUnanswered: true } : {}) };
            this.isUnanswered = false;
            const { actions } = await this.during(this.exchange({ measuring: course }));
            for (const action of actions) {
                const [[name, what]] = Object.entries(action);
                if (name === "finish") return;
                await this.during(this.actions[name]?.call(this, what));
            }
        }
    }

    /** What the server may want, by its name. */
    actions = {
        begin({ step }) { this.log.enter(step); },
        async fill({ directions, bitrate, seconds, downlinkSeconds }) {
            // On a narrow uplink the request would wait behind media until it is lost.
            await this.silence();
            await this.check();
            // What comes back of the test's own stream would fill a downlink that is narrower. The media router needs no word to
            // send video's padding while it fills the downlink, and none to end that: such a word would not get through.
            this.subscription.receiveVideo(false);
            if (directions.includes("downlink")) {
                const asking = this.session.ask("saturate", {
                    leg: this.subscription.name, bitrate, seconds: downlinkSeconds ?? seconds,
                });
                asking.catch(() => {});
                const answer = asking.then(() => true);
                this.isUnanswered = !await this.during(Promise.race([answer, sleep(answerLimit)]));
            }
            if (!directions.includes("uplink")) return;
            this.media.fill(bitrate);
            if (this.fillsUplink) await this.publication.saturate(bitrate);
            else await this.publication.hold(false);
            await this.check();
            // No word comes through a line that is full.
            this.burst = setTimeout(() => this.silence().catch(() => {}), seconds * 1000);
        },
        async silence() { await this.silence(); },
        async release({ start, maximumVideo }) {
            clearTimeout(this.burst);
            this.media.fill(0);
            this.subscription.receiveVideo(true);
            await this.publication.release(start, maximumVideo);
        },
        setFrameRate({ rate }) { this.media.setFrameRate(rate); },
        async renewSubscription() {
            await this.resubscribe();
            await this.check();
            await this.agree();
            await this.release();
        },
        async renewStreamWithoutVideo() {
            await this.open(false);
            await this.release();
        },
        async stopVideo() { await this.publication.stopVideo(); },
        sample({ sample, done }) { this.log.sample(sample, done); },
    };

    async silence() {
        clearTimeout(this.burst);
        await this.publication?.silence();
    }

    // The connections.

    /**
     * Publishes a stream and subscribes to it, until media can flow.
     *
     * @param {boolean} hasVideo
     * @param {function(string): void} [enter] Called with each step.
     */
    async open(hasVideo, enter = () => {}) {
        await this.reach(hasVideo, enter);
        enter("dtls");
        await this.agree();
    }

    /** Publishes a stream and subscribes to it, until packets get through. */
    async reach(hasVideo, enter = () => {}) {
        await this.end(this.subscription, "unsubscribe");
        await this.end(this.publication, "unpublish");
        // What answers as the test ends is not built upon.
        await this.check();
        enter("publish");
        this.publication = new TestPublication(this.session, this.onLost, this.media, hasVideo);
        await this.within(this.publication.open());
        enter("subscribe");
        await this.subscribe();
        enter("iceCandidates");
        await this.poll(limit, missing.address, () => this.publication.hasCandidates);
        enter("udpPath");
        await this.poll(limit, missing.path, () => this.publication.hasPath);
    }

    async resubscribe() {
        await this.end(this.subscription, "unsubscribe");
        await this.check();
        await this.subscribe();
    }

    subscribe() {
        this.subscription = new TestSubscription(this.session, this.onLost);
        return this.within(this.subscription.open(this.publication.stream));
    }

    onLost = () => this.interrupt(new SessionError("mediaLost", "the test stream is over before the test is"));

    /** Waits for keys at both ends; connections that do not come to an agreement soon are made again, as a call would. */
    async agree() {
        const deadline = performance.now() + 2 * limit;
        for (;;) {
            const time = Math.min(keyLimit, deadline - performance.now());
            const haveKeys = () => this.publication.hasKeys && this.subscription.hasKeys;
            try {
                return await this.poll(time, missing.keys, haveKeys);
            } catch (error) {
                if (error === this.timeUp || error.code !== "timeout" || performance.now() >= deadline) throw error;
            }
            if (this.publication.hasKeys) await this.resubscribe();
            else await this.reach(this.publication.hasVideo);
        }
    }

    /** Lets media flow, and waits until they come back. */
    async release() {
        await this.check();
        await this.publication.hold(false);
        await this.poll(limit, missing.media, () => this.subscription.packets > 0);
    }

    /**
     * @param {?TestPublication|TestSubscription} leg
     * @param {string} type What notifies the server that it is over.
     */
    async end(leg, type) {
        if (!leg) return;
        leg.close();
        this.readings = this.readings.filter(({ leg: name }) => name !== leg.name);
        await this.within(this.session.ask(type, { leg: leg.name }).catch(() => {}));
    }

    // What is read.

    /** Reads both connections. */
    async read() {
        if (this.isReading) return;
        this.isReading = true;
        for (const leg of [this.subscription, this.publication]) await this.readLeg(leg).catch(() => {});
        this.isReading = false;
        if (!this.isMeasuring) this.exchange({ connecting: {} }).catch(this.interrupt);
    }

    /** @param {?TestPublication|TestSubscription} leg */
    async readLeg(leg) {
        const report = await leg?.report();
        if (!report || ![this.subscription, this.publication].includes(leg)) return;
        leg.take(report);
        this.readings.push({ leg: leg.name, time: this.log.elapsed, changes: leg.changes.add(report) });
    }

    /**
     * Tells the server what was read, and asks what to do.
     *
     * @param {Object} course What the test is at.
     * @returns {Promise<Object>}
     */
    async exchange(course) {
        const readings = this.readings.splice(0);
        const answer = await this.session.ask("networkTest", { time: this.log.elapsed, course, readings });
        if (answer.limit !== undefined) this.endBy(answer.limit);
        return answer;
    }

    // Time.

    /** @param {number} limit When whatever is still under way is given up, ms since the test began. */
    endBy(limit) {
        clearTimeout(this.ending);
        this.limit = limit;
        if (!this.isOver) this.ending = setTimeout(() => this.interrupt(this.timeUp), limit - this.log.elapsed);
    }

    /** @param {Promise} work Rejected at once when the test cannot continue. */
    during(work) { return Promise.race([this.interruption, work]); }

    /** @param {Promise} work What a server has so long for. */
    within(work) {
        const late = sleep(limit).then(() => {
            throw new SessionError("timeout", missing.answer);
        });
        late.catch(() => {});
        return this.during(Promise.race([work, late]));
    }

    /** Throws what ended the test, if it is over. */
    check() { return this.during(null); }

    /**
     * Waits until something is so.
     *
     * @param {number} time ms
     * @param {string} message What to say if it is not.
     * @param {function(): boolean} isFulfilled
     */
    async poll(time, message, isFulfilled) {
        const deadline = performance.now() + time;
        while (!isFulfilled()) {
            if (performance.now() >= deadline) throw new SessionError("timeout", message);
            await this.during(sleep(glance));
        }
    }
}

/**
 * Finds out before a call what can be published here and now; `index.d.ts` says more.
 *
 * @param {{url: string|URL, token: string, media?: MediaStream, onProgress?: function(Object): void, signal?: AbortSignal}} options
 * @returns {Promise<Object>}
 * @throws {NetworkTestError}
 */
export async function testNetwork(options) {
    options.signal?.throwIfAborted();
    return new NetworkTest(options).run();
}
