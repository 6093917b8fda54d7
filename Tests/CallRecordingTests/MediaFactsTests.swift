// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@testable import CallRecording

@Suite("What reports tell of when media came and how they were played")
struct MediaFactsTests {
    private static let start = 1_767_225_600_000.0

    /// A report of a second, with so much of each medium so far.
    private static func record(
        _ second: Int, packets: UInt64, frames: UInt64, audio: Double? = nil, video: Double? = nil
    ) -> RecordedReport {
        let time = start + Double(second) * 1000
        var report = StatsReport(timestamp: time)
        var received = InboundRTPStats(id: "A", timestamp: time)
        received.kind = .audio
        received.packetsReceived = packets
        received.estimatedPlayoutTimestamp = audio.map { time - $0 * 1000 }
        var shown = InboundRTPStats(id: "V", timestamp: time)
        shown.kind = .video
        shown.framesDecoded = frames
        shown.estimatedPlayoutTimestamp = video.map { time - $0 * 1000 }
        report.inboundRTP = [received, shown]
        return RecordedReport(time: time, peerConnection: "a", report: report)
    }

    private static func facts(_ records: [RecordedReport], _ trace: [TraceEvent] = []) throws
        -> ConnectionFacts
    {
        var collector = FactCollector(recording: 0)
        for record in records { collector.take(record) }
        return try #require(collector.facts(with: trace).connections.first)
    }

    @Test(
        "the first audio and the first frame come so long after the beginning, be that a report or an event")
    func firstMedia() throws {
        let records = (0..<8).map { second in
            Self.record(
                second, packets: second < 2 ? 0 : UInt64(50 * second),
                frames: second < 5 ? 0 : UInt64(30 * second))
        }
        let traffic = try Self.facts(records).traffic
        #expect(traffic.firstAudioDelay == 2 && traffic.firstVideoDelay == 5)
        let created = TraceEvent(
            time: Self.start - 1500, peerConnection: "a", content: .gatheringState("gathering"))
        let earlier = try Self.facts(records, [created]).traffic
        #expect(earlier.firstAudioDelay == 3.5 && earlier.firstVideoDelay == 6.5)
    }

    @Test("of what was there in the first report, or never came, no one knows when")
    func unknownBeginning() throws {
        let traffic = try Self.facts((0..<5).map { Self.record($0, packets: 50, frames: 0) }).traffic
        #expect(traffic.firstAudioDelay == nil && traffic.firstVideoDelay == nil)
    }

    /// Of an encoder that its engine calls limited by bandwidth all the time.
    private static func limited(sending rate: Double, estimate: Double?, rid: String? = nil) throws -> Double?
    {
        let records = (0..<11).map { second in
            let time = start + Double(second) * 1000
            var report = StatsReport(timestamp: time)
            var video = OutboundRTPStats(id: "V", timestamp: time)
            video.kind = .video
            video.rid = rid
            video.bytesSent = UInt64(rate / 8 * Double(second))
            video.qualityLimitationDurations = ["bandwidth": Double(second), "none": 0]
            var pair = CandidatePairStats(id: "P", timestamp: time)
            pair.nominated = true
            pair.state = .succeeded
            pair.availableOutgoingBitrate = estimate
            report.outboundRTP = [video]
            report.candidatePairs = [pair]
            return RecordedReport(time: time, peerConnection: "a", report: report)
        }
        return try facts(records).tracks.first?.sent?.limitedByBandwidth
    }

    @Test("an encoder whose estimate has room for much more is not limited by it, whatever its engine says")
    func limitedByBandwidth() throws {
        #expect(try Self.limited(sending: 500_000, estimate: 1_000_000) == 0)
        #expect(try Self.limited(sending: 800_000, estimate: 1_000_000) == 1)
        #expect(try Self.limited(sending: 500_000, estimate: nil) == 1)
        // The layer that is off may need more than is left.
        #expect(try Self.limited(sending: 500_000, estimate: 1_000_000, rid: "q") == 1)
    }

    @Test("audio that was played long before or after its video is found, and says which was late")
    func outOfSync() throws {
        for (audio, video, late) in [(0.4, 0.1, "audio"), (0.1, 0.4, "video")] {
            let records = (0..<20).map {
                Self.record(
                    $0, packets: UInt64(50 * $0), frames: UInt64(30 * $0), audio: audio, video: video)
            }
            var client = ClientFacts(recording: 0)
            client.connections = [try Self.facts(records)]
            let found = FindingJudge().findings(in: CallFacts(clients: [client]))
            let finding = try #require(found.first { $0.kind == .outOfSync })
            #expect(finding.sentence.hasPrefix("The \(late) was played 300 ms after"))
            #expect(finding.track?.kind == .video && finding.severity == .warning)
        }
    }

    @Test("a frozen video, or one without its audio's time, says nothing of that")
    func syncUnknown() throws {
        let frozen = (0..<20).map {
            Self.record($0, packets: UInt64(50 * $0), frames: 30, audio: 0.1, video: 0.4)
        }
        let alone = (0..<20).map {
            Self.record($0, packets: UInt64(50 * $0), frames: UInt64(30 * $0), video: 0.4)
        }
        for records in [frozen, alone] {
            #expect(try Self.facts(records).tracks.allSatisfy { $0.received?.avSync == nil })
        }
    }
}
