// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("The verdict of a network test")
struct NetworkTestJudgeTests {
    private let judge = PreCallJudge(rules: PreCallRules())

    private func verdict(_ spoil: (inout PassEvidence) -> Void) -> PreCallVerdict {
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
        func withLoss(_ loss: Double) -> PreCallVerdict {
            verdict { $0[keyPath: direction].loss = LossTally(lost: loss * 100_000, expected: 100_000) }
        }
        #expect(withLoss(0.0299) == .audioAndVideo)
        #expect(withLoss(0.03) == .audioAndVideo)
        #expect(withLoss(0.0301) == .audioOnly)
        #expect(withLoss(0.05) == .audioOnly)
        #expect(withLoss(0.0501) == .neither)
        func withAudio(_ bitrate: Double) -> PreCallVerdict {
            verdict {
                $0[keyPath: direction].audio.bitrate = bitrate
                // The bandwidth speaks for the medium where the path has room.
                $0[keyPath: direction].bandwidth = nil
            }
        }
        #expect(withAudio(25_001) == .audioAndVideo)
        #expect(withAudio(25_000) == .audioAndVideo)
        #expect(withAudio(24_999) == .neither)
        func withVideo(_ bitrate: Double) -> PreCallVerdict {
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
        let judgement = PreCallJudge(rules: rules).judge(
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
        evidence.downlink.loss = LossTally(lost: 80, expected: 1000)
        let judgement = judge.judge(evidence)
        #expect(judgement.audio.reason?.direction == .downlink)
        #expect(judgement.audio.reason?.cause == .packetLoss)
        #expect(judgement.audio.reason?.measured == 0.08)
        #expect(judgement.audio.reason?.text == "the downlink loses 8 % of the packets; the maximum is 5 %")
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
        var measurement = PreCallMeasurement()
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

    @Test("audio alone does not forget the loss before it, unless omitting the video has helped")
    func lossOfBothPasses() {
        func audio(before: Double, alone: Double) -> PreCallJudge.MediumJudgement {
            var measurement = PreCallMeasurement()
            measurement.audioVideo = .init(evidence: goodEvidence())
            measurement.audioVideo?.evidence.downlink.loss = LossTally(lost: before, expected: 1000)
            measurement.audioOnly = .init(evidence: goodEvidence())
            measurement.audioOnly?.evidence.downlink.loss = LossTally(lost: alone, expected: 200)
            return measurement.judgement(PreCallRules()).audio
        }
        // 4.5 % of 200 packets are no better than 8 % of 1000: by chance one in twenty such passes has so
        // few.
        #expect(!audio(before: 80, alone: 9).isSupported)
        #expect(audio(before: 80, alone: 9).reason?.measured == 89.0 / 1200)
        #expect(audio(before: 80, alone: 2).isSupported)
        #expect(!audio(before: 80, alone: 30).isSupported)
        #expect(audio(before: 0, alone: 0).isSupported)
    }

    @Test("bandwidth alone rules a medium out, but never speaks for a path whose loss no one knows")
    func bandwidthAlone() {
        var measurement = PreCallMeasurement()
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

    @Test("silence on the path is distinguished from too little bandwidth")
    func noMedia() {
        var evidence = goodEvidence()
        evidence.uplink.bandwidth = nil
        evidence.uplink.audio = MediumEvidence(bitrate: 0, deviation: 0, readings: 10)
        #expect(judge.judge(evidence).audio.reason?.cause == .noMedia)
    }
}
