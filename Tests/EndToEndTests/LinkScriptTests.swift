// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing
import WebRTCStats

/// How the browser's client finds the server that has its session, without a browser and without a server.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(1)))
    struct LinkScriptTests {
        /// A cluster: `home` is where the session is, `gone` what cannot be reached.
        private static let cluster = """
            import { SessionLink } from "./client/link.js";
            const world = { home: "ws://n1.test", gone: new Set(), opened: [], ended: [], back: 0 };
            globalThis.WebSocket = class {
                constructor(url) {
                    this.host = `${url.protocol}//${url.host}`;
                    world.opened.push(this.host);
                    this.isClosed = false;
                    world.last = this;
                    setTimeout(() => (world.gone.has(this.host) ? this.close() : this.onopen?.()), 0);
                }
                close() {
                    if (this.isClosed) return;
                    this.isClosed = true;
                    setTimeout(() => this.onclose?.(), 0);
                }
                send(text) {
                    const { type, id } = JSON.parse(text);
                    const answer = this.answer(type);
                    if (answer) setTimeout(() => this.onmessage?.({ data: JSON.stringify({ re: id, ...answer }) }), 0);
                }
                answer(type) {
                    if (type === "resume") return { type: "error", code: "unknownResumption", message: "" };
                    if (type !== "join") return null;
                    if (this.host === world.home) return { type: "joined", resumption: { token: "t", seconds: 30 } };
                    const url = world.says ?? world.home.replace("ws", "http");
                    return { type: "error", code: "elsewhere", message: "not here", url };
                }
            };
            const handlers = {
                onMessage: () => {}, onAway: (isAway) => { world.back += isAway ? 0 : 1; },
                onEnd: (reason) => world.ended.push(reason), onForgotten: () => {},
            };
            const say = (what) => console.log(JSON.stringify(what));
            const wait = async (condition) => { while (!condition()) await new Promise((done) => setTimeout(done, 10)); };
            const make = (url) => new SessionLink(new URL("/v1/session", url), handlers, { type: "networkQuality" });

            """

        @Test("it joins where it is sent")
        func joins() async throws {
            let heard = try await NodeScript.run(
                Self.cluster + """
                    const link = make("ws://calls.test");
                    await link.open({ version: 1 });
                    say({ opened: world.opened.join(" ") });
                    process.exit();
                    """)
            #expect(heard["opened"]?.text == "ws://calls.test ws://n1.test")
        }

        @Test("a session whose server is gone is found again by the first address")
        func takenOver() async throws {
            let heard = try await NodeScript.run(
                Self.cluster + """
                    const link = make("ws://calls.test");
                    await link.open({ version: 1 });
                    world.opened = [];
                    world.gone.add("ws://n1.test");
                    world.last.close();
                    // The entry sends it back to the one that is gone, until that is known.
                    await wait(() => world.opened.filter((host) => host === "ws://n1.test").length > 1);
                    world.home = "ws://n2.test";
                    await wait(() => world.back > 0);
                    say({ opened: world.opened.slice(0, 3).join(" "), last: world.opened.at(-1), ended: world.ended.length });
                    process.exit();
                    """)
            #expect(heard["opened"]?.text == "ws://n1.test ws://calls.test ws://n1.test")
            #expect(heard["last"]?.text == "ws://n2.test" && heard["ended"]?.number == 0)
        }

        @Test(
            "it is not sent where what is said can be read in transit, nor round in circles",
            arguments: [
                ("wss://calls.test", "http://n1.test", 1), ("ws://calls.test", "nothing at all", 1),
                ("ws://calls.test", "http://n3.test", 4),
            ])
        func refuses(entry: String, says: String, sockets: Double) async throws {
            let heard = try await NodeScript.run(
                Self.cluster + """
                    world.says = "\(says)";
                    const error = await make("\(entry)").open({ version: 1 }).catch((error) => error);
                    say({ code: error.code, opened: world.opened.length });
                    process.exit();
                    """)
            #expect(heard["code"]?.text == "elsewhere" && heard["opened"]?.number == sockets)
        }
    }
}
