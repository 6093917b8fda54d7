// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

@Suite("Packets that pass freely")
struct FreePathTests {
    /// In which of the seconds it is shown, by what packets waited in each, in ms, and whether its round trip time rose.
    private func shown(_ seconds: [(delay: Double?, isRisen: Bool)], every interval: Int = 1) -> [Bool] {
        var path = FreePath(), found: [Bool] = []
        for begin in stride(from: 0, to: seconds.count, by: interval) {
            let report = begin..<min(seconds.count, begin + interval)
            let new = report.compactMap { index in
                // A router's seconds end somewhere between two reports.
                seconds[index].delay.map {
                    PathSecond(
                        time: (Double(index) + 0.4) * 1000,
                        timing: PathTiming(capacityBound: 2_000_000, sustainedDelay: $0 / 1000))
                }
            }
            path.handle(
                new, isRisen: seconds[report].contains(where: \.isRisen), at: Double(report.upperBound) * 1000
            )
            found += report.map { _ in path.isShown }
        }
        return found
    }

    @Test("It takes two round trips that rose while packets passed", arguments: [1, 2, 5])
    func elsewhere(interval: Int) {
        let seconds: [(Double?, Bool)] = (0..<40).map { (3, $0 >= 15 && $0 % 2 == 0) }
        let found = shown(seconds, every: interval)
        #expect(!found.prefix(15).contains(true) && found.suffix(10).allSatisfy { $0 }, "\(found)")
        #expect(!shown((0..<40).map { (3, $0 == 20) }, every: interval).contains(true))
    }

    @Test("A queue of the own direction holds packets up, if not from its first second to its last")
    func own() {
        let queue: [(Double?, Bool)] = (0..<60).map { second in
            let isQueue = (15..<40).contains(second)
            return ((17..<39).contains(second) ? 90 : 3, isQueue)
        }
        #expect(!shown(queue).contains(true))
        // One that comes and goes.
        let some: [(Double?, Bool)] = (0..<60).map { ($0 % 6 < 2 ? 60 : 3, $0 % 6 < 3) }
        #expect(!shown(some).contains(true))
    }

    @Test("What no one measures is not free, and what was is forgotten")
    func unknown() {
        #expect(!shown((0..<40).map { _ in (nil, true) }).contains(true))
        let past: [(Double?, Bool)] = (0..<60).map { ($0 < 30 ? 3 : nil, true) }
        let found = shown(past)
        #expect(found[29] && !found.suffix(20).contains(true), "\(found)")
        let over: [(Double?, Bool)] = (0..<60).map { (3, $0 < 30) }
        #expect(shown(over)[30] && !shown(over).suffix(10).contains(true))
    }

    @Test(
        "Round trips that rise in the other direction's queue are no lack of the own bandwidth",
        arguments: [true, false])
    func publisher(isTimed: Bool) {
        var scenario = CallScenario.publisher(), found: [Diagnosis] = []
        let waits = [0.0, 0.17, 0.19, 0.1, 0.14, 0.02, 0.11, 0.19, 0.18, 0.08]
        for second in 0..<60 {
            if isTimed {
                let timing = PathTiming(capacityBound: 2_200_000, sustainedDelay: 0.003)
                scenario.remote.pathTimings = [Aged(timing, age: 0.9)]
            }
            let wait = second < 20 ? 0 : waits[second % waits.count]
            scenario.run(.init(1, roundTripTime: 0.036 + wait))
            found += [scenario.published.last?.diagnosis].compactMap(\.self)
        }
        let blames = found.suffix(25).count { $0.cause == .bandwidth }
        #expect(isTimed ? blames == 0 : blames > 3, "\(found.map(\.cause))")
    }

    @Test("What they were taken for is taken back: it is no queue that stands", arguments: [true, false])
    func takenBack(isFree: Bool) {
        var detector = QueueDelayDetector()
        for second in 0..<30 {
            let rise = second < 10 ? 0 : [0.17, 0.12, 0.19][second % 3]
            let input = QueueDelayDetector.Input(
                pair: 0.03 + rise, isLossy: false, isFree: isFree && second >= 20)
            detector.handle(input, at: Double(second) * 1000, ConditionRules())
            if second == 19 { #expect(detector.isQueueing && detector.isStanding) }
        }
        #expect(detector.isQueueing == !isFree && detector.isStanding == !isFree)
        #expect((detector.refutation == .otherDirection) == isFree)
    }

    @Test(
        "Where media go in both directions, no one knows which of them was measured",
        arguments: [true, false])
    func bothDirections(sends: Bool) {
        var call = ScriptedCall.subscriber(), observer = TransportObserver(configuration: .extended)
        if sends { call.sent = ScriptedCall.simulcastPublisher().sent }
        let timing = PathTiming(capacityBound: 2_000_000, sustainedDelay: 0.003, delaySpread: 0.02)
        var last = TransportObservation(timestamp: 0)
        for _ in 0..<3 {
            call.advance(1)
            last = observer.handle(call.report(), remote: .init(pathTimings: [Aged(timing, age: 0.3)]))
        }
        #expect(last.downlinkVerdict.pathSeconds.map(\.timing) == (sends ? [] : [timing]))
        #expect(last.uplinkVerdict.pathSeconds.isEmpty)
    }
}
