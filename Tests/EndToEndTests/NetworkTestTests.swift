// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import MediaEngine
import NIOSignaling
import SessionWire
import Sightline
import TestSupport
import Testing

extension EndToEnd {
    /// The pre-call test with the real server, router and engine.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct NetworkTestTests {
        private static func object(_ line: String?) throws -> [String: Any] {
            try #require(
                JSONSerialization.jsonObject(with: Data((line ?? "").utf8)) as? [String: Any])
        }

        @Test("a good network is good for audio and video, and every step has its time")
        func good() async throws {
            let command = try ChildProcess(
                BuiltProducts.sightline, ["network-test", "--local", "--format", "json", "--duration", "20"])
            #expect(try await command.exitCode(within: .seconds(60)) == 0, "\(command.errors)")
            let summary = try Self.object(command.lines.last)
            let report = try #require(summary["report"] as? [String: Any])
            #expect(report["verdict"] as? String == "audioAndVideo")
            let steps = try #require(report["steps"] as? [[String: Any]])
            #expect(
                steps.compactMap { $0["step"] as? String }.suffix(3) == [
                    "mediaReceived", "bandwidth", "quality",
                ])
            #expect(steps.allSatisfy { $0["outcome"] as? String != "failed" })
            let uplink = try #require(report["uplink"] as? [String: Any])
            #expect(try #require(uplink["bandwidth"] as? Double) > 1_000_000)
            #expect(report["recommendation"] != nil)
        }

        @Test("a narrow uplink leaves audio, is blamed, and is measured; the downlink is not blamed")
        func narrowUplink() async throws {
            let command = try ChildProcess(
                BuiltProducts.sightline,
                [
                    "network-test", "--local", "--format", "json", "--condition", "up:rate=150",
                    "--duration", "20",
                ])
            #expect(try await command.exitCode(within: .seconds(60)) == 10, "\(command.errors)")
            let report = try #require(
                Self.object(command.lines.last)["report"] as? [String: Any])
            let reason = try #require((report["video"] as? [String: Any])?["reason"] as? [String: Any])
            #expect(reason["direction"] as? String == "uplink")
            #expect(reason["cause"] as? String == "bandwidth")
            let downlink = try #require(report["downlink"] as? [String: Any])
            #expect(downlink["supportsVideo"] as? Bool == true)
            let uplink = try #require(report["uplink"] as? [String: Any])
            #expect(uplink["supportsVideo"] as? Bool == false)
            #expect((50_000...200_000).contains(try #require(uplink["bandwidth"] as? Double)))
        }

        @Test("an engine that cannot fill a network shows what media alone take, as the least")
        func mediaAlone() async throws {
            let harness = try await CallHarness()
            let test = NetworkTest(
                url: harness.url, token: try await harness.token(.publisher, "tester"),
                engine: try PlainEngine(makesTestCards: true), signaling: NIOSignalingTransport())
            let report = try #require(await Self.report(of: test))
            #expect(report.failure == nil, "\(report)")
            #expect(report.verdict == .audioAndVideo)
            #expect(report.uplink?.bandwidthIsAtLeast == true)
            #expect(try #require(report.uplink?.bandwidth) > 100_000)
            // The media router fills the downlink all the same.
            #expect(report.downlink?.bandwidth != nil)
            #expect(report.recommendation == nil)
            #expect(report.sentence.contains("how much more the uplink carries was not measured"))
            try await harness.close()
        }

        @Test("missing sources are not the media router's fault, and an app's own take their place")
        func sources() async throws {
            let harness = try await CallHarness()
            let engine = try PlainEngine(makesTestCards: false)
            let token = try await harness.token(.publisher, "tester")
            let without = try #require(
                await Self.report(
                    of: NetworkTest(
                        url: harness.url, token: token, engine: engine, signaling: NIOSignalingTransport())))
            let failure = try #require(without.failure)
            #expect(failure.code == SightlineError.Code.unsupported.rawValue)
            #expect(failure.step == .publish)
            #expect(!failure.isOfTheNetwork)
            #expect(!failure.advice.contains("router"))
            var configuration = NetworkTestConfiguration()
            configuration.measuresQuality = false
            configuration.video = .source(
                try LibWebRTCEngine().makeVideoSource(.testCard(width: 320, height: 180, frameRate: 15)))
            let with = NetworkTest(
                url: harness.url, token: token, engine: engine, signaling: NIOSignalingTransport(),
                configuration: configuration)
            #expect(try #require(await Self.report(of: with)).failure == nil)
            try await harness.close()
        }

        @Test("a server that goes away in the middle is reported, and no verdict is invented")
        func lostServer() async throws {
            let harness = try await CallHarness()
            let token = try await harness.token(.publisher, "tester")
            let test = NetworkTest(
                url: harness.url, token: token, engine: try LibWebRTCEngine(),
                signaling: NIOSignalingTransport())
            var isClosed = false
            var reports: [NetworkTestReport] = []
            for await event in test.run() {
                switch event {
                case .progress(let progress):
                    guard progress.sample != nil, !isClosed else { continue }
                    isClosed = true
                    try await harness.close()
                case .finished(let report): reports.append(report)
                }
            }
            #expect(isClosed && reports.count == 1)
            let failure = try #require(reports.first?.failure)
            #expect(!failure.isOfTheNetwork)
            #expect(reports.first?.verdict == .neither)
        }

        @Test("a token of another server is distinguished from a server that is not there")
        func failures() async throws {
            let harness = try await CallHarness()
            let test = NetworkTest(
                url: harness.url, token: "nonsense", engine: try LibWebRTCEngine(),
                signaling: NIOSignalingTransport())
            let refused = try #require(await Self.report(of: test))
            #expect(refused.failure?.step == .tokenAccepted)
            #expect(refused.verdict == .neither)
            try await harness.close()
            let gone = NetworkTest(
                url: harness.url, token: "nonsense", engine: try LibWebRTCEngine(),
                signaling: NIOSignalingTransport())
            #expect(try #require(await Self.report(of: gone)).failure?.step == .serverReachable)
        }

        /// What a test finds; `nil` if it ends without a report.
        private static func report(of test: NetworkTest) async -> NetworkTestReport? {
            var last: NetworkTestReport?
            for await case .finished(let report) in test.run() { last = report }
            return last
        }
    }
}
