// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

/// What the reports of `observe.js` consist of: what changed, in pieces that the server can take.
extension EndToEnd {
    @Suite(.timeLimit(.minutes(2)))
    struct ObserverReportTests {
        @Test("the server keeps up with reports of any size, which are whole no more often than they must be")
        func large() async throws {
            let said = try await ObserverScript.run(
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
            let all = try #require(said["changes"]?.list)
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

        @Test(
            "where the uplink is not known to be good a whole report comes in pieces, what the rules read most first",
            arguments: [("undefined", false), ("300_000", false), ("5_000_000", true)])
        func pieces(estimate: String, isAtOnce: Bool) async throws {
            let said = try await ObserverScript.run(
                """
                const { members } = await import("./client/judged.js");
                const kept = [...members].filter((name) => name !== "availableOutgoingBitrate").slice(0, 40);
                const long = () => Object.fromEntries(kept.map((name, place) => [name, place * now]));
                connect("narrow").report = () => [
                    ...["media-source", "codec", "inbound-rtp", "outbound-rtp"].flatMap((type) =>
                        [1, 2].map((number) => ({ type, id: `${type}${number}`, ...long() }))),
                    { type: "candidate-pair", id: "P", nominated: true, availableOutgoingBitrate: \(estimate) },
                ];
                await pass(\(isAtOnce) ? 3 : 30);
                const reports = requests.flatMap(({ reports }) => reports).map(({ changes }) => changes);
                const begun = reports.map((changes) => changes.filter((one) => typeof one[0] === "string"));
                say({
                    changes: reports, types: begun.flat().map(([type]) => type).join(), first: begun[0].length,
                    longest: Math.max(...begun.map((all) => JSON.stringify(all).length)), warnings: warnings.length,
                });
                """)
            #expect(said["warnings"]?.number == 0)
            let all = try #require(said["changes"]?.list)
            var rebuilder = ReportRebuilder()
            var last: StatsReport?
            for case .array(let changes) in all {
                last = rebuilder.add(changes)
                #expect(last != nil)
            }
            #expect(last?.inboundRTP.count == 2 && last?.outboundRTP.count == 2)
            if isAtOnce {
                #expect(said["first"]?.number == 9)
            } else {
                #expect(said["longest"]?.number ?? 9999 <= 2600)
                #expect(
                    said["types"]?.text
                        == "outbound-rtp,outbound-rtp,inbound-rtp,inbound-rtp,candidate-pair,codec,codec,media-source,media-source"
                )
            }
        }

        @Test("a report of more objects than one may have is cut, says so once, and is whole once")
        func objects() async throws {
            let said = try await ObserverScript.run(
                """
                connect("large").report = () => Array.from({ length: 300 }, (_, index) =>
                    ({ type: "inbound-rtp", id: `I${index}`, ssrc: index, packetsReceived: now }));
                await pass(20);
                say({
                    warnings, whole: requests.flatMap(({ reports }) => reports).filter(({ changes }) => changes[0] < 0).length,
                    count: requests.flatMap(({ reports }) => reports).length,
                });
                """)
            let warnings = try #require(said["warnings"]?.list)
            #expect(warnings.count == 1 && warnings.first?.text?.contains("44 of its statistics") == true)
            #expect(said["whole"]?.number == 1 && said["count"]?.number ?? 0 > 10)
        }

        @Test(
            "what is said of a track goes with its peer connection's reports when it is new, and when the server asks"
        )
        func tags() async throws {
            let said = try await ObserverScript.run(
                """
                const [own, other, silent] = ["own", "other", "silent"].map((id) => ({ id }));
                tag(other, { participant: "bob", name: "camera" });
                const connection = connect("well");
                connection.getSenders = () => [{ track: own }, { track: null }];
                connection.getReceivers = () => [{ track: other }, { track: silent }];
                await pass(3);
                tag(own, { name: "screen" });
                await pass(3);
                answer = () => ({ ...taken, json: async () => ({ accepted: 0, restart: ["well"] }) });
                await pass(1);
                answer = () => taken;
                await pass(2);
                tag(own, {});
                tag(other, {});
                await pass(3);
                const tracks = requests.flatMap(({ reports }) => reports).map((one) => one.tracks ?? null);
                say({ tracks: tracks.filter((one) => one), silent: tracks.filter((one) => !one).length });
                """)
            let all = try #require(said["tracks"]?.list)
            #expect(all.count == 4)
            #expect(all.first?["other"]?["participant"]?.text == "bob" && all.first?["own"] == nil)
            #expect(all[1]["own"]?["name"]?.text == "screen" && all[1]["other"]?["name"]?.text == "camera")
            #expect(all[2] == all[1], "the server had forgotten it")
            #expect(all[3] == .object([]), "it was taken back")
            #expect(said["silent"]?.number ?? 0 >= 6)
        }
    }
}
