// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

/// A queue that other flows keep full, and a path that has become longer, by what packets show of either.
@Suite("Other flows in the queue of an uplink")
struct CrossTrafficTests {
    /// Whether others are seen after seconds, each with the kbit/s that it let through and the seconds it held all up for.
    private func isSeen(_ seconds: [(bound: Double, delay: Double)], every interval: Int = 1) -> Bool {
        var traffic = CrossTraffic()
        for begin in stride(from: 0, to: seconds.count, by: interval) {
            let report = seconds[begin..<min(seconds.count, begin + interval)]
            let timings = report.enumerated().map {
                Aged(
                    UplinkTiming(
                        capacityBound: $0.element.bound * 1000, sustainedDelay: $0.element.delay),
                    age: Double(report.count - 1 - $0.offset))
            }
            traffic.handle(timings, at: Double(begin + report.count) * 1000)
        }
        return traffic.isSeen
    }

    private let idle = Array(repeating: (bound: 800.0, delay: 0.002), count: 10)
    private let shared = Array(repeating: (bound: 90.0, delay: 0.13), count: 4)

    @Test("What waits in a queue of others comes no faster than they let it", arguments: [1, 2])
    func shared(interval: Int) {
        #expect(isSeen(idle + shared, every: interval))
        #expect(!isSeen(idle + shared + [idle[0]], every: interval))
    }

    @Test("A longer path carries what it carried before, and one that always carried little is no queue")
    func longer() {
        #expect(!isSeen(idle + Array(repeating: (800, 0.13), count: 4)))
        #expect(!isSeen(shared))
        #expect(!isSeen(idle + Array(repeating: (90, 0.01), count: 4)))
        #expect(!isSeen(idle + shared.prefix(2)))
    }

    @Test("Ages that are no numbers count for nothing")
    func hostile() {
        var traffic = CrossTraffic()
        let timing = UplinkTiming(capacityBound: 90_000, sustainedDelay: 0.13)
        for age in [Double.nan, .infinity, -.infinity] {
            traffic.handle([Aged(timing, age: age), Aged(timing, age: age)], at: 1000)
        }
        #expect(!traffic.isSeen)
    }

    @Test(
        "Round trips that rose once and hold still are a queue where others are seen in it",
        arguments: [true, false])
    func held(isShared: Bool) {
        var detector = QueueDelayDetector(), hasLonger = false
        for second in 0..<30 {
            let input = QueueDelayDetector.Input(
                pair: second < 12 ? 0.03 : 0.18, jitter: second == 16 ? 0.08 : 0.002, isLossy: false,
                isShared: isShared)
            detector.handle(input, at: Double(second) * 1000, ConditionRules())
            hasLonger = hasLonger || detector.refutation != nil
        }
        #expect(hasLonger == !isShared && detector.isQueueing == isShared)
        #expect(detector.isStanding == isShared)
    }
}
