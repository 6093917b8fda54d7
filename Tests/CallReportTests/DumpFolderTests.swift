// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import CallReport
import Foundation
import Testing
import WebRTCStats

/// Reads the dumps of a folder (`make dumps DIR=…`) and compares them with what an rtcstats server found in them, which
/// stands in `expected/` beside them as `NAME-result.json` for `NAME.rtcstats.jsonl`.
@Suite("A folder of dumps", .enabled(if: DumpFolder.url != nil, "on request: make dumps DIR=…"))
struct DumpFolderTests {
    @Test(
        "every dump is judged without an issue and has its page; what that took is printed",
        arguments: DumpFolder.dumps)
    func read(dump: URL) throws {
        let bytes = try Data(contentsOf: dump).count
        let (timeline, analysis) = try Self.timed { try CallAnalysis.analyze(files: [dump]) }
        let (report, page) = try Self.timed {
            let report = try ReportPage(
                files: [dump], configuration: QualityConfiguration(), showsNames: false)
            return (verdict: report.verdict, html: report.html)
        }
        let alarms = timeline.views.flatMap(\.intervals).filter(\.isAlarm)
        print(
            """
            \(dump.lastPathComponent): \(bytes) bytes, \(alarms.count) impaired intervals; \
            analysis \(Self.perMB(analysis, bytes)), page of \(report.html.utf8.count) bytes \(Self.perMB(page, bytes))
                \(report.verdict.finding) \(report.verdict.advice)
            """)
        print(timeline.text().split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
        #expect(timeline.recordings.flatMap(\.issues).map(\.description) == [])
        #expect(!timeline.views.isEmpty)
    }

    /// What the body gives, and how much of the processor it took, in s.
    private static func timed<Result>(_ body: () throws -> Result) rethrows -> (Result, Double) {
        let begin = processorTime()
        let result = try body()
        return (result, processorTime() - begin)
    }

    private static func perMB(_ time: Double, _ bytes: Int) -> String {
        let milliseconds = Int((time * 1000).rounded())
        return "\(milliseconds) ms (\(Int((time * 1e9 / Double(bytes)).rounded())) ms per MB)"
    }

    /// What this thread has used, in s: other work on the machine does not count.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("totals of packets, loss and round trip time are the expected ones", arguments: DumpFolder.expected)
    func totals(file: URL) throws {
        let name = file.lastPathComponent.replacing("-result.json", with: ".rtcstats.jsonl")
        let folder = try #require(DumpFolder.url)
        let found = try DumpTotals.read(folder.appending(path: name))
        let expected = try JSONDecoder().decode(ExpectedResult.self, from: Data(contentsOf: file))
        for (connection, aggregate) in expected.expectedExtractData.features.aggregates {
            let totals = try #require(found[connection])
            let sum = aggregate.trackAggregates
            #expect(totals.packetsReceived == sum.totalPacketsReceived)
            #expect(totals.receivedPacketsLost == sum.totalReceivedPacketsLost)
            #expect(totals.sentPacketsLost == sum.totalSentPacketsLost)
            // That server counts what Firefox sent as received.
            if sum.totalPacketsSent > 0 { #expect(totals.packetsSent == sum.totalPacketsSent) }
            #expect(totals.meanRoundTripTime == aggregate.transportAggregates.meanRtt)
            print("\(name) \(connection): \(totals)")
        }
    }
}

/// The folder that the environment names.
enum DumpFolder {
    static let url = ProcessInfo.processInfo.environment["SIGHTLINE_DUMPS"].map { URL(filePath: $0) }
    static let dumps = files(in: url) { !$0.hasSuffix(".md") && $0 != "LICENSE" }
    static let expected = files(in: url?.appending(path: "expected")) { $0.hasSuffix("-result.json") }

    private static func files(in folder: URL?, where isWanted: (String) -> Bool) -> [URL] {
        guard let folder else { return [] }
        let all = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return (all ?? [])
            .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .filter { isWanted($0.lastPathComponent) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}

/// The part of an rtcstats server's result that is compared.
private struct ExpectedResult: Decodable {
    struct Data: Decodable { var features: Features }
    struct Features: Decodable { var aggregates: [String: Aggregate] }
    struct Aggregate: Decodable {
        var trackAggregates: Tracks
        var transportAggregates: Transport
    }
    struct Tracks: Decodable {
        var totalPacketsReceived: UInt64
        var totalReceivedPacketsLost: Int64
        var totalPacketsSent: UInt64
        var totalSentPacketsLost: Int64
    }
    struct Transport: Decodable { var meanRtt: Double }

    var expectedExtractData: Data
}

/// Totals of a peer connection as an rtcstats server counts them: the last figures of each stream.
struct DumpTotals {
    private struct Last {
        var packets: UInt64
        var lost: Int64
    }

    private var received: [UInt64: Last] = [:]
    private var sent: [UInt64: Last] = [:]
    private var roundTripTimes: [Double] = []

    var packetsReceived: UInt64 { received.values.reduce(0) { $0 + $1.packets } }
    var receivedPacketsLost: Int64 { received.values.reduce(0) { $0 + $1.lost } }
    var packetsSent: UInt64 { sent.values.reduce(0) { $0 + $1.packets } }
    var sentPacketsLost: Int64 { sent.values.reduce(0) { $0 + $1.lost } }
    /// In s, to two places as in the result.
    var meanRoundTripTime: Double {
        let mean = roundTripTimes.reduce(0, +) / Double(max(roundTripTimes.count, 1))
        return (mean * 100).rounded() / 100
    }

    static func read(_ file: URL) throws -> [String: DumpTotals] {
        var reader = try RecordingReader(file)
        var totals: [String: DumpTotals] = [:]
        while let record = try reader.next() {
            totals[record.peerConnection, default: DumpTotals()].add(record.report)
        }
        return totals
    }

    private mutating func add(_ report: StatsReport) {
        for stream in report.inboundRTP {
            guard let ssrc = stream.ssrc, let packets = stream.packetsReceived else { continue }
            received[ssrc] = Last(packets: packets, lost: stream.packetsLost ?? 0)
        }
        for stream in report.remoteInboundRTP {
            guard let ssrc = stream.ssrc else { continue }
            if let packets = stream.packetsReceived {
                // Firefox alone says what arrived; that server takes it for received.
                received[ssrc] = Last(packets: packets, lost: stream.packetsLost ?? 0)
            } else if let packets = report.outboundRTP.first(where: { $0.ssrc == ssrc })?.packetsSent {
                sent[ssrc] = Last(packets: packets, lost: stream.packetsLost ?? 0)
            }
        }
        let pairs = report.candidatePairs.filter { $0.nominated == true }.compactMap(\.currentRoundTripTime)
        roundTripTimes += pairs.isEmpty ? report.remoteInboundRTP.compactMap(\.roundTripTime) : pairs
    }
}

extension DumpTotals: CustomStringConvertible {
    var description: String {
        "received \(packetsReceived), lost \(receivedPacketsLost); sent \(packetsSent), lost \(sentPacketsLost); "
            + "mean round trip time \(meanRoundTripTime) s"
    }
}
