// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import MediaPolicy
import TestSupport
import Testing
import WebRTCStats

/// What the browser's client tells its page, without a browser and without a server.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(1)))
    struct ClientScriptTests {
        /// A watch over a publication, and what it tells.
        private static let watch = """
            const { QualityWatch } = await import("./client/quality.js");
            const target = new EventTarget(), heard = [];
            for (const type of ["qualitychange", "networkcondition", "videoquality", "warning", "warningrecovered"]) {
                target.addEventListener(type, ({ detail }) =>
                    heard.push([type, detail.reason ?? detail.level, detail.recovery].filter((one) => one !== undefined).join(" ")));
            }
            const watch = new QualityWatch(target);
            const judged = (leg, level, more = {}) => ({ leg, sample: {
                levels: { audio: { level } }, diagnosis: { cause: "none" }, ...more } });
            const legs = (...names) => new Set(names);
            const warning = (phase, reason = "zeroAudioLevel", recovery = undefined) => ({ events: [
                { type: "callQuality", reason, phase, media: "audio", direction: "outbound", isAlarm: phase === "trigger", recovery }] });
            const say = (value) => console.log(JSON.stringify(value));

            """

        @Test("a warning is raised once and cleared once, also by whoever forgets it")
        func warnings() async throws {
            let heard = try await NodeScript.run(
                Self.watch + """
                    watch.take(judged("c1", "five", warning("trigger")), legs("c1"));
                    watch.take(judged("c1", "five", warning("trigger")), legs("c1"));
                    watch.take(judged("c1", "five", warning("recover", "lowMOS")), legs("c1"));
                    watch.take(judged("c1", "five", warning("recover", "zeroAudioLevel", "measured")), legs("c1"));
                    watch.take(judged("c1", "five", warning("trigger")), legs("c1"));
                    const raised = watch.warnings.length;
                    watch.forget();
                    watch.forget();
                    say({ heard: heard.join(), raised, left: watch.warnings.length });
                    """)
            #expect(
                heard["heard"]?.text == """
                    qualitychange 5,warning zeroAudioLevel,warningrecovered zeroAudioLevel measured,\
                    warning zeroAudioLevel,warningrecovered zeroAudioLevel notApplicable
                    """)
            #expect(heard["raised"]?.number == 1 && heard["left"]?.number == 0)
        }

        @Test(
            "a test's answer bounds video's congestion control and steadies audio, whatever parameters are there"
        )
        func bounded() async throws {
            let heard = try await NodeScript.run(
                """
                const { bounded } = await import("./client/test-connections.js");
                const lines = ["a=rtpmap:111 opus/48000/2", "a=fmtp:111 useinbandfec=1", "a=rtpmap:96 VP8/90000",
                    "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96", ""];
                const bounds = { minimum: 30, start: 100, maximum: 200 };
                const of = (sdp) => bounded(sdp, bounds).split("\\r\\n").filter((line) => line.startsWith("a=fmtp")).join(" ");
                const without = lines.filter((line) => !line.startsWith("a=fmtp:111"));
                console.log(JSON.stringify({ plain: of(without.join("\\r\\n")), given: of(lines.join("\\r\\n")) }));
                """)
            let video =
                "a=fmtp:96 x-google-min-bitrate=30;x-google-start-bitrate=100;x-google-max-bitrate=200"
            let audio = "maxaveragebitrate=40000;cbr=1"
            #expect(heard["plain"]?.text == "a=fmtp:111 \(audio) \(video) a=fmtp:97 apt=96")
            #expect(heard["given"]?.text == "a=fmtp:111 useinbandfec=1;\(audio) \(video) a=fmtp:97 apt=96")
        }

        @Test("of several connections the worst counts, and none that is gone")
        func connections() async throws {
            let heard = try await NodeScript.run(
                Self.watch + """
                    watch.take(judged("c1", "five"), legs("c1", "c2"));
                    watch.take(judged("c2", "two"), legs("c1", "c2"));
                    watch.take(judged("c1", "four"), legs("c1", "c2"));
                    watch.take(judged("c1", "unknown", { networkCondition: "good" }), legs("c1"));
                    say({ heard: heard.join(), level: watch.current.level, condition: watch.current.networkCondition });
                    """)
            #expect(heard["heard"]?.text == "qualitychange 5,qualitychange 2,qualitychange ")
            #expect(heard["level"] == .null && heard["condition"]?.text == "good")
        }

        @Test("a warning of two connections is raised until neither has it, and goes with the last of them")
        func sharedWarning() async throws {
            let heard = try await NodeScript.run(
                Self.watch + """
                    watch.take(judged("c1", "five", warning("trigger")), legs("c1", "c2"));
                    watch.take(judged("c2", "two", warning("trigger")), legs("c1", "c2"));
                    watch.take(judged("c1", "five", warning("recover")), legs("c1", "c2"));
                    const between = watch.warnings.length;
                    watch.keep(legs("c1"));
                    say({ heard: heard.join(), between, left: watch.warnings.length, level: watch.current.level });
                    """)
            #expect(
                heard["heard"]?.text == """
                    qualitychange 5,warning zeroAudioLevel,qualitychange 2,\
                    warningrecovered zeroAudioLevel notApplicable,qualitychange 5
                    """)
            #expect(heard["between"]?.number == 1 && heard["left"]?.number == 0)
            #expect(heard["level"]?.number == 5)
        }

        /// A client in a session with a server that answers as `answers` say, and what it hears.
        private static let session = """
            const answers = {
                join: { type: "joined", session: "s", role: "publisher", connection: { id: "me" }, mediaMode: "routed",
                    streams: [{ id: "own", connection: { id: "me" } }, { id: "other", connection: { id: "you" } }],
                    iceServers: [], resumption: { token: "t", seconds: 600 } },
                resume: { type: "resumed", received: 1 },
            };
            const sockets = [], sent = [];
            globalThis.WebSocket = class {
                constructor() {
                    sockets.push(this);
                    queueMicrotask(() => this.onopen());
                }
                send(text) {
                    const message = JSON.parse(text);
                    sent.push(message);
                    const answer = answers[message.type];
                    if (answer) queueMicrotask(() => this.hear({ ...answer, re: message.id }));
                }
                hear(message) { this.onmessage({ data: JSON.stringify(message) }); }
                close() {}
            };
            const page = new EventTarget();
            globalThis.addEventListener = page.addEventListener.bind(page);
            globalThis.removeEventListener = page.removeEventListener.bind(page);
            const { connect } = await import("./client/index.js");
            const session = await connect("https://calls.example.org", "token", { networkQuality: { remote: "minimal" } });
            const heard = [];
            session.addEventListener("networkqualitychange", ({ detail }) => heard.push(`${detail.connection} ${detail.level}`));
            session.addEventListener("reconnecting", () => heard.push("away"));
            const back = new Promise((resolve) => session.addEventListener("reconnected", () => {
                heard.push("back");
                resolve();
            }));
            session.addEventListener("streamcreated", ({ detail }) => heard.push(`new ${detail.stream.id}`));
            session.addEventListener("streamdestroyed", ({ detail }) => heard.push(`gone ${detail.stream.id} ${detail.reason}`));
            const known = session.streams.map(({ id }) => id);
            const hear = (message) => sockets.at(-1).hear(message);
            const level = (connection, name) => hear({ type: "networkQuality",
                participants: [{ connection, quality: { level: name, isIdle: false } }] });

            """

        @Test("the own network is at 0 while the server is away, and as it was after")
        func away() async throws {
            let heard = try await NodeScript.run(
                Self.session + """
                    hear({ type: "streamCreated", id: "mine", connection: { id: "me" } });
                    hear({ type: "streamCreated", id: "hers", connection: { id: "her" } });
                    hear({ type: "streamDestroyed", id: "other", reason: "left" });
                    level("me", "four");
                    level("you", "two");
                    sockets.at(-1).onclose();
                    await back;
                    session.leave();
                    console.log(JSON.stringify({ heard: heard.join(), known: known.join(),
                        asked: sent.filter(({ type }) => type === "networkQuality").map(({ local, remote }) => `${local} ${remote}`).join(),
                        now: session.streams.map(({ id }) => id).join() }));
                    process.exit(0);
                    """)
            #expect(
                heard["heard"]?.text
                    == "new hers,gone other left,me 4,you 2,away,me 0,back,me 4")
            #expect(heard["known"]?.text == "other" && heard["now"]?.text == "hers")
            #expect(heard["asked"]?.text == "minimal minimal")
        }

        @Test("of a server that restarted no one's network is known until it says so")
        func restarted() async throws {
            let heard = try await NodeScript.run(
                Self.session + """
                    level("me", "four");
                    level("you", "two");
                    answers.resume = { type: "error", code: "unknownResumption", message: "no" };
                    answers.join = { ...answers.join, connection: { id: "again" }, streams: [] };
                    sockets.at(-1).onclose();
                    await back;
                    level("you", "three");
                    session.leave();
                    console.log(JSON.stringify({ heard: heard.join() }));
                    process.exit(0);
                    """)
            #expect(heard["heard"]?.text == "me 4,you 2,away,me 0,me null,you null,back,you 3")
        }

        /// The session with peer connections that do nothing, and media for them; waits of seconds are over at once.
        private static let media =
            session + """
                const connections = [], waits = [], later = globalThis.setTimeout;
                globalThis.setTimeout = (call, time) => {
                    if (time >= 15_000) return 0;
                    waits.push(time);
                    return later(call, 0);
                };
                globalThis.RTCPeerConnection = class extends EventTarget {
                    connectionState = "connected";
                    added = [];
                    constructor() {
                        super();
                        connections.push(this);
                    }
                    addTransceiver(track, init) {
                        this.added.push(init);
                        return { setCodecPreferences: () => {} };
                    }
                    async setLocalDescription() { this.localDescription = { sdp: "" }; }
                    async setRemoteDescription() {}
                    async getStats() { return new Map([["T", { type: "transport", id: "T", timestamp: 1 }]]); }
                    getTransceivers() { return []; }
                    close() { this.connectionState = "closed"; }
                };
                globalThis.RTCRtpReceiver = { getCapabilities: () => ({ codecs: [] }) };
                globalThis.MediaStream = class {
                    constructor(...kinds) { this.tracks = kinds.map((kind) => ({ kind, getSettings: () => ({}) })); }
                    getTracks() { return this.tracks; }
                    getAudioTracks() { return this.tracks.filter(({ kind }) => kind === "audio"); }
                    getVideoTracks() { return this.tracks.filter(({ kind }) => kind === "video"); }
                    addTrack() {}
                    removeTrack() {}
                };
                answers.publish = { type: "published", answer: "", stream: { id: "mine" } };
                answers.subscribe = { type: "subscribed", answer: "" };
                const say = (value) => {
                    console.log(JSON.stringify(value));
                    process.exit(0);
                };
                const settle = () => new Promise((resolve) => later(resolve, 20));
                const outcome = (promise) => promise.then(() => "well", ({ code }) => code);

                """

        @Test("what is refused for good is tried as often as by the SDK, after as long waits")
        func givesUp() async throws {
            let heard = try await NodeScript.run(
                Self.media + """
                    answers.publish = { type: "error", code: "tooMany", message: "no more" };
                    waits.length = 0;
                    const code = await outcome(session.publish(new MediaStream("audio")));
                    say({ code, waits, connections: connections.length, open: connections.filter(({ connectionState }) =>
                        connectionState !== "closed").length, parts: session.parts.size });
                    """)
            #expect(heard["code"]?.text == "tooMany" && heard["connections"]?.number == 6)
            #expect(heard["open"]?.number == 0 && heard["parts"]?.number == 0)
            let waits = try #require(heard["waits"]?.list)
            #expect(waits.count == 5)
            for (wait, least) in zip(waits, [500.0, 1000, 2000, 4000, 8000]) {
                #expect((least...1.5 * least).contains(wait.number ?? 0))
            }
        }

        @Test(
            "what had worked is brought back however long it takes; where that is of no use it ends with the reason"
        )
        func lost() async throws {
            let heard = try await NodeScript.run(
                Self.media + """
                    const publication = await session.publish(new MediaStream("audio"));
                    let error;
                    publication.addEventListener("ended", ({ detail }) => { error = detail.error; });
                    answers.replace = { type: "error", code: "routerUnavailable", message: "no router" };
                    const { name } = publication;
                    sent.length = 0;
                    waits.length = 0;
                    hear({ type: "mediaLost", legs: [name] });
                    while (sent.filter(({ type }) => type === "replace").length < 12) await settle();
                    const isTried = !publication.isOver, long = waits.filter((wait) => wait >= 8000);
                    answers.replace = { type: "error", code: "unknownLeg", message: "no such leg" };
                    while (!publication.isOver) await settle();
                    const end = sent.at(-1);
                    say({ isTried, long: long.length, longest: Math.max(...long), code: error.code, end: end.type,
                        isIts: end.leg === name });
                    """)
            #expect(heard["isTried"] == .bool(true) && heard["code"]?.text == "unknownLeg")
            #expect(heard["long"]?.number ?? 0 >= 7 && heard["longest"]?.number ?? 99999 <= 12_000)
            #expect(heard["end"]?.text == "unpublish" && heard["isIts"] == .bool(true))
        }

        @Test("what a server had that restarted is opened again however long its router takes")
        func reopened() async throws {
            let heard = try await NodeScript.run(
                Self.media + """
                    const parts = [await session.publish(new MediaStream("audio")), await session.subscribe(session.streams[0])];
                    const { publish, subscribe } = answers;
                    const refusal = { type: "error", code: "routerUnavailable", message: "it starts" };
                    Object.assign(answers, { publish: refusal, subscribe: refusal,
                        resume: { type: "error", code: "unknownResumption", message: "no" } });
                    sent.length = 0;
                    sockets.at(-1).onclose();
                    const tries = (wanted) => sent.filter(({ type }) => type === wanted).length;
                    while (Math.min(tries("publish"), tries("subscribe")) < 12) await settle();
                    const first = await outcome(session.publish(new MediaStream("audio")));
                    const over = parts.filter(({ isOver }) => isOver).length;
                    Object.assign(answers, { publish, subscribe });
                    while (session.peers.size < 2 || parts.some(({ name }) => !name)) await settle();
                    await settle();
                    const asked = sent.length;
                    await settle();
                    say({ first, over, names: parts.every(({ name }) => session.peers.has(name)), more: sent.length - asked });
                    """)
            #expect(heard["first"]?.text == "routerUnavailable" && heard["over"]?.number == 0)
            #expect(heard["names"] == .bool(true) && heard["more"]?.number == 0)
        }

        /// The session as one that may be relayed, whose router is away, and a part in it that is to take the way through it.
        private static let relayed =
            media + """
                session.mayBeRelayed = true;
                Object.assign(answers, { publish: { type: "published" }, subscribe: { type: "subscribed" },
                    replace: { type: "error", code: "routerUnavailable", message: "no router" } });
                const tries = (wanted) => sent.filter(({ type }) => type === wanted).length;

                """

        @Test(
            "a way to the router that is refused ends nothing: it is tried as long as it is wanted and there is use in it",
            arguments: ["publish(new MediaStream('audio'))", "subscribe(session.streams[0])"])
        func relayedWithoutRouter(request: String) async throws {
            let heard = try await NodeScript.run(
                Self.relayed + """
                    const part = await session.\(request);
                    const routes = (router) => hear({ type: "routes", leg: part.name, router, subscribers: [] });
                    routes(true);
                    while (tries("replace") < 12) await settle();
                    const isTried = !part.isOver;
                    if ("\(request)".startsWith("publish")) {
                        routes(false);
                        await settle();
                        const before = tries("replace");
                        await settle();
                        if (tries("replace") > before) throw new Error("tried, though it is not wanted");
                        routes(true);
                    }
                    answers.replace = { type: "replaced", answer: "" };
                    while (session.peers.size === 0 || !sent.some(({ leg, type }) => type === "replace" && session.peers.has(leg))) {
                        await settle();
                    }
                    await settle();
                    const last = tries("replace");
                    await settle();
                    say({ isTried, isOver: part.isOver, more: tries("replace") - last });
                    """)
            #expect(heard["isTried"] == .bool(true) && heard["isOver"] == .bool(false))
            #expect(heard["more"]?.number == 0)
        }

        @Test("a way to a subscriber is given up after six tries, and the publication continues")
        func relayedWithoutPath() async throws {
            let heard = try await NodeScript.run(
                Self.relayed + """
                    answers.relay = { type: "error", code: "peerUnavailable", message: "no peer" };
                    const part = await session.publish(new MediaStream("audio"));
                    hear({ type: "routes", leg: part.name, router: false,
                        subscribers: [{ subscriberId: "you", turn: 0, subscribesToVideo: true }] });
                    while (tries("giveUp") < 1) await settle();
                    await settle();
                    say({ relays: tries("relay"), given: tries("giveUp"), isOver: part.isOver });
                    """)
            #expect(heard["relays"]?.number == 6 && heard["given"]?.number == 1)
            #expect(heard["isOver"] == .bool(false))
        }

        @Test(
            "who publishes or subscribes as the session or the stream ends is refused, whatever the browser is doing",
            arguments: ["setLocalDescription", "setRemoteDescription", "none"], ["leave", "gone"])
        func endsMeanwhile(hanging: String, end: String) async throws {
            let heard = try await NodeScript.run(
                Self.media + """
                    if ("\(hanging)" === "none") delete answers.subscribe;
                    else RTCPeerConnection.prototype.\(hanging) = () => new Promise(() => {});
                    const subscribing = outcome(session.subscribe(session.streams[0]));
                    await settle();
                    if ("\(end)" === "leave") session.leave();
                    else hear({ type: "streamDestroyed", id: "other", reason: "left" });
                    const code = await subscribing;
                    await settle();
                    say({ code, parts: session.parts.size, peers: session.peers.size });
                    """)
            #expect(heard["code"]?.text == (end == "leave" ? "ended" : "unknownStream"))
            #expect(heard["parts"]?.number == 0 && heard["peers"]?.number == 0)
        }

        @Test("the bound of a publication's bitrate is its video's, less what audio takes")
        func maximumBitrate() async throws {
            let heard = try await NodeScript.run(
                Self.media + """
                    const bounds = async (kinds, maximumBitrate) => {
                        await session.publish(new MediaStream(...kinds), { maximumBitrate });
                        return connections.at(-1).added.map(({ sendEncodings }) => sendEncodings?.[0].maxBitrate ?? null).join();
                    };
                    say({
                        both: await bounds(["audio", "video"], 500_000), video: await bounds(["video"], 500_000),
                        little: await bounds(["audio", "video"], 20_000), none: await bounds(["audio", "video"]),
                        null: await bounds(["audio", "video"], null),
                    });
                    """)
            #expect(heard["both"]?.text == ",468000" && heard["video"]?.text == "500000")
            #expect(heard["little"]?.text == ",30000" && heard["none"]?.text == ",")
            #expect(heard["null"]?.text == ",")
        }

        @Test("a peer connection that does not say how it is keeps no other's reports from the server")
        func hangingStatistics() async throws {
            let heard = try await NodeScript.run(
                Self.media + """
                    await session.publish(new MediaStream("audio"));
                    await session.publish(new MediaStream("audio"));
                    let asked = 0;
                    connections[0].getStats = () => {
                        asked += 1;
                        return new Promise(() => {});
                    };
                    sent.length = 0;
                    for (let second = 0; second < 3; second += 1) await session.report();
                    const legs = sent.filter(({ type }) => type === "telemetry").map(({ events }) => events.map(({ leg }) => leg).join());
                    say({ legs: legs.length, other: new Set(legs).size, asked });
                    """)
            #expect(heard["legs"]?.number == 3 && heard["other"]?.number == 1 && heard["asked"]?.number == 1)
        }

        @Test("a page that does not come back has left, one that may has not")
        func pageHides() async throws {
            let heard = try await NodeScript.run(
                Self.media + """
                    const hide = (persisted) => page.dispatchEvent(Object.assign(new Event("pagehide"), { persisted }));
                    const leaves = () => sent.filter(({ type }) => type === "leave").length;
                    hide(true);
                    const kept = leaves();
                    hide(false);
                    hide(false);
                    say({ kept, left: leaves(), isOver: session.isOver });
                    """)
            #expect(heard["kept"]?.number == 0 && heard["left"]?.number == 1)
            #expect(heard["isOver"] == .bool(true))
        }

        @Test("the bars can be imported where there are no elements, and are made without style sheets")
        func bars() async throws {
            let heard = try await NodeScript.run(
                """
                const { SightlineBars } = await import("./client/bars.js");
                globalThis.HTMLElement = class {
                    attachShadow() { return { children: [], append(...all) { this.children.push(...all); } }; }
                };
                globalThis.document = { createElement: (name) => ({ name, style: {} }) };
                globalThis.CSSStyleSheet = class { constructor() { throw new TypeError("Illegal constructor"); } };
                let made;
                HTMLElement.prototype.attachShadow = () => (made = { children: [], append(...all) { this.children.push(...all); } });
                const { SightlineBars: Bars } = await import("./client/bars.js?again");
                new Bars();
                console.log(JSON.stringify({ name: SightlineBars.name, made: made.children.map(({ name }) => name).join(" ") }));
                """)
            #expect(heard["name"]?.text == "SightlineBars")
            #expect(heard["made"]?.text == "style span span span span span")
        }
    }
}
