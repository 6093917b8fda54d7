// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

@Suite("When a network test is over")
struct PreCallDeadlinesTests {
    private func deadlines(duration: Double) -> PreCallDeadlines {
        var rules = PreCallRules()
        rules.duration = duration
        return PreCallDeadlines(rules, begin: .seconds(100))
    }

    @Test("within five seconds more than the measurement may take, fifteen by default")
    func whole() {
        #expect(PreCallRules().duration == 10)
        for duration in [10.0, 20, 60] {
            let deadlines = deadlines(duration: duration)
            #expect(deadlines.measurement < deadlines.test)
            #expect(deadlines.test + PreCallDeadlines.leaving <= .seconds(100 + duration + 5))
        }
    }

    @Test("a short measurement leaves connecting its time")
    func short() {
        #expect(deadlines(duration: 1) == deadlines(duration: 10))
    }

    @Test("an impossible time is one that makes sense")
    func impossible() {
        for duration in [Double.infinity, 1e9, 101] {
            #expect(deadlines(duration: duration) == deadlines(duration: 100))
        }
        for duration in [-Double.infinity, .nan, -1, 0] {
            #expect(deadlines(duration: duration) == deadlines(duration: 10))
        }
        var rules = PreCallRules()
        rules.duration = .infinity
        var plan = QualityPlan(rules: rules, testBegan: .zero, at: .zero)
        #expect(plan.tick(at: .seconds(1)).first == .begin(step: .bandwidth))
        #expect(plan.tick(at: .seconds(104)).last == .finish)
    }
}
