// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

/// What a browser asks of a server that it cannot reach for a while.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(3)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct GuestReturnTests {
        /// Publishes; before the answer comes, the server is out of reach for a minute.
        ///
        /// Time and sockets are the script's own.
        private static let script = """
            import("/web/client/index.js").then(async ({ connect }) => {
                const timers = new Map();
                let [now, last] = [0, 0];
                const set = (run, after = 0) => (timers.set(++last, { run, at: now + after }), last);
                Object.assign(window, { setTimeout: set, clearTimeout: (id) => timers.delete(id), setInterval: () => 0 });
                const settled = async () => { for (let turn = 0; turn < 50; turn += 1) await null; };
                const pass = async (end) => {
                    for (;;) {
                        await settled();
                        const due = [...timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
                        if (!due) return;
                        timers.delete(due[0]);
                        now = Math.max(now, due[1].at);
                        due[1].run();
                    }
                };
                let isUp = true;
                const sent = [];
                const answers = {
                    join: { type: "joined", session: "s", role: "publisher", connection: { id: "me" }, mediaMode: "adaptive",
                        streams: [], iceServers: [], resumption: { token: "t", seconds: 600 } },
                    resume: { type: "resumed", received: 0 },
                };
                window.WebSocket = class {
                    constructor() {
                        (window.sockets ??= []).push(this);
                        if (isUp) queueMicrotask(() => this.onopen());
                    }
                    send(text) {
                        const message = JSON.parse(text);
                        sent.push(message.type);
                        const answer = answers[message.type];
                        if (answer) queueMicrotask(() => this.onmessage({ data: JSON.stringify({ ...answer, re: message.id }) }));
                    }
                    close() { queueMicrotask(() => this.onclose?.()); }
                };
                const session = await connect(location.origin, "token");
                const publishing = session.publish(new MediaStream()).catch((error) => error.code);
                await settled();
                isUp = false;
                window.sockets.at(-1).onclose();
                await pass(60_000);
                isUp = true;
                sent.length = 0;
                await pass(66_000);
                return sent.filter((type) => type === "publish").length;
            })
            """

        @Test("is asked once, however long the way back takes: a stream is not published twice")
        func asksOnce() async throws {
            #expect(try await ReportChangesTests.evaluate([Self.script]) == ["1"])
        }
    }
}
