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
            heldUp.handle(seconds, jitter: 0.004, at: Double(begin + report.count) * 1000)
        }
        return heldUp.isSeen
    }

    @Test("It takes three seconds in order", arguments: [1, 2])
    func seen(interval: Int) {
        #expect(isSeen([0.002, 0.13, 0.14, 0.13], every: interval))
        #expect(!isSeen([0.13, 0.14, 0.13, 0.002], every: interval))
        #expect(!isSeen([0.13, 0.14], every: interval))
    }

    @Test("A queue moves, a longer path does not, and jitter moves neither by itself")
    func moving() {
        func isMoving(_ delays: [Double], jitter: Double) -> Bool {
            var heldUp = HeldUp()
            for (second, delay) in delays.enumerated() {
                let timing = PathTiming(capacityBound: 130_000, sustainedDelay: delay)
                let time = Double(second) * 1000
                heldUp.handle([PathSecond(time: time, timing: timing)], jitter: jitter, at: time)
            }
            return heldUp.isMoving
        }
        let queue = [0.004, 0.27, 0.26, 0.145, 0.15, 0.148, 0.147, 0.154, 0.16]
        #expect(isMoving(queue, jitter: 0.004) && !isMoving(queue + [0.005], jitter: 0.004))
        // A handover: the first seconds are of both paths.
        let path = [0.004, 0.3, 0.2, 0.13, 0.134, 0.131, 0.14, 0.136, 0.133, 0.139]
        #expect(!isMoving(path, jitter: 0.004))
        #expect(!isMoving([0.004, 0.055, 0.07, 0.071, 0.07, 0.072], jitter: 0.002))
        #expect(!isMoving(path.map { $0 > 0.13 ? $0 * 1.5 - 0.05 : $0 }, jitter: 0.02))
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
