// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Testing

@testable import CallQuality

@Suite("Congestion control that backs off from no queue")
struct UnfoundedBackoffTests {
    private let rules = ConditionRules()

    /// Ten good seconds whose round trip times vary by 20 ms, then seconds with one each, in each of which the estimate
    /// falls or rises.
    private func backoff(
        _ roundTripTimes: [Double], estimates: [Double], isLossy: Bool = false,
        usual: [Double] = [30, 40, 50], jitter: Double? = nil
    ) -> UnfoundedBackoff {
        var backoff = UnfoundedBackoff(), roundTrips = RoundTrips(), time = 0.0
        func tick(_ roundTripTime: Double, _ estimate: Double, isWell: Bool) {
            time += 1000
            roundTrips.handle([roundTripTime / 1000], at: time)
            backoff.handle(
                .init(
                    roundTrips: roundTrips, estimate: estimate,
                    jitter: isWell ? 0.001 : jitter, isWell: isWell, isLossy: isLossy),
                at: time, rules)
        }
        for second in 0..<10 where !usual.isEmpty {
            tick(usual[second % usual.count], 1_000_000, isWell: true)
        }
        for (roundTripTime, estimate) in zip(roundTripTimes, estimates) {
            tick(roundTripTime, estimate * 1000, isWell: false)
        }
        return backoff
    }

    @Test("Falls over the usual round trip times are unfounded")
    func unfounded() {
        let found = backoff([35, 45, 40, 30, 50, 40], estimates: [500, 520, 300, 320, 200, 210])
        #expect(found.isUnfounded(rules))
        #expect(found.varies(rules))
        #expect(found.clearQueue(rules) == nil)
    }

    @Test("Falls with round trip times above the usual ones are founded; far above them they show the queue")
    func founded() {
        let slight = backoff([55, 50, 55, 50, 55, 50], estimates: [500, 520, 300, 320, 200, 210])
        #expect(!slight.isUnfounded(rules))
        #expect(slight.clearQueue(rules) == nil)
        let queue = backoff([150, 140, 150, 140, 150, 140], estimates: [500, 520, 300, 320, 200, 210])
        #expect(!queue.isUnfounded(rules))
        #expect(queue.clearQueue(rules) == 15_000)
        let spikes = backoff([35, 120, 40, 120, 35, 120], estimates: [500, 520, 300, 320, 200, 210])
        #expect(!spikes.isUnfounded(rules))
    }

    @Test("Falls that are seconds apart are judged together: around each alone too little is measured")
    func together() {
        let climbing = [300.0, 310, 320, 330, 340, 350, 360]
        /// Four falls; around the last round trip times are long.
        func fourFalls(others: [Double]) -> UnfoundedBackoff {
            backoff(
                (0..<23).map { $0 >= 19 ? 55 : others[$0 % others.count] },
                estimates: (0..<23).map { climbing[$0 % climbing.count] })
        }
        #expect(fourFalls(others: [30, 35, 40]).isUnfounded(rules))
        #expect(!fourFalls(others: [55, 50, 60]).isUnfounded(rules))
    }

    /// Half a minute in which the estimate falls every two seconds.
    private func falling(_ roundTripTimes: [Double]) -> UnfoundedBackoff {
        backoff(
            (0..<30).map { roundTripTimes[$0 % roundTripTimes.count] },
            estimates: (0..<30).map { $0 % 2 == 0 ? 250 : 220 }, usual: [])
    }

    @Test(
        "Falls again and again have no queue if most round trips are short, and vary")
    func frequentFalls() {
        #expect(falling([45, 60, 55, 75, 50, 80]).fallsOftenWithoutQueue(rules))
        #expect(!falling([45, 160, 120, 150, 110, 140]).fallsOftenWithoutQueue(rules))
        #expect(!falling([45, 46, 47]).fallsOftenWithoutQueue(rules))
        #expect(!backoff([45, 60, 55], estimates: [250, 220, 250], usual: []).fallsOftenWithoutQueue(rules))
    }

    @Test("Single round trips that are far above the shortest are spikes if the next one is not")
    func spikes() {
        #expect(falling([45, 60, 55, 50, 200, 50, 60, 55]).hasSpikes)
        #expect(!falling([45, 60, 55, 75, 50, 80]).hasSpikes)
        // A queue drains slowly.
        #expect(!falling([45, 60, 200, 180, 140, 110, 100, 60]).hasSpikes)
    }

    @Test("An estimate that probes raise to a multiple again and again, without a queue, is refuted")
    func rebounds() {
        func isShown(_ estimates: [Double], roundTripTimes: [Double] = [0.03, 0.05, 0.04], loss: Double = 0)
            -> Bool
        {
            var rebound = ProbeRebound(), roundTrips = RoundTrips()
            for second in 0..<24 {
                var input = CongestionClassifier.Input(queue: QueueDelayDetector())
                input.estimate = estimates[second % estimates.count]
                input.recentLoss = loss
                roundTrips.handle(
                    [roundTripTimes[second % roundTripTimes.count]], at: Double(second) * 1000)
                rebound.handle(input, at: Double(second) * 1000, rules)
            }
            return rebound.isShown(roundTrips, at: 23_000, rules)
        }
        let leaping: [Double] = [150_000, 160_000, 170_000, 180_000, 190_000, 800_000, 400_000]
        #expect(isShown(leaping))
        #expect(isShown(leaping, roundTripTimes: [0.03, 0.05, 0.04, 0.04, 0.4]))
        #expect(!isShown(leaping, roundTripTimes: [0.03, 0.15, 0.2]))
        #expect(!isShown(leaping, loss: 0.05))
        #expect(!isShown([150_000, 160_000, 170_000, 180_000, 300_000]))
    }

    @Test("Without good seconds to compare with nothing is said")
    func withoutReference() {
        let found = backoff([35, 45, 40, 30], estimates: [500, 300, 320, 200], usual: [])
        #expect(!found.isUnfounded(rules))
        #expect(!found.varies(rules))
    }

    @Test("Without them, what halves the estimate in small steps is held against the times between the falls")
    func sinking() {
        // Falls in pairs, with seven seconds between them.
        let estimates = (0..<5).flatMap { (fall: Int) -> [Double] in
            let high: Double = 400 * pow(0.81, Double(fall))
            let rise: [Double] = (0..<7).map { high * (0.811 + 0.001 * Double($0)) }
            return [high * 0.9, high * 0.81] + rise
        }
        let rounds: [Double] = [35, 55, 40, 50, 45]
        let steady = estimates.indices.map { rounds[$0 % 5] }
        #expect(backoff(steady, estimates: estimates, usual: []).isUnfounded(rules))
        let queues = zip(estimates.indices, steady).map { $0 % 9 <= 2 || $0 % 9 >= 7 ? 90 : $1 }
        #expect(!backoff(queues, estimates: estimates, usual: []).isUnfounded(rules))
        // A limit stops them.
        let limited = estimates.map { 300 + $0 / 10 }
        #expect(!backoff(steady, estimates: limited, usual: []).isUnfounded(rules))
    }

    @Test("What halves the estimate in small steps, and rises no more than jitter makes it, is no queue")
    func jittery() {
        let estimates = (0..<20).map { 400 * pow(0.93, Double($0)) }
        let rises = estimates.indices.map { [55.0, 65, 48, 60, 50][$0 % 5] }
        let calm = [29.0, 30, 31]
        #expect(backoff(rises, estimates: estimates, usual: calm, jitter: 0.012).isUnfounded(rules))
        #expect(!backoff(rises, estimates: estimates, usual: calm, jitter: 0.003).isUnfounded(rules))
        #expect(
            !backoff(rises, estimates: estimates.map { 300 + $0 / 10 }, usual: calm, jitter: 0.012)
                .isUnfounded(rules))
    }

    @Test("A single late round trip among many in time is a stall, not a queue")
    func stall() {
        let found = backoff(
            [35, 45, 400, 30, 50, 40, 35, 45], estimates: [500, 520, 300, 320, 280, 290, 260, 270])
        #expect(found.isUnfounded(rules))
    }

    @Test("Falls for loss, and those before an outage, say nothing")
    func otherReasons() {
        #expect(
            !backoff([35, 45, 40, 30], estimates: [500, 300, 320, 200], isLossy: true).isUnfounded(rules))
        var outage = backoff([35, 45, 40, 30], estimates: [500, 300, 320, 200])
        outage.forgetFalls()
        #expect(!outage.isUnfounded(rules))
    }

    @Test("It has ended after eight seconds without a fall, and the verdict stays until all is well")
    func ends() {
        let climbing = (0..<9).map { 200 + 20 * Double($0) }
        let found = backoff(
            [35, 45, 40] + climbing.map { _ in 40 }, estimates: [500, 300, 200] + climbing)
        #expect(found.hasEnded(at: 22_000, rules))
        #expect(!backoff([35, 45, 40], estimates: [500, 300, 200]).hasEnded(at: 14_000, rules))
        #expect(found.isUnfounded(rules))
    }

    @Test("A path that stays calm does not vary")
    func calm() {
        #expect(!backoff([], estimates: [], usual: [30, 31, 32]).varies(rules))
    }
}
