// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("How sure a network test is")
struct NetworkTestCertaintyTests {
    @Test("the more packets, the surer; on the limit nothing is sure")
    func certainty() {
        func certainty(_ fraction: Double, _ due: Double) -> Double {
            Certainty.ofLoss(LossTally(lost: fraction * due, expected: due), limit: 0.03)
        }
        #expect(certainty(0, 50) < 0.99)
        #expect(certainty(0, 400) > 0.99)
        #expect(certainty(0.04, 200) < 0.9)
        #expect(certainty(0.04, 4000) > 0.99)
        #expect(certainty(0.03, 1e6) == 0.5)
        #expect(
            Certainty.ofLoss(LossTally(lost: 40, expected: 1000), limit: 0.03, dispersion: 5)
                < certainty(0.04, 1000))
    }

    @Test(
        "no figure, however odd, becomes a NaN",
        arguments: [
            0, -1, Double.nan, Double.infinity, -Double.infinity, Double.greatestFiniteMagnitude,
            Double.leastNonzeroMagnitude,
        ])
    func odd(value: Double) {
        #expect(
            !Certainty.ofLoss(LossTally(lost: value, expected: value), limit: value, dispersion: value).isNaN)
        #expect(!Certainty.ofRate(value, limit: value, deviation: value, count: 0).isNaN)
        var evidence = goodEvidence()
        evidence.uplink.bandwidth = value
        evidence.uplink.audio.bitrate = value
        evidence.downlink.video.deviation = value
        evidence.downlink.loss = LossTally(lost: value, expected: value)
        let judgement = PreCallJudge(rules: PreCallRules()).judge(evidence)
        #expect((0...1).contains(judgement.certainty))
        #expect(judgement.video.reason?.text.isEmpty != true)
    }
}
