// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

@Suite("Packets that are all held up")
struct HeldUpTests {
    /// Whether they are after seconds in each of which all waited that long, in seconds, with reports each so often.
    private func isSeen(_ delays: [Double], every interval: Int = 1) -> Bool {
        var heldUp = HeldUp()
        for begin in stride(from: 0, to: delays.count, by: interval) {
            let report = delays[begin..<min(delays.count, begin + interval)]
            let seconds = report.enumerated().map {
                PathSecond(
                    time: Double(begin + $0.offset + 1) * 1000,
                    timing: PathTiming(capacityBound: 500_000, sustainedDelay: $0.element))
            }
            heldUp.handle(seconds, at: Double(begin + report.count) * 1000)
        }
        return heldUp.isSeen
    }

    @Test("It takes three seconds in order", arguments: [1, 2])
    func seen(interval: Int) {
        #expect(isSeen([0.002, 0.13, 0.14, 0.13], every: interval))
        #expect(!isSeen([0.13, 0.14, 0.13, 0.002], every: interval))
        #expect(!isSeen([0.13, 0.14], every: interval))
    }

    @Test("The same second counts once, and ages that are no times count for nothing")
    func hostile() {
        var seconds = PathSeconds()
        let timing = PathTiming(capacityBound: 90_000, sustainedDelay: 0.13)
        for age in [Double.nan, .infinity, -.infinity] {
            #expect(seconds.handle([Aged(timing, age: age)], at: 1000).isEmpty)
        }
        #expect(seconds.handle([Aged(timing, age: -1e306)], at: 1000).map(\.time) == [1000])
        // As an app that sets its facts once is asked for them at each tick.
        for tick in 1...5 {
            let said = [Aged(timing, age: Double(tick) + 0.01), Aged(timing, age: Double(tick))]
            #expect(seconds.handle(said, at: 1000 + Double(tick) * 1000).isEmpty)
        }
        let new = seconds.handle([Aged(timing, age: 1), Aged(timing, age: 0.2)], at: 7000)
        #expect(new.map(\.time) == [6000, 6800])
    }

    @Test(
        "Jitter does not explain round trips that rose where all packets are held up",
        arguments: [true, false])
    func jitter(isHeldUp: Bool) {
        var detector = QueueDelayDetector(), isRefuted = false
        for second in 0..<20 {
            // RTCP reports it of video that is sent slowly.
            let jitter = second == 16 ? 0.08 : 0.002
            let rise = Double(second % 3) * 0.03
            let input = QueueDelayDetector.Input(
                pair: second < 12 ? 0.03 : 0.15 + rise, jitter: jitter, isLossy: false, isHeldUp: isHeldUp)
            detector.handle(input, at: Double(second) * 1000, ConditionRules())
            isRefuted = isRefuted || detector.refutation == .jitter
        }
        #expect(isRefuted != isHeldUp)
    }
}
