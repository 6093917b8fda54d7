// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing
import WebRTCStats

/// What `observe.js` does when things fail, in virtual time and without a browser.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct ObserverScriptTests {
        /// Time, a server, and peer connections that are as the test wants them.
        private static let world = """
            let now = 0, last = 0;
            const timers = new Map();
            globalThis.setTimeout = (call, delay = 0) => { timers.set(++last, { call, at: now + delay }); return last; };
            globalThis.setInterval = (call, every) => { timers.set(++last, { call, every, at: now + every }); return last; };
            globalThis.clearTimeout = globalThis.clearInterval = (id) => { timers.delete(id); };
            const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true });
            define("performance", { now: () => now });
            define("navigator", { userAgent: "test" });
            Date.now = () => 1.7e12 + now;
            const settle = async () => { for (let count = 0; count < 100; count += 1) await null; };
            const pass = async (seconds) => {
                const end = now + 1000 * seconds;
                for (;;) {
                    const [id, timer] = [...timers].sort((a, b) => a[1].at - b[1].at)[0] ?? [];
                    if (!timer || timer.at > end) break;
                    now = timer.at;
                    if (timer.every) timer.at += timer.every; else timers.delete(id);
                    timer.call();
                    await settle();
                }
                now = end;
            };
            const requests = [], addresses = [];
            let answer = () => taken;
            const taken = { ok: true, status: 200, headers: new Map(), json: async () => ({ accepted: 1, restart: [] }) };
            const refusal = (status, headers = new Map()) => ({ ok: false, status, headers });
            globalThis.fetch = async (address, { body, signal }) => {
                requests.push({ at: now, ...JSON.parse(body) });
                addresses.push(address);
                return answer(signal);
            };
            const warnings = [];
            console.warn = (text) => warnings.push(text);
            class Connection extends EventTarget {
                signalingState = "stable";
                connectionState = "connected";
                report = () => [{ type: "outbound-rtp", id: "O", ssrc: 7, packetsSent: now }];
                async getStats() {
                    const timestamp = 1.7e12 + now;
                    return new Map(this.report().map((one) => [one.id, { timestamp, ...one }]));
                }
            }
            const { start } = await import("./observe/observe.js");
            const claims = btoa(JSON.stringify({ observer: { call: "call" } }));
            const observer = start({ token: `e30.${claims}.x`, server: "https://quality.example.org", wraps: false });
            const connect = (name) => {
                const connection = new Connection();
                observer.observe(connection, { name });
                return connection;
            };
            const names = () => [...new Set(requests.flatMap(({ reports }) => reports.map((one) => one.peerConnection)))];
            const say = (value) => console.log(JSON.stringify(value));

            """

        /// What a script says, after its world.
        private static func run(_ script: String) async throws -> StatsValue {
            try await NodeScript.run(world + script)
        }

        @Test("a browser that does not answer for one peer connection keeps no other from being sent")
        func hanging() async throws {
            let said = try await Self.run(
                """
                connect("well");
                connect("hangs").getStats = () => new Promise(() => {});
                connect("fails").getStats = () => { throw new Error("no"); };
                connect("odd").report = () => [{ type: "outbound-rtp" }];
                await pass(5);
                say({ names: names().join(), requests: requests.length, odd: observer.peers.size });
                """)
            #expect(said["names"]?.text == "well" && said["requests"]?.number ?? 0 >= 4)
            #expect(said["odd"]?.number == 4)
        }

        @Test(
            "what fails is tried again after longer and longer pauses, and nothing grows meanwhile",
            arguments: [
                "refusal(503)", "refusal(404)", "refusal(409)",
                "Promise.reject(new TypeError('unreachable'))",
                "({ ...taken, json: async () => { throw new SyntaxError('a portal') } })",
                "new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))",
                "refusal(429, new Map([['Retry-After', 'Wed, 21 Oct 2026 07:28:00 GMT']]))",
            ])
        func retries(answer: String) async throws {
            let said = try await Self.run(
                """
                const connection = connect("well");
                answer = (signal) => \(answer);
                for (let second = 0; second < 400; second += 1) {
                    observer.note("track", { state: "mute" });
                    await pass(1);
                }
                const pauses = requests.slice(1).map(({ at }, index) => at - requests[index].at);
                const kept = { reports: observer.reports.length, events: observer.events.length };
                answer = () => taken;
                const before = requests.length;
                await pass(40);
                say({ count: before, longest: Math.max(...pauses), ...kept, later: requests.length - before, warnings: warnings.length });
                """)
            let count = said["count"]?.number ?? 0
            #expect(count >= 12 && count <= 45, "\(count)")
            #expect(said["longest"]?.number ?? 0 >= 15_000 && said["longest"]?.number ?? 0 <= 36_000)
            #expect(said["reports"]?.number ?? 1000 <= 240 && said["events"]?.number ?? 1000 <= 64)
            #expect(said["later"]?.number ?? 0 >= 10)
            #expect(said["warnings"]?.number ?? 9 <= 1)
        }

        @Test(
            "a rating is sent until the server keeps it, also when the call is over; one that it refuses is given up"
        )
        func rating() async throws {
            let said = try await Self.run(
                """
                const { rate, stop } = await import("./observe/observe.js");
                stop();
                const taking = (wanted) => { answer = () => wanted.length > 1 ? wanted.shift() : wanted[0]; };
                const outcome = async (promise) => {
                    let result = "waits";
                    promise.then((value) => { result = value; });
                    await settle();
                    await pass(8);
                    return result;
                };
                taking([refusal(404), refusal(503), { ok: true, status: 204 }]);
                const late = await outcome(rate(4, { reason: "echo" }));
                const tries = requests.length;
                taking([refusal(403)]);
                const refused = await outcome(rate(9));
                const refusedTries = requests.length - tries;
                answer = () => Promise.reject(new TypeError("unreachable"));
                const lost = await outcome(rate(1));
                say({ late, tries, refused, refusedTries, lost, lostTries: requests.length - tries - refusedTries,
                    score: requests[0].score, reason: requests[0].reason, at: addresses[0] });
                """)
            #expect(said["late"] == .bool(true) && said["tries"]?.number == 3)
            #expect(said["refused"] == .bool(false) && said["refusedTries"]?.number == 1)
            #expect(said["lost"] == .bool(false) && said["lostTries"]?.number == 4)
            #expect(said["score"]?.number == 4 && said["reason"]?.text == "echo")
            #expect(said["at"]?.text == "https://quality.example.org/v1/calls/call/ratings")
        }

        @Test("an event that is sent again is the same, and one that arrived is not sent again")
        func events() async throws {
            let said = try await Self.run(
                """
                connect("well");
                observer.note("track", { state: "mute" });
                let failures = 2;
                answer = () => { if (failures-- > 0) throw new TypeError("unreachable"); return taken; };
                await pass(20);
                observer.note("track", { state: "unmute" });
                await pass(2);
                const ids = requests.map(({ events }) => events.map(({ id }) => id).join());
                say({ first: ids[0] === ids[1] && ids[1] === ids[2], ids: new Set(ids.filter((id) => id)).size, whole: requests[3].reports.length });
                """)
            #expect(said["first"] == .bool(true) && said["ids"]?.number == 2)
        }

        @Test("a body that is not taken is not sent again; the next report is whole")
        func refused() async throws {
            let said = try await Self.run(
                """
                connect("well");
                answer = () => refusal(400);
                await pass(2);
                answer = () => taken;
                await pass(6);
                const [first, second] = requests.map(({ reports }) => reports[0].changes[0]);
                say({ first, second });
                """)
            #expect(said["first"]?.number ?? 0 < 0 && said["second"]?.number ?? 0 < 0)
        }

        @Test("a token that is refused ends it, and its author is warned")
        func refusedToken() async throws {
            let said = try await Self.run(
                """
                connect("well");
                answer = () => refusal(401);
                await pass(60);
                say({ requests: requests.length, warnings: warnings.length, over: observer.isOver });
                """)
            #expect(
                said["requests"]?.number == 1 && said["warnings"]?.number == 1 && said["over"] == .bool(true))
        }

        @Test("a track that comes again with a negotiation is noted once")
        func tracks() async throws {
            let said = try await Self.run(
                """
                const connection = connect("well");
                const track = Object.assign(new EventTarget(), { kind: "audio" });
                for (let round = 0; round < 3; round += 1) {
                    connection.dispatchEvent(Object.assign(new Event("track"), { track }));
                }
                track.dispatchEvent(new Event("mute"));
                say({ events: observer.events.length });
                """)
            #expect(said["events"]?.number == 1)
        }

        @Test("the server keeps up with reports of any size, which are whole no more often than they must be")
        func large() async throws {
            let said = try await Self.run(
                """
                const { ReportChanges } = await import("./client/changes.js");
                const { members } = await import("./client/judged.js");
                const changes = new ReportChanges();
                const long = "x".repeat(80);
                const report = (second, count) => Array.from({ length: count }, (_, index) => ({
                    type: "inbound-rtp", id: `I${index}`, timestamp: 1.7e12 + 1000 * second,
                    ...Object.fromEntries([...members].slice(0, 45).map((name, place) => [name, place * second + index])),
                    decoderImplementation: long + second % 2, mimeType: "é".repeat(85), codecId: "y".repeat(300),
                }));
                say({ changes: Array.from({ length: 60 }, (_, second) => changes.add(report(second, 20 + 6 * second))) });
                """)
            guard case .array(let all)? = said["changes"] else {
                Issue.record("nothing was written")
                return
            }
            var rebuilder = ReportRebuilder()
            var (restarts, counts): (Int, [Int]) = (0, [])
            for case .array(let changes) in all {
                let rebuilt = rebuilder.add(changes)
                let report = try #require(rebuilt, "report \(counts.count)")
                counts.append(report.inboundRTP.count)
                if changes.first?.number ?? 0 < 0 { restarts += 1 }
            }
            #expect(counts.count == 60 && counts[0] == 20 && counts.max() ?? 0 > 80)
            #expect(restarts < 40, "\(restarts)")
        }

        @Test("a report of more objects than one may have is cut, says so once, and is whole once")
        func objects() async throws {
            let said = try await Self.run(
                """
                connect("large").report = () => Array.from({ length: 300 }, (_, index) =>
                    ({ type: "inbound-rtp", id: `I${index}`, ssrc: index, packetsReceived: now }));
                await pass(20);
                say({
                    warnings, whole: requests.flatMap(({ reports }) => reports).filter(({ changes }) => changes[0] < 0).length,
                    count: requests.flatMap(({ reports }) => reports).length,
                });
                """)
            guard case .array(let warnings)? = said["warnings"] else {
                Issue.record("nothing was written")
                return
            }
            #expect(warnings.count == 1 && warnings.first?.text?.contains("44 of its statistics") == true)
            #expect(said["whole"]?.number == 1 && said["count"]?.number ?? 0 > 10)
        }
    }
}
