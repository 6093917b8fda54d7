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
            const world = { home: "ws://n1.test", gone: new Set(), opened: [], sent: [], ended: [], back: 0 };
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
                    world.sent.push(type);
                    const answer = this.answer(type);
                    if (answer) setTimeout(() => this.onmessage?.({ data: JSON.stringify({ re: id, ...answer }) }), 0);
                }
                answer(type) {
                    if (type === "resume") return world.resumed ?? { type: "error", code: "unknownResumption", message: "" };
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

        @Test(
            "who leaves while the server is away has left once it is back, and does not join again",
            arguments: [true, false])
        func leavesAway(isKnown: Bool) async throws {
            let heard = try await NodeScript.run(
                Self.cluster + """
                    const link = make("ws://n1.test");
                    await link.open({ version: 1 });
                    if (\(isKnown)) world.resumed = { type: "resumed", received: 0 };
                    world.gone.add("ws://n1.test");
                    world.last.close();
                    await wait(() => link.isAway && world.opened.length > 1);
                    link.send("leave", {});
                    link.end("left");
                    world.sent = [];
                    world.gone.clear();
                    await wait(() => world.sent.includes("resume"));
                    await wait(() => world.last.isClosed);
                    say({ sent: world.sent.join(), back: world.back, ended: world.ended.join() });
                    process.exit();
                    """)
            #expect(heard["sent"]?.text == (isKnown ? "resume,ack,leave" : "resume"))
            #expect(heard["back"]?.number == 0 && heard["ended"]?.text == "left")
        }

        @Test("what comes after the page has left is none of its business, and the socket does not stay")
        func left() async throws {
            let heard = try await NodeScript.run(
                Self.cluster + """
                    const messages = [];
                    handlers.onMessage = ({ type }) => messages.push(type);
                    const link = make("ws://n1.test");
                    await link.open({ version: 1 });
                    link.send("leave", {});
                    link.end("left");
                    world.last.onmessage({ data: JSON.stringify({ type: "streamCreated", seq: 1 }) });
                    await wait(() => world.last.isClosed);
                    say({ messages: messages.length, sent: world.sent.join() });
                    process.exit();
                    """)
            #expect(heard["messages"]?.number == 0 && heard["sent"]?.text == "join,ack,leave")
        }

        @Test("a look that is late is no silence of the server's: it is asked first")
        func lateLooks() async throws {
            let heard = try await NodeScript.run(
                Self.cluster + """
                    let now = 0;
                    performance.now = () => now;
                    const link = make("ws://n1.test");
                    await link.open({ version: 1 });
                    clearInterval(link.timer);
                    const { last } = world;
                    const look = (after) => {
                        now += after;
                        world.sent = [];
                        link.tick();
                        return world.sent.join();
                    };
                    const late = look(60_000);
                    const open = [!last.isClosed];
                    last.onmessage({ data: JSON.stringify({ type: "done" }) });
                    const again = look(60_000);
                    for (let second = 0; second < 4; second += 1) look(1000);
                    open.push(!last.isClosed);
                    last.onmessage({ data: JSON.stringify({ type: "done" }) });
                    look(60_000);
                    open.push(!last.isClosed);
                    look(60_000);
                    open.push(!last.isClosed);
                    say({ late, again, open: open.join() });
                    process.exit();
                    """)
            #expect(heard["late"]?.text == "networkQuality" && heard["again"]?.text == "networkQuality")
            #expect(heard["open"]?.text == "true,true,true,false")
        }

        @Test("a server that is silent after it was asked is lost")
        func silence() async throws {
            let heard = try await NodeScript.run(
                Self.cluster + """
                    let now = 0;
                    performance.now = () => now;
                    const link = make("ws://n1.test");
                    await link.open({ version: 1 });
                    clearInterval(link.timer);
                    const { last } = world;
                    let looks = 0;
                    for (now = 60_000; !last.isClosed; now += 1000, looks += 1) link.tick();
                    say({ looks });
                    process.exit();
                    """)
            #expect(heard["looks"]?.number == 7)
        }
    }
}
