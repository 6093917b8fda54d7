// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LabScoring
import LineEmulation
import MediaEngine
import Testing

@Suite("Drawn calls over access lines")
struct AccessPlanTests {
    @Test("are the same for the same seed, and others for another")
    func seeds() {
        let plans = AccessPlan.drawn(seed: 7, count: 8, seconds: 60)
        #expect(plans == AccessPlan.drawn(seed: 7, count: 8, seconds: 60))
        #expect(plans != AccessPlan.drawn(seed: 8, count: 8, seconds: 60))
        #expect(plans.count == 9 && plans[0].setup.profile == "fibre" && plans[0].changes.isEmpty)
        #expect(Set(plans.map(\.setup.name)).count == 9)
    }

    @Test("change a line and change it back before the call ends", arguments: 0..<20)
    func changes(_ seed: Int) {
        for plan in AccessPlan.drawn(seed: UInt64(seed), count: 10, seconds: 60).dropFirst() {
            if let first = plan.changes.first, let last = plan.changes.last {
                #expect(plan.changes.count == 2)
                #expect((15...30).contains(first.time) && last.time > first.time && last.time <= 51)
                #expect(first.conditions != plan.conditions && last.conditions == plan.conditions)
            }
            #expect(plan.changes.isEmpty || plan.crossTraffic.isEmpty)
            for direction in NetworkConditions.Direction.allCases {
                #expect(plan.conditions[direction].rate ?? 0 >= 1_500)
            }
        }
    }
}

@Suite("Chosen calls over access lines")
struct ChosenAccessPlanTests {
    @Test("begin with one over fibre for each client, which says what such a call needs")
    func reference() {
        let plans = AccessPlan.chosen(
            [.lte], [.publisher, .subscriber], clients: [.native, .chromiumPublisher], settings: [.standard],
            seconds: 60, seed: 1)
        #expect(plans.map(\.setup.profile) == ["fibre", "fibre"] + Array(repeating: "lte", count: 4))
        #expect(plans.prefix(2).map(\.setup.client) == [.native, .chromiumPublisher])
        let all = AccessPlan.chosen(
            AccessProfile.all, [.subscriber], clients: [.native], settings: [.standard], seconds: 60, seed: 1)
        #expect(all.map(\.setup.profile) == AccessProfile.all.map(\.name))
    }
}

@Suite("The floors of the short set")
struct AccessFloorsTests {
    @Test("only rise, and stay a margin below what was measured")
    func rise() {
        let floors = AccessFloors(causeRight: 60, causeRightWhileWrong: 40, sideRight: 70)
        let figures = AccessFloors(causeRight: 80, causeRightWhileWrong: 41, sideRight: 65)
        #expect(
            floors.raised(by: figures)
                == AccessFloors(causeRight: 70, causeRightWhileWrong: 40, sideRight: 70))
        #expect(floors.shortfalls(of: figures) == ["side right: 65.0 % is below 70.0 %"])
        #expect(floors.shortfalls(of: floors).isEmpty)
    }
}
