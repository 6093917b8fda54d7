// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

@Suite("When packets showed their path")
struct PathTimesTests {
    @Test("The same second counts once, and ages that are no times count for nothing")
    func hostile() {
        var times = PathTimes()
        let timing = PathTiming(capacityBound: 90_000, sustainedDelay: 0.13)
        for age in [Double.nan, .infinity, -.infinity] {
            #expect(times.handle([Aged(timing, age: age)], at: 1000).isEmpty)
        }
        #expect(times.handle([Aged(timing, age: -1e306)], at: 1000).map(\.time) == [1000])
        // As an app that sets its facts once is asked for them at each tick.
        for tick in 1...5 {
            let said = [Aged(timing, age: Double(tick) + 0.01), Aged(timing, age: Double(tick))]
            #expect(times.handle(said, at: 1000 + Double(tick) * 1000).isEmpty)
        }
        let new = times.handle([Aged(timing, age: 1), Aged(timing, age: 0.2)], at: 7000)
        #expect(new.map(\.time) == [6000, 6800])
    }

    @Test("Figures that came late come together; those that are none are omitted")
    func together() {
        var times = PathTimes()
        let late = (1...4).map { Aged(PathTiming(capacityBound: Double($0), sustainedDelay: 0), age: 0.1) }
        #expect(times.handle(late, at: 9000).map(\.timing.capacityBound) == [1, 2, 3, 4])
        let wrong = [
            PathTiming(capacityBound: .nan, sustainedDelay: 0),
            PathTiming(capacityBound: 1, sustainedDelay: -1),
            PathTiming(capacityBound: 1, sustainedDelay: 1, delaySpread: .infinity),
        ]
        #expect(times.handle(wrong.map { Aged($0, age: 0) }, at: 12_000).isEmpty)
    }
}
