// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import Testing
@_spi(StandIn) import WebRTC
import WebRTCStats

@testable import AppleOnStandIns

@Suite("Statistics of WebRTC.framework")
struct StatisticsTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Fixtures/getstats").standardized

    /// The first reports of a browser's recorded call, as JSON.
    private static func recorded(_ name: String) throws -> [StatsValue] {
        let bytes = try Data(contentsOf: folder.appending(path: "\(name).json"))
        guard case .array(let samples) = try StatsValue.parse(bytes) else { return [] }
        return samples.prefix(5).compactMap { $0["stats"] }
    }

    /// A report as the framework would hand it over.
    private static func framework(_ report: StatsValue) -> RTCStatisticsReport {
        var entries: [String: RTCStatistics] = [:]
        guard case .array(let list) = report else {
            return RTCStatisticsReport(timestamp_us: 0, statistics: [:])
        }
        for case .object(let members) in list {
            let id = members["id"]?.text ?? ""
            let others = members.filter { !["id", "type", "timestamp"].contains($0.name) }
            entries[id] = RTCStatistics(
                id: id, timestamp_us: (members["timestamp"]?.number ?? 0) * 1000,
                type: members["type"]?.text ?? "",
                values: Dictionary(uniqueKeysWithValues: others.map { ($0.name, object($0.value)) }))
        }
        return RTCStatisticsReport(timestamp_us: 0, statistics: entries)
    }

    private static func object(_ value: StatsValue) -> NSObject {
        switch value {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .uint(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .string(let value): NSString(string: value)
        case .array(let values): NSArray(array: values.map(object))
        case .object(let members):
            NSDictionary(
                objects: members.map { object($0.value) }, forKeys: members.map { NSString(string: $0.name) })
        }
    }

    @Test(
        "a report says what the same report says as JSON, entry by entry and member by member",
        arguments: ["chromium_pub", "chromium_sub"])
    func conversion(name: String) throws {
        let reports = try Self.recorded(name)
        #expect(reports.count == 5)
        // A dictionary has no order but that of its names.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for report in reports {
            let expected = try StatsReport.parse(encoder.encode(report)).report
            let converted = StatsReport(Self.framework(report))
            #expect(
                converted.inboundRTP.sorted { $0.id < $1.id } == expected.inboundRTP.sorted { $0.id < $1.id })
            #expect(
                converted.outboundRTP.sorted { $0.id < $1.id }
                    == expected.outboundRTP.sorted { $0.id < $1.id })
            #expect(
                converted.remoteInboundRTP.sorted { $0.id < $1.id }
                    == expected.remoteInboundRTP.sorted { $0.id < $1.id })
            #expect(
                converted.candidatePairs.sorted { $0.id < $1.id }
                    == expected.candidatePairs.sorted { $0.id < $1.id })
            #expect(converted.codecs.sorted { $0.id < $1.id } == expected.codecs.sorted { $0.id < $1.id })
            #expect(abs(converted.timestamp - expected.timestamp) < 0.001)
        }
    }

    @Test("what statistics do not have is omitted, and nothing traps")
    func oddValues() {
        let entry = RTCStatistics(
            id: "O", timestamp_us: .nan, type: "outbound-rtp",
            values: [
                "packetsSent": NSNumber(value: UInt64.max), "bytesSent": NSNull(),
                "kind": NSString(string: "video"),
                "active": NSNumber(value: true), "mid": NSDate(), "frameWidth": NSString(string: "wide"),
            ])
        let report = StatsReport(RTCStatisticsReport(timestamp_us: 0, statistics: ["O": entry]))
        let stream = report.outboundRTP.first
        #expect(stream?.packetsSent == UInt64.max)
        #expect(stream?.kind == .video)
        #expect(stream?.active == true)
        #expect(stream?.bytesSent == nil)
        #expect(stream?.frameWidth == nil)
        #expect(stream?.mid == nil)
    }

    @Test("a peer connection is a source of statistics")
    func source() async throws {
        let connection = RTCPeerConnection()
        let recorded = try #require(try Self.recorded("chromium_pub").last)
        connection.report = Self.framework(recorded)
        let source: any StatsSource = connection.statisticsSource
        #expect(try await source.statistics() == StatsReport(connection.report))
        #expect(try await !source.statistics().outboundRTP.isEmpty)
    }
}
