// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@testable import CallQuality

@Suite("What came back in a pre-call test")
struct ReceptionTests {
    /// A second of good audio and video, of which an engine may not report everything.
    private static func report(
        at second: Double, _ change: (inout InboundRTPStats, inout InboundRTPStats) -> Void = { _, _ in }
    ) -> StatsReport {
        var report = StatsReport(timestamp: second * 1000)
        var transport = ICETransportStats(id: "T", timestamp: second * 1000)
        transport.selectedCandidatePairId = "P"
        var pair = CandidatePairStats(id: "P", timestamp: second * 1000)
        pair.currentRoundTripTime = 0.05
        var (audio, video) = (
            InboundRTPStats(id: "A", timestamp: second * 1000),
            InboundRTPStats(id: "V", timestamp: second * 1000)
        )
        audio.kind = .audio
        audio.concealedSamples = 0
        audio.totalSamplesReceived = UInt64(48_000 * second)
        audio.jitterBufferDelay = 0.05 * 48_000 * second
        audio.jitterBufferEmittedCount = UInt64(48_000 * second)
        video.kind = .video
        video.totalFreezesDuration = 0
        video.framesDecoded = UInt64(30 * second)
        video.frameWidth = 640
        video.frameHeight = 360
        change(&audio, &video)
        report.transports = [transport]
        report.candidatePairs = [pair]
        report.inboundRTP = [audio, video]
        return report
    }

    private static func score(
        _ change: (inout InboundRTPStats, inout InboundRTPStats) -> Void = { _, _ in }
    ) -> ReceptionScore {
        ReceptionScore(
            first: Reception(report(at: 1, change), knownAt: .seconds(1)),
            last: Reception(report(at: 5, change), knownAt: .seconds(5)))
    }

    @Test("is scored where everything is known")
    func known() throws {
        let score = Self.score()
        #expect(try #require(score.audio) > 4)
        #expect(try #require(score.video(bitrate: 500_000, isLimited: false)) > 3)
        #expect(score.frameRate == 30)
    }

    @Test("has no score by a figure that is not reported: absent is not zero")
    func absent() {
        #expect(Self.score { audio, _ in audio.concealedSamples = nil }.audio == nil)
        #expect(Self.score { audio, _ in audio.jitterBufferDelay = nil }.audio == nil)
        #expect(Self.score { audio, _ in audio.totalSamplesReceived = nil }.audio == nil)
        #expect(Self.score { _, video in video.framesDecoded = nil }.frameRate == nil)
        let frozen = Self.score { _, video in video.totalFreezesDuration = nil }
        #expect(frozen.video(bitrate: 500_000, isLimited: false) == nil)
        var unknownDelay = Reception(Self.report(at: 5), knownAt: .seconds(5))
        unknownDelay.roundTripTime = nil
        let first = Reception(Self.report(at: 1), knownAt: .seconds(1))
        #expect(ReceptionScore(first: first, last: unknownDelay).audio == nil)
    }

    @Test("a round trip that no one has measured is none, not one of 0 s")
    func roundTripTime() {
        var measurements = PathMeasurements()
        #expect(measurements.roundTripTime == nil)
        measurements.addSubscriber(Self.report(at: 1), at: .seconds(1))
        #expect(measurements.roundTripTime == 0.05)
    }
}
