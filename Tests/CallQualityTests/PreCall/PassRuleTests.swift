// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("When a network test has measured enough")
struct PassRuleTests {
    private let rules = PreCallRules()

    fileprivate func judgement(
        _ audio: Bool, _ video: Bool, certainty: Double, cause: PreCallReason.Cause = .bandwidth
    ) -> PreCallJudge.Judgement {
        func medium(_ passes: Bool) -> PreCallJudge.MediumJudgement {
            let reason = PreCallReason(
                medium: .audio, direction: .uplink, cause: cause, measured: 1, limit: 1)
            return .init(findings: [.init(passes: passes, certainty: certainty, reason: reason)])
        }
        return .init(audio: medium(audio), video: medium(video))
    }

    fileprivate func decide(
        _ judgement: PreCallJudge.Judgement, alone: Bool = false, measured: Double = 3, left: Double = 5
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
        #expect(decide(judgement(false, false, certainty: 0.9), left: PassRule.alone + 0.1) == .goOn)
        #expect(decide(judgement(false, false, certainty: 0.9), left: PassRule.alone) == .measureAudioAlone)
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

    @Test("a verdict that is not sure early wants more packets, and a sure one does not")
    func morePackets() {
        func wants(_ certainty: Double, after seconds: Double) -> Bool {
            PassRule.wantsMorePackets(
                judgement(true, true, certainty: certainty), measured: seconds, rules: rules)
        }
        #expect(!wants(0.7, after: 1.4))
        #expect(wants(0.7, after: 1.5))
        #expect(!wants(0.999, after: 1.5))
    }

    @Test("a path that loses nothing is sure before more packets are wanted")
    func earlyCertainty() {
        var evidence = goodEvidence()
        // Fifty of audio and 120 of video a second.
        let due = PassRule.early * 170
        evidence.uplink.loss = LossTally(lost: 0, expected: due)
        evidence.downlink.loss = LossTally(lost: 0, expected: due)
        let judgement = PreCallJudge(rules: rules).judge(evidence)
        #expect(!PassRule.wantsMorePackets(judgement, measured: PassRule.early, rules: rules))
        evidence.uplink.loss.lost = (due * 0.04).rounded()
        let unsure = PreCallJudge(rules: rules).judge(evidence)
        #expect(PassRule.wantsMorePackets(unsure, measured: PassRule.early, rules: rules))
    }
}
