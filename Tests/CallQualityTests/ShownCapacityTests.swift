// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

/// Paths of which congestion control believes that they are short, and whose other end sees what they carry.
@Suite("What packets show of a path")
struct ShownCapacityTests {
    /// The causes of a publisher whose estimate falls from 5 Mbit/s and stays low, and what packets show the router meanwhile.
    private func causes(
        bounds: [Double?], delays: [Double] = [0.004], estimates: [Double] = [180, 160, 140],
        loss: Double? = nil, until lossEnds: Int = 15
    ) -> [Diagnosis.Cause] {
        var scenario = CallScenario.publisher(), found: [Diagnosis.Cause] = []
        scenario.run(.init(15))
        scenario.run(.init(0, loss: loss, isLimited: true))
        for second in 0..<40 {
            scenario.remote.pathTimings = bounds[second % bounds.count].map {
                let timing = PathTiming(
                    capacityBound: $0 * 1000, sustainedDelay: delays[second % delays.count])
                return [Aged(timing, age: 0.3)]
            }
            if loss != nil, second == lossEnds { scenario.run(.init(0, loss: 0)) }
            scenario.run(.init(1, estimate: estimates[second % estimates.count] * 1000))
            found += [scenario.published.last?.diagnosis.cause].compactMap(\.self)
        }
        return found
    }

    /// The same of a subscriber, whose router sends a smaller layer for that.
    @Test(
        "A downlink that carries what is wanted is not short, whatever the router's congestion control believes",
        arguments: [(1500, .jitter), (200, .bandwidth), (nil, .bandwidth)] as [(Double?, Diagnosis.Cause)])
    func downlink(bound: Double?, cause: Diagnosis.Cause) {
        var scenario = CallScenario.subscriber(), found: [Diagnosis.Cause] = []
        scenario.run(.init(15))
        scenario.run(.init(0, isLimited: true))
        for second in 0..<40 {
            scenario.remote.pathTimings = bound.map {
                [Aged(PathTiming(capacityBound: $0 * 1000, sustainedDelay: 0.004), age: 0.3)]
            }
            scenario.run(.init(1, estimate: [180, 160, 140][second % 3] * 1000))
            found += [scenario.subscribed.last?.diagnosis.cause].compactMap(\.self)
        }
        #expect(found.suffix(20).allSatisfy { $0 == cause }, "\(found)")
    }

    @Test("A path that carries what is wanted is not short, whatever congestion control believes")
    func enough() {
        let found = causes(bounds: [700, nil, 3500, 900, 400], estimates: [1200, 1000, 900])
        #expect(found.suffix(20).allSatisfy { $0 == .jitter }, "\(found)")
    }

    @Test("Nor is one that carries far more than congestion control believes")
    func farMore() {
        let found = causes(bounds: [300, nil, 600, 120])
        #expect(found.suffix(20).allSatisfy { $0 == .jitter }, "\(found)")
    }

    @Test("One that carries less is short, as is one of which nothing is seen", arguments: [[250.0], [nil]])
    func short(bounds: [Double?]) {
        let found = causes(bounds: bounds)
        #expect(found.suffix(20).allSatisfy { $0 == .bandwidth }, "\(found)")
    }

    @Test("One whose packets queue when the estimate falls is short, though a shaper lets bursts through")
    func shaped() {
        // It falls in the second and the third second of three.
        let found = causes(bounds: [4000], delays: [0.002, 0.06, 0.05])
        #expect(found.suffix(20).allSatisfy { $0 == .bandwidth }, "\(found)")
        let small = causes(bounds: [4000], delays: [0.002, 0.035, 0.03])
        #expect(small.suffix(20).allSatisfy { $0 == .bandwidth }, "\(small)")
        // Always as long as then: that is the delay of the path.
        let jittery = causes(bounds: [4000], delays: [0.01])
        #expect(jittery.suffix(20).allSatisfy { $0 == .jitter }, "\(jittery)")
    }

    @Test("After losses the estimate climbs back, and the path is not to blame")
    func loss() {
        let climbing = (0..<40).map { $0 < 18 ? 150.0 : 150 * Double($0 - 17) }
        let found = causes(bounds: [4000], estimates: climbing, loss: 0.1)
        #expect(!found.contains(.jitter) && !found.suffix(20).contains(.bandwidth), "\(found)")
    }

    @Test("So little loss that congestion control ignores it is no reason for what it believes")
    func slightLoss() {
        let found = causes(bounds: [600], loss: 0.004, until: 40)
        #expect(found.suffix(20).allSatisfy { $0 == .jitter }, "\(found)")
        let lossy = causes(bounds: [600], loss: 0.06, until: 40)
        #expect(!lossy.contains(.jitter), "\(lossy)")
    }

    /// What is shown with an estimate that goes up and down between 100 and 80 kbit/s, where 1 Mbit/s is wanted.
    private final class Path {
        var shown = ShownCapacity()
        var interval = 1.0
        var isLossy = false
        private var tick = 0

        func take(
            _ bound: Double?, delay: Double = 0, estimate: Double? = nil, demand: Double? = 1000,
            age: Double = 0,
            ticks: Int = 1
        ) -> Bool {
            for _ in 0..<ticks {
                let timing = bound.map { PathTiming(capacityBound: $0 * 1000, sustainedDelay: delay) }
                let now = Double(tick) * interval
                // The router sees each second, however rarely reports come.
                let ages = stride(from: (interval - 1).rounded(.down), through: 0, by: -1)
                let seconds = timing.map { timing in
                    ages.map { PathSecond(time: (now - age - $0) * 1000, timing: timing) }
                }
                shown.handle(
                    ShownCapacity.Input(
                        pathSeconds: seconds ?? [], demand: demand.map { $0 * 1000 },
                        estimate: (estimate ?? (tick % 2 == 0 ? 100 : 80)) * 1000, isLossy: isLossy),
                    at: Double(tick) * interval * 1000, ConditionRules())
                tick += 1
            }
            return shown.isMore
        }
    }

    @Test("It needs two falls, and the time in which their queues are reported")
    func beginning() {
        let path = Path()
        #expect(!path.take(1600, ticks: 5) && path.take(1600))
    }

    @Test("Queues that are reported two seconds after the falls belong to them")
    func lag() {
        let path = Path()
        for second in 0..<40 {
            let isFall = second % 4 == 1, isReported = second % 4 == 3
            let isMore = path.take(1600, delay: isReported ? 0.05 : 0.002, estimate: isFall ? 80 : 100)
            #expect(!isMore, "second \(second)")
        }
    }

    @Test("It is remembered for a while; what was carried before a steep fall, or on another path, is not")
    func memory() {
        let path = Path()
        #expect(path.take(1600, ticks: 6) && path.take(150, ticks: 15) && !path.take(150, ticks: 6))
        let narrowed = Path()
        #expect(narrowed.take(1600, ticks: 6) && !narrowed.take(150, estimate: 20))
        let moved = Path()
        #expect(moved.take(1600, ticks: 6))
        moved.shown.forgetPath(at: 5_000)
        // Of the path before, though it comes now.
        _ = moved.take(1600)
        #expect(!moved.take(150, ticks: 10))
        // Facts that are repeated are as old as they are.
        let repeated = Path()
        #expect(repeated.take(1600, ticks: 6) && !repeated.take(nil, ticks: 22))
        #expect(!repeated.take(1600, age: 30))
    }

    @Test("What a probe lifts for one report is no fall of the path, and nothing that was believed")
    func probe() {
        let path = Path()
        #expect(path.take(300, demand: nil, ticks: 6))
        #expect(path.take(300, estimate: 1500, demand: nil, ticks: 1) == false)
        #expect(path.take(300, demand: nil))
        // What stays for two reports is what a path carried.
        let narrowed = Path()
        #expect(narrowed.take(300, demand: nil, ticks: 6))
        _ = narrowed.take(300, estimate: 1500, demand: nil, ticks: 2)
        #expect(!narrowed.take(300, demand: nil, ticks: 4))
    }

    @Test(
        "A sender's probes that lift the estimate for seconds, again and again, do not make a path narrower")
    func probes() {
        let path = Path(), pattern: [Double] = [100, 80, 700, 700, 90, 80, 2000, 100, 600, 900, 80, 100]
        var found: [Bool] = []
        for second in 0..<60 { found.append(path.take(1600, estimate: pattern[second % pattern.count])) }
        #expect(found.dropFirst(8).allSatisfy { $0 }, "\(found)")
        // From what it believes between them, it falls as far.
        #expect(!path.take(150, estimate: 30, ticks: 2))
    }

    @Test(
        "By chance a second has longer delays, near a fall or not; in the queue of a limit it is those near it"
    )
    func chance() {
        let path = Path(), delays = [0.006, 0.03, 0.022, 0.034, 0.008]
        for second in 0..<40 {
            _ = path.take(1600, delay: delays[second % delays.count], estimate: second % 4 == 1 ? 80 : 100)
        }
        #expect(path.shown.isMore)
        for (every, length) in [(3, 1), (4, 1), (5, 1), (8, 3)] {
            let limit = Path()
            for second in 0..<48 {
                let isQueue = (second % every) < length
                _ = limit.take(1600, delay: isQueue ? 0.035 : 0.004, estimate: second % every == 0 ? 80 : 100)
            }
            #expect(!limit.shown.isMore, "every \(every) s")
        }
    }

    @Test("Stalls in half of the falls do not take back what was shown, and do not show it")
    func stalls() {
        func falls(_ delays: [Double], of path: Path) -> Bool {
            for delay in delays {
                for second in 0..<4 {
                    _ = path.take(1600, delay: second < 3 ? delay : 0.002, estimate: second == 0 ? 80 : 100)
                }
            }
            return path.shown.isMore
        }
        let shown = Path()
        #expect(falls([0.002, 0.002, 0.002, 0.2, 0.2], of: shown))
        #expect(!falls([0.2, 0.2], of: shown))
        #expect(!falls([0.2, 0.002, 0.2], of: Path()))
    }

    @Test("Reports that come every few seconds show it by what came in between", arguments: [2.0, 5])
    func thinned(interval: Double) {
        let path = Path()
        path.interval = interval
        #expect(path.take(1600, ticks: 8))
        let short = Path()
        short.interval = interval
        #expect(!short.take(150, ticks: 30))
    }

    @Test("Reports that come too rarely, and falls that follow losses, show nothing")
    func rarely() {
        let path = Path()
        path.interval = 6
        #expect(!path.take(1600, ticks: 30))
        let lossy = Path()
        lossy.isLossy = true
        #expect(!lossy.take(1600, ticks: 30))
    }

    @Test(
        "It is held against the most that was believed of late: at a limit the estimate falls and climbs back"
    )
    func highest() {
        let path = Path()
        _ = path.take(300, estimate: 150, demand: nil)
        #expect(!path.take(300, demand: nil, ticks: 12))
        #expect(path.take(300, demand: nil, ticks: 6))
        // What was believed of another path, that carried more, is no measure.
        let narrowed = Path()
        _ = narrowed.take(300, estimate: 1000, demand: nil)
        #expect(narrowed.take(300, demand: nil, ticks: 8))
    }

    @Test("Where nothing is wanted, or no one knows what, nothing is enough")
    func unknown() {
        let path = Path()
        #expect(!path.take(150, demand: 0, ticks: 10) && !path.take(150, demand: nil, ticks: 10))
        var estimateless = ShownCapacity()
        let timing = PathTiming(capacityBound: 5_000_000, sustainedDelay: 0)
        for second in 0..<10 {
            let time = Double(second) * 1000
            estimateless.handle(
                .init(pathSeconds: [PathSecond(time: time, timing: timing)], demand: 100_000, estimate: nil),
                at: time, ConditionRules())
        }
        #expect(!estimateless.isMore)
    }
}
