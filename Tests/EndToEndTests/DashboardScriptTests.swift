// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

/// What the dashboard's modules do, without a browser.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct DashboardScriptTests {
        @Test("a slow answer takes the place of no later one, and neither does a failure")
        func order() async throws {
            let said = try await NodeScript.run(
                """
                const { inOrder } = await import("./dashboard/pages.js");
                const requests = [], shown = [], failed = [];
                const take = inOrder();
                const ask = () => {
                    const request = new Promise((resolve, reject) => requests.push({ resolve, reject }));
                    return take(request, (value) => shown.push(value)).catch((error) => failed.push(error));
                };
                const all = [ask(), ask(), ask(), ask()];
                requests[1].resolve("second");
                await all[1];
                requests[0].resolve("first");
                requests[2].reject("third");
                requests[3].reject("fourth");
                await Promise.all(all);
                all.push(ask());
                requests[4].resolve("fifth");
                await all[4];
                console.log(JSON.stringify({ shown: shown.join(), failed: failed.join() }));
                """)
            #expect(said["shown"]?.text == "second,fifth" && said["failed"]?.text == "fourth")
        }

        @Test("what is never quiet is done every now and then all the same")
        func debounced() async throws {
            let said = try await NodeScript.run(
                """
                const { debounced } = await import("./shared/dom.js");
                let done = 0, called = 0, seen = 0;
                const act = debounced(50, () => {
                    done += 1;
                    seen = called;
                });
                const calls = setInterval(() => {
                    called += 1;
                    act();
                }, 10);
                await new Promise((resolve) => setTimeout(resolve, 700));
                clearInterval(calls);
                const busy = done;
                // Whatever was just done: this is the last call.
                called += 1;
                act();
                await new Promise((resolve) => setTimeout(resolve, 300));
                console.log(JSON.stringify({ busy, later: done - busy, isLast: seen === called }));
                """)
            let busy = said["busy"]?.number ?? 0
            #expect(busy >= 1 && busy <= 14)
            #expect(said["later"]?.number == 1 && said["isLast"] == .bool(true))
        }

        @Test("live data that was refused is asked for again, and the login when that is over")
        func refusedFeed() async throws {
            let said = try await NodeScript.run(
                """
                const waits = [], sources = [], heard = [];
                const real = globalThis.setTimeout;
                globalThis.setTimeout = (call, time) => {
                    waits.push(time);
                    return real(call, 0);
                };
                globalThis.EventSource = class extends EventTarget {
                    static CLOSED = 2;
                    constructor() {
                        super();
                        this.readyState = 1;
                        sources.push(this);
                    }
                    close() { this.readyState = 2; }
                };
                let status = 503;
                globalThis.fetch = async () => ({ ok: false, status, json: async () => null });
                const { listen, login } = await import("./dashboard/api.js");
                login.addEventListener("over", () => heard.push("login"));
                const end = listen(null, { again: () => heard.push("again"), state: (isConnected) => heard.push(isConnected) });
                const settle = () => new Promise((resolve) => real(resolve, 20));
                const fail = async (readyState) => {
                    sources.at(-1).readyState = readyState;
                    sources.at(-1).onerror();
                    await settle();
                };
                sources[0].onopen();
                await fail(0);
                const passing = sources.length;
                await fail(2);
                sources[1].onopen();
                status = 401;
                await fail(2);
                end();
                console.log(JSON.stringify({ passing, sources: sources.length, heard: heard.join(), waits }));
                """)
            #expect(said["passing"]?.number == 1 && said["sources"]?.number == 2)
            #expect(said["heard"]?.text == "true,false,false,true,again,false,login")
            let waits = try #require(said["waits"]?.list)
            #expect(waits.count == 2 && waits.allSatisfy { (5000...7500).contains($0.number ?? 0) })
        }

        @Test("two times are compared in the words of the table")
        func comparison() async throws {
            let said = try await NodeScript.run(
                """
                const { comparisonWords } = await import("./dashboard/fleet.js");
                const [before, after] = [{ calls: 10, bad: 2 }, { calls: 20, bad: 8 }];
                const few = comparisonWords({ before, after });
                const clear = comparisonWords({ before, after, difference: 0.2, low: 0.1, high: 0.3, chance: 0.01 });
                console.log(JSON.stringify({ few, clear }));
                """)
            #expect(
                said["few"]?.text
                    == "Bad: 8 of 20 parts in calls; before: 2 of 10 parts in calls: too few to compare.")
            #expect(said["clear"]?.text?.contains("worse (+20.0 percentage points") == true)
        }
    }
}
