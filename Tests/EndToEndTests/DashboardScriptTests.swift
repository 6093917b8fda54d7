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
