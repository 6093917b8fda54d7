// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("Congestion control that backs off from no queue")
struct UnfoundedBackoffTests {
    private let rules = ConditionRules()

    /// Ten good seconds whose round trip times vary by 20 ms, then seconds with one each, in each of which the estimate
    /// falls or rises.
    private func backoff(
        _ roundTripTimes: [Double], estimates: [Double], isLossy: Bool = false,
        usual: [Double] = [30, 40, 50]
    ) -> UnfoundedBackoff {
        var backoff = UnfoundedBackoff(), time = 0.0
        func tick(_ roundTripTime: Double, _ estimate: Double, isWell: Bool) {
            time += 1000
            backoff.handle(
                .init(
                    roundTripTimes: [roundTripTime / 1000], estimate: estimate, isWell: isWell,
                    isLossy: isLossy),
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

    @Test("Without good seconds to compare with nothing is said")
    func withoutReference() {
        let found = backoff([35, 45, 40, 30], estimates: [500, 300, 320, 200], usual: [])
        #expect(!found.isUnfounded(rules))
        #expect(!found.varies(rules))
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
