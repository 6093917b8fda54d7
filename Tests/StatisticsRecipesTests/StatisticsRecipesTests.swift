// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import MediaEngine
import StatisticsRecipes
import Testing
import WebRTCStats

/// Statistics in the shape that each vendor documents are judged as ours are.
///
/// `Fixtures/README.md` says where it is documented; nothing was recorded from a vendor's SDK.
@Suite("Recipes for other SDKs' statistics")
struct StatisticsRecipesTests {
    /// The reports of a file, as Foundation's objects.
    private static func reports(_ name: String) throws -> [Any] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/\(name).json")
        return try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [Any])
    }

    /// What is said of them, and of the first three seconds.
    private static func judge(_ reports: [StatsReport]) -> (
        early: ConnectionObserver.Result, late: ConnectionObserver.Result
    ) {
        var observer = ConnectionObserver()
        let results = reports.map { observer.handle($0) }
        return (results[2], results[results.count - 1])
    }

    private static func expectReceivedLoss(_ reports: [StatsReport]) throws {
        #expect(reports.allSatisfy { $0.timestamp > 1.6e12 && $0.timestamp < 1.7e12 }, "Unix ms")
        let (early, late) = judge(reports)
        #expect(early.received?.diagnosis.cause != .packetLoss)
        let received = try #require(late.received)
        #expect(received.diagnosis.cause == .packetLoss && received.diagnosis.direction == .downlink)
        let bitrate = try #require(received.video?.bitrate)
        #expect(abs(bitrate - 480_000) < 1, "60,000 bytes a second are \(bitrate) bit/s")
        #expect(received.video?.width == 640 && received.audio?.bitrate == 32_000)
    }

    private static func expectSentLoss(_ reports: [StatsReport]) throws {
        #expect(reports.allSatisfy { $0.timestamp > 1.6e12 && $0.timestamp < 1.7e12 }, "Unix ms")
        let (early, late) = judge(reports)
        #expect(early.sent?.diagnosis.cause != .packetLoss)
        let sent = try #require(late.sent)
        #expect(sent.diagnosis.cause == .packetLoss && sent.diagnosis.direction == .uplink)
        let transport = try #require(sent.legs.first?.transport)
        #expect(transport.connectionEstimatedBandwidth == 900_000)
        #expect(abs((transport.roundTripTime ?? 0) - 0.045) < 0.001)
    }

    @Test("Vonage's JSON, of which times are microseconds")
    func vonage() throws {
        func read(_ name: String) throws -> [StatsReport] {
            try Self.reports(name).map { report in
                let json = try JSONSerialization.data(withJSONObject: report)
                return try StatsReport(vonage: String(decoding: json, as: UTF8.self))
            }
        }
        try Self.expectReceivedLoss(try read("vonage-subscriber"))
        try Self.expectSentLoss(try read("vonage-publisher"))
        #expect(throws: (any Error).self) { try StatsReport(vonage: "no report") }
    }

    /// As `RTCStatistics` and `LKRTCStatistics` have it.
    private struct FrameworkStatistic: WebRTCStatistic {
        let id: String
        let type: String
        let timestamp_us: Double
        let values: [String: NSObject]

        init?(_ object: Any) {
            guard let object = object as? [String: Any], let id = object["id"] as? String,
                let type = object["type"] as? String, let time = object["timestamp_us"] as? NSNumber,
                let values = object["values"] as? [String: Any]
            else { return nil }
            (self.id, self.type, timestamp_us) = (id, type, time.doubleValue)
            self.values = StatisticsRecipesTests.objects(values)
        }
    }

    /// As `Statistics` of LiveKit's SDK has it.
    private struct TrackStatistic: LiveKitStatistic {
        enum Kind: String {
            case codec, transport, certificate
            case inbound = "inbound-rtp"
            case outbound = "outbound-rtp"
            case remoteInbound = "remote-inbound-rtp"
            case pair = "candidate-pair"
        }

        let id: String
        let type: Kind
        let timestamp: Double
        let rawValues: [String: NSObject]

        init?(_ object: Any) {
            guard let object = object as? [String: Any], let id = object["id"] as? String,
                let type = (object["type"] as? String).flatMap(Kind.init),
                let time = object["timestamp"] as? NSNumber,
                let values = object["rawValues"] as? [String: Any]
            else { return nil }
            (self.id, self.type, timestamp) = (id, type, time.doubleValue)
            rawValues = StatisticsRecipesTests.objects(values)
        }
    }

    /// Values as Objective-C hands them over.
    private static func objects(_ values: [String: Any]) -> [String: NSObject] {
        values.compactMapValues { value in
            switch value {
            case let number as NSNumber: number
            case let text as String: NSString(string: text)
            default: nil
            }
        }
    }

    @Test("WebRTC.framework under any module name")
    func framework() throws {
        try Self.expectReceivedLoss(
            try Self.reports("webrtc-framework").map { report in
                StatsReport(framework: try #require(report as? [Any]).compactMap(FrameworkStatistic.init))
            })
    }

    @Test("LiveKit's statistics of a track")
    func liveKit() throws {
        try Self.expectSentLoss(
            try Self.reports("livekit-track").map { report in
                StatsReport(liveKit: try #require(report as? [Any]).compactMap(TrackStatistic.init))
            })
    }

    @Test("Twilio's objects, which are no W3C statistics: what they do not say stays unknown")
    func twilio() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/twilio-report.json")
        let documented = try JSONDecoder().decode([TVIStatsReport].self, from: Data(contentsOf: file))
        let reports = documented.map { StatsReport(TwilioReport($0)) }
        try Self.expectSentLoss(reports)
        let (_, late) = Self.judge(reports)
        #expect(late.received?.diagnosis.cause == Diagnosis.Cause.none)
        #expect(late.received?.video?.bitrate == 440_000 && late.received?.video?.width == 640)
        #expect(late.received?.audio?.jitter == 0.004, "milliseconds there, seconds here")
        #expect(late.received?.video?.freezeCount == nil, "no one counts them")
        #expect(reports[0].remoteInboundRTP.allSatisfy { $0.roundTripTime == 0.046 })
        var silent = documented[0]
        silent.localVideoTrackStats[0].roundTripTime = 0
        #expect(
            StatsReport(TwilioReport(silent)).remoteInboundRTP.last?.roundTripTime == nil,
            "zero is not measured")
    }

    @Test("what an SDK hands over is what it said last; before that there is none")
    func handedOver() async throws {
        let asked = Counter()
        let source = HandedOverStatistics { asked.add() }
        await #expect(throws: HandedOverStatistics.NoReportYet.self) { try await source.statistics() }
        source.take(StatsReport(timestamp: 1))
        source.take(StatsReport(timestamp: 2))
        #expect(try await source.statistics().timestamp == 2)
        #expect(asked.count == 2)
    }
}
