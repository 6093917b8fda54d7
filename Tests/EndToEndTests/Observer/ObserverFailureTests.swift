// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

/// What `observe.js` does when the server refuses what it sends, or does not answer.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct ObserverFailureTests {
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
            let said = try await ObserverScript.run(
                """
                const connection = connect("well");
                answer = (signal) => \(answer);
                for (let second = 0; second < 400; second += 1) {
                    observer.note("track", { state: "mute" });
                    await pass(1);
                }
                const pauses = requests.slice(1).map(({ at }, index) => at - requests[index].at);
                const kept = { reports: observer.queue.reports.length, events: observer.events.length };
                answer = () => taken;
                const before = requests.length;
                // A request that hangs and a longest pause take 35 s of it.
                await pass(80);
                say({ count: before, longest: Math.max(...pauses), ...kept, later: requests.length - before, warnings: warnings.length });
                """)
            let count = said["count"]?.number ?? 0
            #expect(count >= 12 && count <= 45, "\(count)")
            #expect(said["longest"]?.number ?? 0 >= 15_000 && said["longest"]?.number ?? 0 <= 36_000)
            #expect(said["reports"]?.number ?? 1000 <= 240 && said["events"]?.number ?? 1000 <= 64)
            #expect(said["later"]?.number ?? 0 >= 10)
            #expect(said["warnings"]?.number ?? 9 <= 1)
        }

        @Test("a body that is not taken is not sent again; the next report is whole")
        func refused() async throws {
            let said = try await ObserverScript.run(
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
            let said = try await ObserverScript.run(
                """
                connect("well");
                answer = () => refusal(401);
                await pass(60);
                say({ requests: requests.length, warnings: warnings.length, over: observer.isOver });
                """)
            #expect(
                said["requests"]?.number == 1 && said["warnings"]?.number == 1 && said["over"] == .bool(true))
        }

        @Test("an event that is sent again is the same, and one that arrived is not sent again")
        func events() async throws {
            let said = try await ObserverScript.run(
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

        @Test(
            "a rating is sent until the server keeps it, also when the call is over; one that it refuses is given up"
        )
        func rating() async throws {
            let said = try await ObserverScript.run(
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
    }
}
