// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("Estimates that collapse though nothing queues")
struct QuietCollapseTests {
    private let rules = ConditionRules()

    /// A second of a call.
    private struct Second {
        var estimate: Double
        var delivered = 450.0
        var roundTripTime: Double?
        /// That of media, where it is another one.
        var mediaRoundTripTime: Double?
        var loss = 0.0
        var coverage = 0.6
    }

    /// Whether it is shown after each of some seconds.
    private func shown(_ seconds: [Second]) -> [Bool] {
        var collapse = QuietCollapse(), roundTrips = RoundTrips(), queue = QueueDelayDetector()
        return seconds.enumerated().map { index, second in
            let time = Double(index) * 1000, value = second.roundTripTime.map { $0 / 1000 }
            let media = second.mediaRoundTripTime.map { $0 / 1000 } ?? value
            queue.handle(
                .init(pair: value, media: media, jitter: 0.003, isLossy: false),
                at: time, rules)
            roundTrips.handle([value, media.map { $0 + 0.003 }], at: time)
            var input = CongestionClassifier.Input(queue: queue)
            input.estimate = second.estimate * 1000
            input.delivered = second.delivered * 1000
            input.recentLoss = second.loss
            input.coverage = second.coverage
            collapse.handle(input, roundTrips, at: time, rules)
            return collapse.isShown
        }
    }

    /// Seconds with these estimates over a path that takes 20 to 44 ms.
    private func seconds(_ estimates: [Double], roundTripTimes: [Double] = [20, 43, 31, 38, 24, 41])
        -> [Second]
    {
        estimates.enumerated().map { index, estimate in
            Second(
                estimate: estimate, delivered: min(450, estimate),
                roundTripTime: roundTripTimes[index % roundTripTimes.count])
        }
    }

    private func steps(_ values: (Double, count: Int)...) -> [Double] {
        values.flatMap { Array(repeating: $0.0, count: $0.count) }
    }

    @Test("What had just got through, without a queue or loss, gets through still")
    func collapse() {
        let shown = shown(seconds(steps((600, 10), (420, 1), (300, 9), (440, 3))))
        #expect(!shown[..<12].contains(true))
        #expect(shown[14..<20].allSatisfy { $0 })
        // Congestion control believes in it again.
        #expect(shown.last == false)
    }

    @Test("A second collapse is one too, though less has been sent since the first")
    func again() {
        #expect(shown(seconds(steps((600, 10), (300, 8), (480, 5), (260, 6)))).last == true)
    }

    @Test("With a queue, or losses, it is not quiet")
    func disturbed() {
        let estimates = steps((600, 10), (300, 10))
        for index in [10, 14] {
            var queued = seconds(estimates), lossy = queued
            for index in index...index + 1 { queued[index].roundTripTime = 250 }
            lossy[index].loss = 0.05
            #expect(shown(queued).last == false)
            #expect(shown(lossy).last == false)
        }
    }

    @Test(
        "A stall of a second does not undo what is shown, two in a row do, and one at the collapse may be its queue"
    )
    func stall() {
        let all = seconds(steps((600, 10), (300, 20)))
        var later = all, again = all, sooner = all
        later[16].roundTripTime = 400
        for index in [16, 20] { again[index].roundTripTime = 400 }
        sooner[10].roundTripTime = 400
        #expect(shown(later)[14...].allSatisfy { $0 })
        #expect(shown(again)[14..<20].allSatisfy { $0 } && shown(again).last == false)
        #expect(!shown(sooner).contains(true))
    }

    @Test("One long round trip among many does not hide a collapse, unless it is while the estimate falls")
    func hiccup() {
        var late = seconds(steps((600, 10), (300, 10))), early = late
        late[13].mediaRoundTripTime = 180
        early[11].mediaRoundTripTime = 180
        let shown = shown(late)
        #expect(!shown[..<14].contains(true) && shown[14...].allSatisfy { $0 })
        #expect(!self.shown(early)[..<17].contains(true))
    }

    @Test("Where round trips do not vary, something else limits; and what sinks slowly may follow a limit")
    func others() {
        #expect(!shown(seconds(steps((600, 10), (300, 10)), roundTripTimes: [40, 41])).contains(true))
        let sinking = (0..<30).map { 600 * (1 - Double($0) / 60) }
        #expect(!shown(seconds(steps((600, 10)) + sinking + steps((300, 5)))).contains(true))
    }

    @Test("Round trips that are longer than before, or that no one measured, show no quiet")
    func shallowQueue() {
        func last(_ change: (Double?) -> Double?) -> Bool? {
            let all = seconds(steps((600, 10), (300, 10))).enumerated().map { index, second in
                var second = second
                if index > 9 { second.roundTripTime = change(second.roundTripTime) }
                return second
            }
            return shown(all)[10..<16].contains(true)
        }
        #expect(last { $0 } == true)
        #expect(last { $0.map { $0 + 18 } } == false)
        #expect(last { _ in nil } == false)
    }

    @Test("An estimate that falls with what is wanted, or suffices again, is none")
    func demand() {
        var all = seconds(steps((600, 10), (300, 10)))
        for index in 16..<20 { all[index].coverage = 1.2 }
        #expect(shown(all)[15] && !shown(all)[16...].contains(true))
        for index in 10..<16 { all[index].coverage = 1.2 }
        #expect(!shown(all).contains(true))
    }

    @Test("What was never sent shows nothing")
    func unproven() {
        let estimates = steps((600, 10), (300, 10))
        let little = seconds(estimates).map {
            var second = $0
            second.delivered = 200
            return second
        }
        #expect(!shown(little).contains(true))
    }
}
