// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

@Suite("Queues that packets and round trips show")
struct PacketQueueTests {
    /// A second: how long all packets were held up as a media router reports it, and how much a round trip was above the shortest,
    /// in ms.
    private typealias Second = (wait: Double?, rise: Double?)

    /// What is known after each of the seconds.
    private func states(_ seconds: [Second]) -> [PacketQueue] {
        var queue = PacketQueue()
        return seconds.enumerated().map { index, second in
            let time = Double(index) * 1000
            let seen = second.wait.map { wait in
                PathSecond(
                    time: time - 950,
                    timing: PathTiming(capacityBound: 200_000, sustainedDelay: wait / 1000))
            }
            queue.handle(
                seen.map { [$0] } ?? [], rise: second.rise.map { $0 / 1000 },
                hasRisen: (second.rise ?? 0) > 50, at: time)
            return queue
        }
    }

    /// In which of the seconds there is a queue.
    private func found(_ seconds: [Second]) -> [Bool] { states(seconds).map { $0.delay != nil } }

    @Test("It is there with the first second that both show, and until packets wait less than 50 ms")
    func both() {
        let queue: [Second] = [
            (3, 0), (3, 150), (220, 180), (120, nil), (60, 60), (nil, nil), (49, 60), (60, 60),
        ]
        #expect(found(queue) == [false, false, true, true, true, true, false, false])
        #expect(found([(99, 120), (101, 120)]) == [false, true])
    }

    @Test("Neither a sender's clock that is set nor round trips of the other direction are one")
    func one() {
        #expect(!found(Array(repeating: (200, 1), count: 20)).contains(true))
        #expect(!found(Array(repeating: (200, nil), count: 20)).contains(true))
        #expect(!found(Array(repeating: (3, 180), count: 20)).contains(true))
    }

    @Test("A short round trip ends it before the router's next second does, and another one may begin")
    func short() {
        let queue: [Second] = [(150, 140), (150, 60), (190, 2), (190, nil), (180, nil), (150, 120)]
        #expect(found(queue) == [true, true, false, false, false, true])
    }

    @Test("What the router has not seen for six seconds says nothing")
    func old() {
        let seconds = (0..<10).map { index -> Second in (index == 0 ? 150 : nil, 140) }
        #expect(found(seconds).firstIndex(of: false) == 6)
    }

    @Test("A single round trip that rose by more than packets wait is not of this direction's queue")
    func denied() {
        func denied(_ seconds: [Second]) -> Bool {
            states(seconds).last?.deniesRise == true
        }
        #expect(denied([(20, 0), (25, 60)]) && !denied([(20, 0), (45, 60)]))
        // One of the last seconds is enough, and none is.
        #expect(!denied([(45, 0), (20, 60)]))
        #expect(!denied([(20, 0), (nil, 10), (nil, 10), (nil, 60)]))
        #expect(!denied([(20, 0), (25, 40)]))
    }

    @Test(
        "One that is denied is no queue, though the estimate is short; two in a row are", arguments: [1, 2])
    func supported(rises: Int) {
        func cause(isDenied: Bool) -> PathCause {
            var classifier = CongestionClassifier(), queue = QueueDelayDetector(), last = PathCause.none
            for second in 0..<(2 + rises) {
                let time = Double(second) * 1000
                let input = QueueDelayDetector.Input(pair: second < 2 ? 0.03 : 0.15, isLossy: false)
                queue.handle(input, at: time, ConditionRules())
                last =
                    classifier.handle(
                        CongestionClassifier.Input(
                            lossGrade: 5, bandwidthGrade: 3, coverage: 0.5, queue: queue, estimate: 500_000,
                            isRiseDenied: isDenied),
                        at: time, ConditionRules()
                    ).cause
            }
            return last
        }
        #expect(cause(isDenied: false) == .bandwidth)
        #expect((cause(isDenied: true) == .bandwidth) == (rises > 1))
    }

    /// What a publisher without an estimate is judged to be, second by second, while something happens to its uplink from the 20th
    /// on.
    private func causes(seconds: Int, isTimed: Bool = true, wait: (Int) -> Double) -> [Diagnosis.Cause] {
        var scenario = CallScenario.publisher()
        scenario.call.estimate = nil
        return (0..<seconds).map { second in
            if isTimed {
                // The router reports a second later.
                let seen = second > 20 ? wait(second - 1) : 0
                let timing = PathTiming(capacityBound: 300_000, sustainedDelay: 0.003 + seen)
                scenario.remote.pathTimings = [Aged(timing, age: 0.9)]
            }
            scenario.run(.init(1, roundTripTime: 0.03 + (second >= 20 ? wait(second) : 0)))
            return scenario.published.last?.diagnosis.cause ?? .unknown
        }
    }

    @Test("A publisher of whose uplink nothing is estimated lacks bandwidth as soon as both show a queue")
    func publisher() {
        let wait = { (second: Int) in second < 40 ? [0.12, 0.15, 0.11, 0.16][second % 4] : 0 }
        let found = causes(seconds: 60, wait: wait)
        #expect(found[12..<20].allSatisfy { $0 == .none }, "\(found)")
        #expect(found[21..<40].allSatisfy { $0 == .bandwidth }, "\(found)")
        #expect(found[40...].allSatisfy { $0 == .none }, "\(found)")
        let untimed = causes(seconds: 60, isTimed: false, wait: wait)
        #expect(!untimed.contains(.bandwidth), "\(untimed)")
    }

    @Test("A path that becomes longer is none once its round trips have held still")
    func longerPath() {
        let found = causes(seconds: 60) { _ in 0.13 }
        #expect(!found.suffix(30).contains(.bandwidth), "\(found)")
    }
}
