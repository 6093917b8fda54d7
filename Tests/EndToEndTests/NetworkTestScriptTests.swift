// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing
import WebRTCStats

/// What a page's network test does when its network is bad, in virtual time and without a browser.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(1)))
    struct NetworkTestScriptTests {
        /// A server that says how long the test may take, and connections with a path.
        private static let world = """
            let limit, hasKeys = false, sending = null;
            const said = [];
            const result = { report: { verdict: "neither" }, sentence: "Neither.", isConclusive: true };
            const answers = {
                join: () => ({ type: "joined", session: "s", role: "publisher", connection: { id: "me" }, mediaMode: "routed",
                    streams: [], iceServers: [] }),
                networkTest: ({ course }) => ({ type: "networkTest", actions: [], ...(course.ended ? { result } : { limit }) }),
                publish: () => ({ type: "published", answer: "", stream: { id: "mine" } }),
                subscribe: () => ({ type: "subscribed", answer: "" }),
                unpublish: () => ({ type: "done" }),
                unsubscribe: () => ({ type: "done" }),
            };
            globalThis.WebSocket = class {
                bufferedAmount = 0;
                constructor() { queueMicrotask(() => this.onopen()); }
                send(text) {
                    const message = JSON.parse(text);
                    said.push({ ...message, at: now, sending });
                    this.hear({ ...answers[message.type]?.(message), re: message.id });
                    const isOffer = ["publish", "subscribe"].includes(message.type);
                    if (isOffer && hasKeys) this.hear({ type: "facts", leg: message.leg, counters: [1, true] });
                }
                hear(message) {
                    if (message.type) queueMicrotask(() => this.onmessage({ data: JSON.stringify(message) }));
                }
                close() {}
            };
            const sender = {
                replaceTrack: async (track) => { sending = track?.kind ?? null; },
                getParameters: () => ({ encodings: [{}] }),
                setParameters: async () => {},
            };
            globalThis.RTCPeerConnection = class extends EventTarget {
                iceConnectionState = "connected";
                get connectionState() { return hasKeys ? "connected" : "connecting"; }
                addTransceiver() { return { sender, setCodecPreferences: () => {} }; }
                async setLocalDescription() { this.localDescription = { sdp: "" }; }
                async setRemoteDescription() {}
                async getStats() {
                    // A fifth of what is sent comes back, and no frame.
                    const audio = { type: "inbound-rtp", id: "A", timestamp: now, kind: "audio", packetsReceived: Math.floor(now / 100) };
                    return new Map([["L", { type: "local-candidate", id: "L", timestamp: now }], ["A", audio]]);
                }
                close() {}
            };
            globalThis.RTCRtpReceiver = { getCapabilities: () => ({ codecs: [] }) };
            globalThis.MediaStream = class {
                constructor(...kinds) { this.tracks = kinds.map((kind) => ({ kind, getSettings: () => ({}) })); }
                getAudioTracks() { return this.tracks.filter(({ kind }) => kind === "audio"); }
                getVideoTracks() { return this.tracks.filter(({ kind }) => kind === "video"); }
                addTrack() {}
            };
            globalThis.document = { createElement: () => ({ play: async () => {} }) };
            const { testNetwork } = await import("./client/index.js");
            const run = async () => {
                const begun = {};
                let verdict = "none", over = null;
                testNetwork({
                    url: "https://calls.example.org", token: "token", media: new MediaStream("audio", "video"),
                    onProgress: ({ step }) => { begun[step] ??= now; },
                }).then((report) => { verdict = report.verdict; }, (error) => { verdict = String(error); }).then(() => { over = now; });
                await pass(30);
                const asked = said.filter(({ type }) => type === "networkTest");
                const ended = asked.find(({ course }) => course.ended);
                const measured = asked.find(({ course }) => course.measuring);
                const failure = ended?.course.ended.outcome.failure;
                console.log(JSON.stringify({
                    verdict, over, ended: ended?.at ?? null, step: failure?.step ?? null, code: failure?.code ?? null,
                    wait: measured ? measured.at - begun.mediaReceived : null, sending: measured?.sending ?? null,
                }));
                process.exit(0);
            };

            """

        @Test(
            "a test of connections that get no keys ends when its time is up, with the step that it had come to",
            arguments: [("undefined", 14_000.0), ("6000", 6_000)])
        func ends(limit: String, time: Double) async throws {
            let heard = try await NodeScript.runInVirtualTime(
                Self.world + "limit = \(limit);\nawait run();\n")
            #expect(heard["verdict"]?.text == "neither")
            #expect(heard["step"]?.text == "dtls" && heard["code"]?.text == "outOfTime")
            #expect((time...time + 100).contains(heard["ended"]?.number ?? 0))
        }

        @Test("a server that does not judge a test whose time is up keeps no one waiting for it")
        func noJudgement() async throws {
            let heard = try await NodeScript.runInVirtualTime(
                Self.world
                    + "const usual = answers.networkTest;\n"
                    + "answers.networkTest = (message) => (message.course.ended ? undefined : usual(message));\n"
                    + "await run();\n")
            #expect((15_000...15_050).contains(heard["over"]?.number ?? 0))
            #expect(heard["verdict"]?.text?.contains("NetworkTestError") == true)
        }

        @Test("a path that is full is soon no longer filled, and not while the server is asked")
        func fullPath() async throws {
            let heard = try await NodeScript.runInVirtualTime(
                Self.world + "hasKeys = true;\nlimit = 5000;\nawait run();\n")
            #expect((250...1300).contains(heard["wait"]?.number ?? 0))
            #expect(heard["sending"] == .null)
            // The server says what was known when time was up.
            #expect(heard["step"] == .null && heard["verdict"]?.text == "neither")
            #expect((5000...5100).contains(heard["ended"]?.number ?? 0))
        }
    }
}
