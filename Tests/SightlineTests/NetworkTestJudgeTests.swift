// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@testable import Sightline

/// Evidence of a pass in which everything is as good as it gets, to be spoilt.
private func goodEvidence() -> PassEvidence {
    var evidence = PassEvidence()
    for direction in [\PassEvidence.uplink, \.downlink] {
        evidence[keyPath: direction].bandwidth = 5_000_000
        evidence[keyPath: direction].audio = MediumEvidence(bitrate: 40_000, deviation: 500, readings: 10)
        evidence[keyPath: direction].video = MediumEvidence(
            bitrate: 1_200_000, deviation: 50_000, readings: 10)
        evidence[keyPath: direction].loss = LossTally(lost: 0, due: 1000)
    }
    return evidence
}

@Suite("The verdict of a network test")
struct NetworkTestJudgeTests {
    private let judge = NetworkTestJudge(rules: PreCallRules())

    private func verdict(_ spoil: (inout PassEvidence) -> Void) -> NetworkTestVerdict {
        var evidence = goodEvidence()
        spoil(&evidence)
        return judge.judge(evidence).verdict
    }

    @Test("a good path is good for audio and video, and surely so")
    func good() {
        let judgement = judge.judge(goodEvidence())
        #expect(judgement.verdict == .audioAndVideo)
        #expect(judgement.certainty > 0.99)
        #expect(judgement.video.reason == nil)
    }

    @Test(
        "each limit counts on each side: at it and just within is good, just beyond is not",
        arguments: [true, false])
    func limits(isUplink: Bool) {
        let direction = isUplink ? \PassEvidence.uplink : \PassEvidence.downlink
        func withLoss(_ loss: Double) -> NetworkTestVerdict {
            verdict { $0[keyPath: direction].loss = LossTally(lost: loss * 100_000, due: 100_000) }
        }
        #expect(withLoss(0.0299) == .audioAndVideo)
        #expect(withLoss(0.03) == .audioAndVideo)
        #expect(withLoss(0.0301) == .audioOnly)
        #expect(withLoss(0.05) == .audioOnly)
        #expect(withLoss(0.0501) == .neither)
        func withAudio(_ bitrate: Double) -> NetworkTestVerdict {
            verdict {
                $0[keyPath: direction].audio.bitrate = bitrate
                // The bandwidth speaks for the medium where the path has room.
                $0[keyPath: direction].bandwidth = nil
            }
        }
        #expect(withAudio(25_001) == .audioAndVideo)
        #expect(withAudio(25_000) == .audioAndVideo)
        #expect(withAudio(24_999) == .neither)
        func withVideo(_ bitrate: Double) -> NetworkTestVerdict {
            verdict {
                $0[keyPath: direction].video.bitrate = bitrate
                $0[keyPath: direction].bandwidth = nil
            }
        }
        #expect(withVideo(150_001) == .audioAndVideo)
        #expect(withVideo(150_000) == .audioAndVideo)
        #expect(withVideo(149_999) == .audioOnly)
    }

    @Test("limits are settable")
    func settable() {
        var rules = PreCallRules()
        rules.videoBitrate = 2_000_000
        let judgement = NetworkTestJudge(rules: rules).judge(
            { evidence in
                var evidence = evidence
                evidence.uplink.bandwidth = 1_500_000
                return evidence
            }(goodEvidence()))
        #expect(judgement.verdict == .audioOnly)
        #expect(judgement.video.reason?.limit == 2_000_000)
    }

    @Test("the report says which direction fails, and why")
    func reasons() {
        var evidence = goodEvidence()
        evidence.downlink.loss = LossTally(lost: 80, due: 1000)
        let judgement = judge.judge(evidence)
        #expect(judgement.audio.reason?.direction == .downlink)
        #expect(judgement.audio.reason?.cause == .packetLoss)
        #expect(judgement.audio.reason?.measured == 0.08)
        #expect(judgement.audio.reason?.text == "the downlink loses 8 % of the packets, and 5 % is the most")
    }

    @Test("a downlink is not blamed for what never reached the media router")
    func starvedUplink() {
        var evidence = goodEvidence()
        evidence.uplink.bandwidth = 120_000
        evidence.uplink.video.bitrate = 50_000
        evidence.downlink.video.bitrate = 50_000
        let video = judge.judge(evidence).video
        #expect(!video.isSupported)
        #expect(video.findings.filter { !$0.passes }.map(\.reason.direction) == [.uplink])
        #expect(video.reason?.cause == .bandwidth)
    }

    @Test("a downlink is blamed for what had reached the media router, however wide it once was")
    func lostDownlink() {
        var evidence = goodEvidence()
        evidence.downlink.audio.bitrate = 3_000
        let judgement = judge.judge(evidence)
        #expect(judgement.verdict == .neither)
        #expect(judgement.audio.reason?.direction == .downlink)
        evidence.downlink.audio.bitrate = 24_500
        #expect(judge.judge(evidence).verdict == .audioAndVideo)
    }

    @Test("a device that is too slow is named, and not the network")
    func slowDevice() {
        var evidence = goodEvidence()
        evidence.isCPULimited = true
        evidence.uplink.video.bitrate = 50_000
        evidence.downlink.video.bitrate = 50_000
        #expect(judge.judge(evidence).video.reason?.cause == .cpu)
    }

    @Test("what was not measured is not good, and nothing is sure about it")
    func nothing() {
        let judgement = judge.judge(PassEvidence())
        #expect(judgement.verdict == .neither)
        #expect(judgement.certainty == 0)
        #expect(!judgement.isKnown)
        #expect(judgement.audio.reason?.cause == .notMeasured)
        #expect(judgement.audio.isSupported(in: .uplink) == nil)
    }

    @Test("an uplink too narrow for video is not held against the downlink, though no video was sent")
    func noVideoPass() {
        var measurement = Measurement()
        measurement.uplink = .init(rate: 150_000, isAtLeast: false)
        measurement.downlink = .init(rate: 5_000_000, isAtLeast: true)
        var audio = goodEvidence()
        audio.isAudioOnly = true
        audio.uplink.video = MediumEvidence()
        audio.downlink.video = MediumEvidence()
        measurement.audioOnly = .init(evidence: audio)
        let judgement = measurement.judgement(PreCallRules())
        #expect(judgement.verdict == .audioOnly)
        #expect(judgement.video.isSupported(in: .uplink) == false)
        #expect(judgement.video.isSupported(in: .downlink) == true)
        #expect(judgement.audio.isSupported(in: .uplink) == true)
    }

    @Test("audio alone does not forget the loss before it, unless leaving out the video has helped")
    func lossOfBothPasses() {
        func audio(before: Double, alone: Double) -> NetworkTestJudge.MediumJudgement {
            var measurement = Measurement()
            measurement.audioVideo = .init(evidence: goodEvidence())
            measurement.audioVideo?.evidence.downlink.loss = LossTally(lost: before, due: 1000)
            measurement.audioOnly = .init(evidence: goodEvidence())
            measurement.audioOnly?.evidence.downlink.loss = LossTally(lost: alone, due: 200)
            return measurement.judgement(PreCallRules()).audio
        }
        // 4.5 % of 200 packets are no better than 8 % of 1000: by chance one in twenty such passes has so few.
        #expect(!audio(before: 80, alone: 9).isSupported)
        #expect(audio(before: 80, alone: 9).reason?.measured == 89.0 / 1200)
        #expect(audio(before: 80, alone: 2).isSupported)
        #expect(!audio(before: 80, alone: 30).isSupported)
        #expect(audio(before: 0, alone: 0).isSupported)
    }

    @Test("bandwidth alone rules a medium out, but never speaks for a path whose loss nobody knows")
    func bandwidthAlone() {
        var measurement = Measurement()
        measurement.uplink = .init(rate: 5_000_000, isAtLeast: true)
        measurement.downlink = .init(rate: 5_000_000, isAtLeast: true)
        #expect(!measurement.judgement(PreCallRules()).isKnown)
        measurement.uplink?.rate = 30_000
        let judgement = measurement.judgement(PreCallRules())
        #expect(judgement.isKnown && judgement.verdict == .neither)
        #expect(judgement.audio.reason?.cause == .bandwidth)
        #expect(judgement.audio.isSupported(in: .uplink) == false)
        #expect(judgement.audio.isSupported(in: .downlink) == nil)
    }

    @Test("silence on the path is told apart from too little bandwidth")
    func noMedia() {
        var evidence = goodEvidence()
        evidence.uplink.bandwidth = nil
        evidence.uplink.audio = MediumEvidence(bitrate: 0, deviation: 0, readings: 10)
        #expect(judge.judge(evidence).audio.reason?.cause == .noMedia)
    }

    @Test("the more packets, the surer; on the limit nothing is sure")
    func certainty() {
        func certainty(_ fraction: Double, _ due: Double) -> Double {
            Certainty.ofLoss(LossTally(lost: fraction * due, due: due), limit: 0.03)
        }
        #expect(certainty(0, 50) < 0.99)
        #expect(certainty(0, 400) > 0.99)
        #expect(certainty(0.04, 200) < 0.9)
        #expect(certainty(0.04, 4000) > 0.99)
        #expect(certainty(0.03, 1e6) == 0.5)
        #expect(
            Certainty.ofLoss(LossTally(lost: 40, due: 1000), limit: 0.03, dispersion: 5)
                < certainty(0.04, 1000))
    }

    @Test(
        "no figure, however odd, becomes a NaN",
        arguments: [
            0, -1, Double.nan, Double.infinity, -Double.infinity, Double.greatestFiniteMagnitude,
            Double.leastNonzeroMagnitude,
        ])
    func odd(value: Double) {
        #expect(!Certainty.ofLoss(LossTally(lost: value, due: value), limit: value, dispersion: value).isNaN)
        #expect(!Certainty.ofRate(value, limit: value, deviation: value, count: 0).isNaN)
        var evidence = goodEvidence()
        evidence.uplink.bandwidth = value
        evidence.uplink.audio.bitrate = value
        evidence.downlink.video.deviation = value
        evidence.downlink.loss = LossTally(lost: value, due: value)
        let judgement = judge.judge(evidence)
        #expect((0...1).contains(judgement.certainty))
        #expect(judgement.video.reason?.text.isEmpty != true)
    }
}

@Suite("When a network test has measured enough")
struct PassRuleTests {
    private let rules = PreCallRules()

    fileprivate func judgement(
        _ audio: Bool, _ video: Bool, certainty: Double, cause: NetworkTestReason.Cause = .bandwidth
    ) -> NetworkTestJudge.Judgement {
        func medium(_ passes: Bool) -> NetworkTestJudge.MediumJudgement {
            let reason = NetworkTestReason(
                medium: .audio, direction: .uplink, cause: cause, measured: 1, limit: 1)
            return .init(findings: [.init(passes: passes, certainty: certainty, reason: reason)])
        }
        return .init(audio: medium(audio), video: medium(video))
    }

    fileprivate func decide(
        _ judgement: NetworkTestJudge.Judgement, alone: Bool = false, measured: Double = 3, left: Double = 5
    ) -> PassRule.Decision {
        PassRule.decide(judgement, isAudioOnly: alone, measured: measured, left: left, rules: rules)
    }

    @Test("a sure verdict ends it early, an unsure one when time is up")
    func early() {
        #expect(decide(judgement(true, true, certainty: 0.999)) == .finish(early: true))
        #expect(decide(judgement(true, true, certainty: 0.999), measured: 2.9) == .goOn)
        #expect(decide(judgement(true, true, certainty: 0.9)) == .goOn)
        #expect(decide(judgement(true, true, certainty: 0.9), left: 0) == .finish(early: false))
        #expect(decide(judgement(true, false, certainty: 0.999)) == .finish(early: true))
    }

    @Test("before neither, audio is measured alone, while there is time for it")
    func second() {
        #expect(decide(judgement(false, false, certainty: 0.999)) == .measureAudioAlone)
        #expect(decide(judgement(false, false, certainty: 0.9)) == .goOn)
        #expect(decide(judgement(false, false, certainty: 0.9), left: 3) == .measureAudioAlone)
        #expect(decide(judgement(false, false, certainty: 0.999), alone: true) == .finish(early: true))
        #expect(
            decide(judgement(false, false, certainty: 0.5), alone: true, left: 0) == .finish(early: false))
    }
}

extension PassRuleTests {
    @Test("video is not given up before it was measured, however little time is left")
    func noHaste() {
        let unknown = judgement(false, false, certainty: 0, cause: .notMeasured)
        #expect(decide(unknown, measured: 0.1, left: 1.9) == .goOn)
        #expect(decide(unknown, measured: 3, left: 0) == .goOn)
        #expect(decide(unknown, measured: 5, left: 0) == .measureAudioAlone)
        #expect(decide(unknown, alone: true, measured: 5, left: 0) == .finish(early: false))
        #expect(decide(judgement(false, false, certainty: 0.9), measured: 1.9, left: 0.1) == .goOn)
        #expect(decide(judgement(false, false, certainty: 0.9), measured: 2, left: 0.1) == .measureAudioAlone)
    }
}

@Suite("What a network test recommends")
struct SizeRecommendationTests {
    @Test(
        "the largest size of which three quarters fit",
        arguments: [
            (112_499.0, nil), (112_500, 320), (224_999, 320), (225_000, 480), (375_000, 640), (899_999, 640),
            (900_000, 960), (1_874_999, 960), (1_875_000, 1280), (2_999_999, 1280), (3_000_000, 1920),
            (1e12, 1920),
            (0, nil), (-1, nil),
        ] as [(Double, Int?)])
    func plain(bandwidth: Double, width: Int?) {
        let rules = PreCallRules()
        #expect(SizeRecommendation.size(for: bandwidth, simulcast: false, rules: rules)?.width == width)
    }

    @Test(
        "simulcast needs more for the same size",
        arguments: [
            (112_499.0, nil), (112_500, 320), (262_499, 320), (262_500, 480), (487_499, 480), (487_500, 640),
            (1_162_499, 640), (1_162_500, 960), (2_362_499, 960), (2_362_500, 1280), (4_162_499, 1280),
            (4_162_500, 1920), (.nan, nil),
        ] as [(Double, Int?)])
    func simulcast(bandwidth: Double, width: Int?) {
        let rules = PreCallRules()
        #expect(SizeRecommendation.size(for: bandwidth, simulcast: true, rules: rules)?.width == width)
    }

    /// A row of Vonage's table: more than these rates, bps.
    struct Row: Sendable {
        var width: Int
        var excellent: Double
        var acceptable: Double
    }

    private func grade(_ bitrate: Double, _ loss: Double, width: Int) -> NetworkTestReport.Grade? {
        SizeRecommendation.grades(bitrate: bitrate, loss: loss, rules: PreCallRules())
            .first { $0.width == width }?.grade
    }

    @Test(
        "sizes are graded by Vonage's table: more than the rate and less than the loss, not equal to them",
        arguments: [
            Row(width: 1280, excellent: 1_000_000, acceptable: 350_000),
            Row(width: 640, excellent: 600_000, acceptable: 250_000),
            Row(width: 352, excellent: 300_000, acceptable: 150_000),
            Row(width: 320, excellent: 300_000, acceptable: 150_000),
        ])
    func grades(row: Row) {
        #expect(grade(row.excellent + 1, 0.0049, width: row.width) == .excellent)
        #expect(grade(row.excellent, 0.0049, width: row.width) == .acceptable)
        #expect(grade(row.excellent - 1, 0, width: row.width) == .acceptable)
        #expect(grade(row.excellent + 1, 0.005, width: row.width) == .acceptable)
        #expect(grade(row.excellent + 1, 0.0051, width: row.width) == .acceptable)
        #expect(grade(row.acceptable + 1, 0.0299, width: row.width) == .acceptable)
        #expect(grade(row.acceptable, 0, width: row.width) == .unsupported)
        #expect(grade(row.acceptable - 1, 0, width: row.width) == .unsupported)
        #expect(grade(row.excellent + 1, 0.03, width: row.width) == .unsupported)
        #expect(grade(row.excellent + 1, 0.0301, width: row.width) == .unsupported)
    }

    @Test(
        "audio alone is graded by its row",
        arguments: [
            (30_001, 0.0049, .excellent), (30_000, 0.0049, .acceptable), (29_999, 0, .acceptable),
            (30_001, 0.005, .acceptable), (25_001, 0.0499, .acceptable), (25_000, 0, .unsupported),
            (24_999, 0, .unsupported), (30_001, 0.05, .unsupported), (30_001, 0.0501, .unsupported),
        ] as [(Double, Double, NetworkTestReport.Grade)])
    func audioGrades(bitrate: Double, loss: Double, expected: NetworkTestReport.Grade) {
        let rules = PreCallRules()
        #expect(SizeRecommendation.audioGrade(bitrate: bitrate, loss: loss, rules: rules) == expected)
    }
}

@Suite("What a network test needs to know of a path")
struct PathHistoryTests {
    private func reading(_ second: Double, bytes: UInt64, packets: UInt64, lost: Int64 = 0) -> EndCounters {
        EndCounters(
            timestamp: 1_000_000 + second * 1000, knownAt: .seconds(second), bytesReceived: bytes,
            packetsReceived: packets,
            audio: .init(packetsReceived: packets, packetsLost: lost, bytesReceived: bytes, jitter: 0.01))
    }

    @Test("rates count 28 bytes of headers a packet on the wire, and none as payload")
    func rates() {
        var history = PathHistory()
        history.add(reading(0, bytes: 0, packets: 0))
        history.add(reading(1, bytes: 100_000, packets: 100))
        history.add(reading(2, bytes: 200_000, packets: 200))
        #expect(history.wireRate(from: .zero, to: .seconds(2)) == 822_400.0)
        #expect(history.evidence(from: .zero, to: .seconds(2)).audio.bitrate == 800_000)
        #expect(history.wireRate(from: .seconds(1.5), to: .seconds(2)) == nil)
        #expect(history.jitter(.audio, from: .zero, to: .seconds(2)) == 0.01)
        #expect(history.jitter(.video, from: .zero, to: .seconds(2)) == nil)
    }

    @Test(
        "where packets are rare, a rate does not depend on when it is looked at",
        arguments: 0...12)
    func rarePackets(step: Int) {
        let phase = Double(step) * 0.05
        var history = PathHistory()
        for tick in 0...50 {
            let time = Double(tick) / 10
            // A packet of 1228 bytes every 0.65 s: 15.1 kbps.
            let packets = UInt64(max(0, ((time + phase) / 0.65).rounded(.down)))
            history.add(reading(time, bytes: packets * 1200, packets: packets))
        }
        let rate = history.wireRate(from: .zero, to: .seconds(5)) ?? 0
        #expect(abs(rate / (1228 * 8 / 0.65) - 1) < 0.04)
    }

    @Test("loss is what is missing of what was due; late packets take it back")
    func loss() {
        var history = PathHistory()
        history.add(reading(0, bytes: 0, packets: 100, lost: 5))
        history.add(reading(1, bytes: 1, packets: 190, lost: 15))
        #expect(history.evidence(from: .zero, to: .seconds(1)).loss == LossTally(lost: 10, due: 100))
        history.add(reading(2, bytes: 2, packets: 300, lost: 3))
        #expect(history.evidence(from: .zero, to: .seconds(2)).loss == LossTally(lost: 0, due: 200))
    }

    @Test("losses in bursts make less sure than the same losses spread")
    func dispersion() {
        func evidence(_ losses: [Int64]) -> PathEvidence {
            var history = PathHistory()
            var (packets, lost): (UInt64, Int64) = (0, 0)
            history.add(reading(0, bytes: 0, packets: 0))
            for (second, loss) in losses.enumerated() {
                packets += 100 - UInt64(loss)
                lost += loss
                history.add(reading(Double(second + 1), bytes: 0, packets: packets, lost: lost))
            }
            return history.evidence(from: .zero, to: .seconds(losses.count))
        }
        let (spread, burst) = (evidence([5, 5, 5, 5]), evidence([20, 0, 0, 0]))
        #expect(spread.loss == burst.loss)
        #expect(spread.dispersion == 1)
        #expect(burst.dispersion > 5)
    }

    @Test("a path is crowded while most of what is sent gets lost or nothing comes, in either direction")
    func crowded() {
        func isCrowded(_ end: Double, received: UInt64, lost: Int64, isUplink: Bool) -> Bool {
            var book = PathBook()
            for tick in 0...2 {
                let time = end - 0.5 + Double(tick) * 0.25
                let good = (packets: UInt64(tick) * 10, lost: Int64(0))
                let bad = (packets: UInt64(tick) * received, lost: Int64(tick) * lost)
                let (up, down) = isUplink ? (bad, good) : (good, bad)
                book.addUplink(reading(time, bytes: 0, packets: up.packets, lost: up.lost))
                var audio = InboundRTPStats(id: "A", timestamp: time * 1000)
                audio.kind = .audio
                (audio.packetsReceived, audio.packetsLost) = (down.packets, down.lost)
                var report = StatsReport(timestamp: time * 1000)
                report.inboundRTP = [audio]
                book.addSubscriber(report, at: .seconds(time))
            }
            return book.isCrowded(at: .seconds(end))
        }
        for isUplink in [true, false] {
            #expect(isCrowded(5, received: 10, lost: 90, isUplink: isUplink))
            #expect(isCrowded(5, received: 0, lost: 0, isUplink: isUplink))
            #expect(!isCrowded(5, received: 80, lost: 20, isUplink: isUplink))
        }
        #expect(PathBook().isCrowded(at: .zero))
    }

    @Test("readings that are not newer are left out; counters that go back begin anew")
    func resets() {
        var history = PathHistory()
        history.add(reading(1, bytes: 1000, packets: 10))
        history.add(reading(1, bytes: 2000, packets: 20))
        #expect(history.readings.count == 1)
        history.add(reading(2, bytes: 10, packets: 1))
        #expect(history.readings.count == 1)
        #expect(history.wireRate(from: .zero, to: .seconds(9)) == nil)
    }
}
