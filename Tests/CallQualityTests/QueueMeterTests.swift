// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("Queueing")
struct QueueMeterTests {
    /// Whether there is a queue after each of some round trip times, in ms, a second apart.
    private static func queueing(
        _ times: [Double?], jitter: Double = 0, isLossy: Bool = false
    ) -> [Bool] {
        var evidence = QueueDelayDetector()
        return times.enumerated().map { second, time in
            evidence.handle(
                QueueDelayDetector.Input(
                    pair: time.map { $0 / 1000 }, jitter: jitter / 1000, isLossy: isLossy),
                at: Double(second) * 1000, ConditionRules())
            return evidence.isQueueing
        }
    }

    @Test("One measurement is a hiccup, also while no other comes; two in a row are a queue")
    func twoInARow() {
        #expect(Self.queueing([20, 20, 150, nil, nil, 20]) == [false, false, false, false, false, false])
        #expect(Self.queueing([20, 20, 150, 160, nil, 20]) == [false, false, false, true, true, false])
    }

    @Test("The rise must be above 50 ms, above half of the minimum and above eight times the jitter")
    func rise() {
        #expect(Self.queueing([20, 70, 70]).last == false)
        #expect(Self.queueing([20, 71, 71]).last == true)
        #expect(Self.queueing([200, 300, 300]).last == false)
        #expect(Self.queueing([200, 301, 301]).last == true)
        #expect(Self.queueing([20, 219, 219], jitter: 25).last == false)
        #expect(Self.queueing([20, 221, 221], jitter: 25).last == true)
    }

    @Test("A rise that holds still for six seconds is a longer path, unless packets are lost with it")
    func longerPath() {
        let steady: [Double?] = [20, 20] + Array(repeating: 270, count: 9)
        #expect(Self.queueing(steady).last == false)
        #expect(Self.queueing(steady, isLossy: true).last == true)
        let swelling: [Double?] = [20, 20, 100, 200, 300, 150, 90, 200, 300, 120, 250]
        #expect(Self.queueing(swelling).last == true)
    }

    @Test(
        "A longer path that lost packets once is one when nothing has been lost for long; a queue overflows again"
    )
    func longerPathAfterLoss() {
        func isQueueing(after seconds: Int, lossyEvery period: Int) -> Bool {
            var baseline = RoundTripBaseline(), last = RoundTripBaseline.Verdict.none
            for second in 0..<(10 + seconds) {
                let isLossy = second >= 10 && (second - 10) % period < 3
                last = baseline.handle(
                    second < 10 ? 0.06 : 0.55, jitter: 0.002, isLossy: isLossy, at: Double(second) * 1000,
                    ConditionRules())
                if last == .longerPath { return false }
            }
            return last != .flat
        }
        #expect(isQueueing(after: 12, lossyEvery: 100))
        #expect(!isQueueing(after: 16, lossyEvery: 100))
        #expect(isQueueing(after: 45, lossyEvery: 8))
    }

    @Test("A queue that fills over several measurements, and is then full, is no longer path")
    func fillingQueue() {
        let filling: [Double?] = [20, 20, 100, 172, 205, 257, 257, 254, 254]
        #expect(Self.queueing(filling).last == true)
        let step: [Double?] = [20, 20, 160] + Array(repeating: 255, count: 7)
        #expect(Self.queueing(step).last == false)
    }

    @Test("A queue that was there before the first minimum does not make one that moves look still")
    func queueBeforeTheMinimum() {
        let times: [Double?] = [175, 35, 55, 70, 76, 58, 80, 250, 204, 252, 204, 271, 220]
        #expect(Self.queueing(times).last == true)
    }

    @Test("Nor do the last measurements of a queue that drains make the next one look still")
    func queueAfterAnother() {
        let usual: [Double?] = (0..<20).map { 28 + Double($0 % 4) }
        let again: [Double?] = [145, 160, 170, 184, 174, 177, 180, 190, 185, 204, 200]
        #expect(Self.queueing([30, 150, 180, 75, 62] + usual + again).last == true)
    }

    @Test("After a minute the minimum is forgotten")
    func window() {
        let times: [Double?] = [20] + (0..<70).map { $0 % 2 == 0 ? 100 : 180 }
        #expect(Self.queueing(times)[50] == true)
        #expect(
            Self.queueing([20] + Array(repeating: 100, count: 3) + (0..<70).map { _ in 101 }).last == false)
    }
}
