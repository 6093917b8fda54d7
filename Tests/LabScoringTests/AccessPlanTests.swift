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
            [.lte], [.publisher, .subscriber], kinds: [.init(), .init(client: .chromiumPublisher)],
            seconds: 60,
            seed: 1)
        #expect(plans.map(\.setup.profile) == ["fibre", "fibre"] + Array(repeating: "lte", count: 4))
        #expect(plans.prefix(2).map(\.setup.kind.client) == [.native, .chromiumPublisher])
        let all = AccessPlan.chosen(
            AccessProfile.all, [.subscriber], kinds: [.init()], seconds: 60, seed: 1)
        #expect(all.map(\.setup.profile) == AccessProfile.all.map(\.name))
    }

    @Test("have one over fibre for kinds that send the same, unless fibre is asked for")
    func sharedReference() {
        let kinds = [
            AccessCall.Kind(), .init(interval: 5), .init(setting: .twoSubscribers), .init(setting: .large),
        ]
        let plans = AccessPlan.chosen([.lte], [.subscriber], kinds: kinds, seconds: 60, seed: 1)
        #expect(
            plans.prefix { $0.setup.profile == "fibre" }.map(\.setup.kind.setting) == [.standard, .large])
        #expect(plans.count == 6)
        let fibre = AccessPlan.chosen([.fibre], [.subscriber], kinds: kinds, seconds: 60, seed: 1)
        #expect(fibre.map(\.setup.kind) == kinds)
    }

    @Test("have a short one over fibre before hours on lines that are fine")
    func fine() {
        let plans = AccessPlan.chosen(
            AccessProfile.fine, [.publisher, .subscriber], kinds: [.init()], seconds: 1_400, seed: 1)
        #expect(plans.map(\.setup.seconds) == [75] + Array(repeating: 1_400, count: 8))
        #expect(plans.dropFirst().allSatisfy { AccessProfile.fine.map(\.name).contains($0.setup.profile) })
        let fibre = AccessPlan.chosen([.fibre], [.publisher], kinds: [.init()], seconds: 1_400, seed: 1)
        #expect(fibre.map(\.setup.seconds) == [1_400])
    }

    @Test("are those that the clients can make, and no others")
    func kinds() {
        let clients = AccessCall.Client.allCases, settings = AccessCall.Setting.allCases
        let kinds = AccessPlan.kinds(clients, settings, intervals: [1, 5])
        #expect(kinds.filter { $0.client == .native }.count == 2 * settings.count)
        #expect(kinds.allSatisfy { $0.client == .native || $0.interval == 1 })
        #expect(
            kinds.filter { $0.client == .firefoxPublisher }.map(\.setting)
                == [.standard, .muted, .twoSubscribers])
        #expect(!kinds.contains(.init(client: .firefoxSubscriber, setting: .twoSubscribers)))
        #expect(
            Set(kinds.map { AccessPlan(.dsl, .publisher, kind: $0, seconds: 60, seed: 1).setup.name }).count
                == kinds.count)
    }

    @Test("are made once if they are asked for twice, in the order in which they were first")
    func distinct() {
        let plans = AccessPlan.chosen(
            [.lte, .dsl, .lte], [.publisher], kinds: [.init(), .init(interval: 5), .init()], seconds: 60,
            seed: 1)
        #expect(
            AccessPlan.distinct(plans).map { "\($0.setup.profile) \($0.setup.kind.interval)" }
                == ["fibre 1", "lte 1", "lte 5", "dsl 1", "dsl 5"])
        #expect(AccessPlan.distinct(AccessPlan.short) == AccessPlan.short)
    }

    @Test("of the short set have half of the profiles, say what a call needs, and fit into a change")
    func short() {
        let plans = AccessPlan.short, profiles = Set(plans.map(\.setup.profile))
        #expect(2 * profiles.count >= AccessProfile.all.count)
        #expect(profiles.contains(AccessProfile.fibre.name))
        #expect(plans.allSatisfy { $0.setup.kind == .init() })
        #expect(Set(plans.map(\.setup.name)).count == plans.count)
        // Beside them programs start and end, some seconds each.
        #expect(plans.reduce(0) { $0 + $1.setup.seconds + 10 } <= 360)
    }

    @Test("of ten minutes have one impairment after the other, each over before the next", arguments: 0..<10)
    func long(_ seed: Int) {
        let plans = AccessPlan.long(seed: UInt64(seed), count: 3)
        #expect(plans.count == 4 && plans[0].setup.profile == "fibre" && plans[0].setup.seconds == 75)
        for plan in plans.dropFirst() {
            #expect(plan.setup.seconds == 600)
            let times = plan.changes.map(\.time)
            #expect(times == times.sorted() && times.last ?? 0 <= 590)
            let spans =
                stride(from: 0, to: times.count, by: 2).map { (times[$0], times[$0 + 1]) }
                + plan.crossTraffic.map { ($0.start, $0.start + $0.duration) }
            let ordered = spans.sorted { $0.0 < $1.0 }
            #expect((2...8).contains(ordered.count))
            for (one, next) in zip(ordered, ordered.dropFirst()) { #expect(next.0 - one.1 >= 40 - 1e-6) }
            for (index, change) in plan.changes.enumerated() {
                #expect((change.conditions == plan.conditions) == (index % 2 == 1))
            }
        }
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
