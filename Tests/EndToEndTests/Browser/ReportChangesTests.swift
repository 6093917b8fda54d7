// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing
import WebRTCStats

/// What browsers write of their reports, and the server reads.
extension EndToEnd {
    @Suite(
        .serialized, .timeLimit(.minutes(3)),
        .enabled(if: Chromium.isInstalled, "Chromium is not installed: apt-get install chromium"))
    struct ReportChangesTests {
        /// Reports whose objects and members come, change and go; each with what is written of it, and a restart now
        /// and then.
        private static func script(seed: UInt64) -> String {
            """
            import("/web/client/changes.js").then(({ ReportChanges }) => {
                let state = \(seed % 2_147_483_647);
                const random = (bound) => {
                    state = (state * 48271) % 2147483647;
                    return state % bound;
                };
                const kinds = ["inbound-rtp", "outbound-rtp", "transport", "candidate-pair", "certificate"];
                const names = ["packetsReceived", "bytesSent", "jitter", "totalDecodeTime", "mid", "active", "address"];
                const values = {
                    packetsReceived: () => random(1e9), bytesSent: () => random(2e9) * 1000, mid: () => `m${random(3)}`,
                    jitter: () => random(1e9) / 7e9, totalDecodeTime: () => random(1e9) / 333, address: () => "1.2.3.4",
                    active: () => random(2) === 0,
                };
                const changes = new ReportChanges();
                let objects = [];
                return JSON.stringify(Array.from({ length: 40 }, (_, second) => {
                    const timestamp = 1.7e12 + second * 1000 + random(1000) / 1000;
                    if (random(3) === 0) objects.push({ id: `o${second}`, type: kinds[random(5)] });
                    if (random(7) === 0) objects = objects.filter(() => random(3) > 0);
                    for (const one of objects) {
                        for (const name of names) {
                            if (random(4) === 0) one[name] = values[name]();
                            if (random(15) === 0) delete one[name];
                        }
                        one.timestamp = random(9) === 0 ? timestamp - random(3000) : timestamp;
                    }
                    if (random(12) === 0) changes.restart();
                    return { report: objects.map((one) => ({ ...one })), changes: changes.add(objects) };
                }));
            })
            """
        }

        /// What scripts make of the client's modules.
        static func evaluate(_ scripts: [String]) async throws -> [String] {
            let server = try await ServerProcess()
            let browser = try await Chromium()
            let result: Result<[String], any Error>
            do {
                let page = try await browser.open("\(server.url)/join#token=x")
                try await page.wait("the page", for: "find('#page')")
                var found: [String] = []
                for script in scripts { found.append(try await page.evaluate(script)) }
                result = .success(found)
            } catch {
                result = .failure(error)
            }
            try await browser.close()
            try await server.end()
            return try result.get()
        }

        @Test("come every 2 s on a poor uplink, every 5 s on a worse one, and soon every second again")
        func pace() async throws {
            let script = { (estimates: String, isUnsent: String) in
                """
                import("/web/client/pace.js").then(({ ReportPace }) => {
                    const pace = new ReportPace(100_000);
                    const sent = [];
                    \(estimates).forEach((estimate, second) => {
                        if (pace.tick(estimate, { isUnsent: \(isUnsent), isAway: false })) sent.push(second);
                    });
                    return sent;
                })
                """
            }
            let found = try await Self.evaluate([
                script("Array(5).fill(null)", "false"), script("Array(8).fill(99_000)", "false"),
                script("Array(12).fill(49_000)", "false"),
                script("[...Array(10).fill(49_000), ...Array(20).fill(200_000)]", "false"),
                script("Array(20).fill(null)", "second < 8"),
            ])
            #expect(found.prefix(3) == ["0,1,2,3,4", "1,3,5,7", "4,9"])
            #expect(found[3].hasSuffix("20,21,22,23,24,25,26,27,28,29"))
            #expect(found[4].hasPrefix("8,") && found[4].hasSuffix("18,19"))
        }

        @Test("are rebuilt to a millionth, without addresses", arguments: Seed.draw(3))
        func rebuilt(seed: UInt64) async throws {
            let text = try await Self.evaluate([Self.script(seed: seed)]).first ?? ""
            guard case .array(let steps) = try StatsValue.parse(Array(text.utf8)) else {
                Issue.record("the browser has written nothing")
                return
            }
            #expect(steps.count == 40)
            var rebuilder = ReportRebuilder()
            for step in steps {
                guard case .array(let objects)? = step["report"], case .array(let changes)? = step["changes"]
                else { continue }
                let rebuilt = rebuilder.add(changes)
                let report = try #require(rebuilt, "seed \(seed)")
                Self.compare(report, objects.filter { $0["type"]?.text != "certificate" }, seed)
            }
        }

        private static func compare(_ report: StatsReport, _ objects: [StatsValue], _ seed: UInt64) {
            var found: [String: any StatsEntry] = [:]
            report.forEachEntry { _, entry in found[entry.id] = entry }
            #expect(Set(found.keys) == Set(objects.compactMap { $0["id"]?.text }), "seed \(seed)")
            for object in objects {
                guard case .object(let wanted) = object, let entry = found[object["id"]?.text ?? ""] else {
                    continue
                }
                #expect(abs(entry.timestamp - (object["timestamp"]?.number ?? 0)) < 0.002, "seed \(seed)")
                let names = wanted.map(\.name).filter {
                    !["type", "id", "timestamp", "address"].contains($0)
                }
                #expect(Set(entry.members.map(\.name)) == Set(names), "seed \(seed)")
                for member in entry.members {
                    let isClose = member.value.number.map { value in
                        abs(value - (object[member.name]?.number ?? .nan)) < 1e-6
                    }
                    #expect(isClose ?? (member.value == object[member.name]), "\(member) seed \(seed)")
                }
            }
        }
    }
}
