// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("When a problem is over")
struct ClearingTests {
    /// What is believed after each of some samples, a second apart; a better one must last three.
    private static func beliefs(_ samples: [Int]) -> [Int?] {
        var belief = DebouncedGrade()
        return samples.enumerated().map { second, sample in
            belief.handle(sample, at: Double(second) * 1000, upgradeDelay: 3, sparseInterval: 2)
            return belief.grade
        }
    }

    @Test("A better grade must last")
    func upgradeDelay() {
        #expect(Self.beliefs([1, 1, 5, 5, 5, 5]) == [1, 1, 1, 1, 1, 5])
        #expect(Self.beliefs([1, 1, 5, 5, 1, 5, 5]).last == 1)
    }

    @Test("What lay between bad and good does not make good wait twice as long")
    func onTheWay() {
        #expect(Self.beliefs([1, 1, 3, 5, 5, 5, 5]) == [1, 1, 1, 1, 1, 3, 5])
        #expect(Self.beliefs([1, 1, 3, 4, 3, 4, 3, 4]).last == 3)
    }

    @Test("An estimate that climbed beyond a limit and stays short for eight seconds has not left it")
    func stalledRecovery() {
        let rules = ConditionRules()
        func isGone(_ estimates: [Double]) -> [Bool] {
            var capacity = CapacityEstimate()
            return estimates.enumerated().map { second, estimate in
                capacity.handle(
                    CongestionClassifier.Input(
                        coverage: estimate / 2000, queue: QueueDelayDetector(), estimate: estimate * 1000,
                        delivered: 200_000),
                    isFull: false, at: Double(second) * 1000, rules)
                return capacity.isGone
            }
        }
        let falls = [1000.0, 300, 310, 400, 500]
        #expect(isGone(falls).last == true)
        #expect(isGone(falls + Array(repeating: 505, count: 9)).last == false)
        #expect(isGone(falls + (1...9).map { 500 + 30 * Double($0) }).last == true)
    }

    @Test("What gets through of an encoder that makes all it makes of its size shows no limit")
    func restedRecovery() {
        for isWhole in [false, true] {
            var capacity = CapacityEstimate()
            let estimates = [1000.0, 300, 310, 400, 600] + Array(repeating: 605, count: 12)
            for (second, estimate) in estimates.enumerated() {
                var input = CongestionClassifier.Input(
                    coverage: estimate / 2000, queue: QueueDelayDetector(), estimate: estimate * 1000,
                    delivered: estimate * 1000)
                input.isEstimateInferred = true
                input.isWhole = isWhole && estimate >= 600
                capacity.handle(input, isFull: false, at: Double(second) * 1000, ConditionRules())
            }
            #expect(capacity.isGone == isWhole)
        }
    }

    @Test("Samples that come rarely have lasted since the one before")
    func sparseSamples() {
        var belief = DebouncedGrade()
        for (time, sample) in [(0.0, 2), (5000, 5)] {
            belief.handle(sample, at: time, upgradeDelay: 3, sparseInterval: 2)
        }
        #expect(belief.grade == 5)
    }

    @Test("The fresh window begins after the last loss, whatever a report about audio reaches back to")
    func lateReport() {
        let rules = ConditionRules()
        var grader = LossGrader()
        func video(_ from: Double, _ to: Double, lost: UInt64) -> LossSample {
            LossSample(lost: lost, expected: UInt64(70 * (to - from)), from: from * 1000, to: to * 1000)
        }
        func sound(_ to: Double, lost: UInt64) -> LossSample {
            LossSample(lost: lost, expected: 250, from: (to - 5) * 1000, to: to * 1000)
        }
        for second in 1...14 {
            let time = Double(second)
            var samples = [video(time - 1, time, lost: 4)]
            if second % 5 == 0 { samples.append(sound(time, lost: 12)) }
            grader.handle(samples, at: time * 1000, rules)
        }
        #expect(grader.grade == 2)
        // The lossless tick in which only audio is reported does not make the last loss part of the fresh
        // window.
        grader.handle([sound(15, lost: 1)], at: 15_000, rules)
        grader.handle([video(14, 16, lost: 0)], at: 16_000, rules)
        grader.handle([video(16, 17, lost: 0)], at: 17_000, rules)
        #expect(grader.grade == 5)
    }

    @Test("What one short tick loses is a burst, and counts when another one loses too")
    func burst() {
        let rules = ConditionRules()
        var grader = LossGrader()
        func tick(_ second: Double, lost: UInt64) -> Int? {
            let sample = LossSample(lost: lost, expected: 300, from: (second - 1) * 1000, to: second * 1000)
            grader.handle([sample], at: second * 1000, rules)
            return grader.grade
        }
        for second in 1...10 { _ = tick(Double(second), lost: 0) }
        #expect(tick(11, lost: 40) == 5)
        #expect(tick(12, lost: 0) == 5)
        #expect(tick(13, lost: 40) ?? 5 < 3)
    }

    @Test(
        "Loss that one tick alone proves does not count as part of the fresh window after it",
        arguments: [2, 5, 10.0])
    func singleLossyTick(interval: Double) {
        let rules = ConditionRules()
        var grader = LossGrader()
        var time = 0.0
        func tick(lost: UInt64) -> Int? {
            let begin = time
            time += interval
            let sample = LossSample(
                lost: lost, expected: UInt64(100 * interval), from: begin * 1000, to: time * 1000)
            grader.handle([sample], at: time * 1000, rules)
            return grader.grade
        }
        while time < 20 { _ = tick(lost: 0) }
        #expect(grader.grade == 5)
        #expect(tick(lost: UInt64(17 * interval)) != 5)
        let over = time
        while tick(lost: 0) != 5, time < over + 30 {}
        #expect(time - over <= max(rules.sparseFreshLossWindow, interval))
    }
}
