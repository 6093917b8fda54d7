// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import LabScoring
import MediaEngine
import Testing

@Suite("The schedule check")
struct ScheduleCheckTests {
    private static func scenario(
        _ change: (inout NetworkConditions.Link) -> Void, isFault: Bool = true
    ) -> Scenario {
        var bad = NetworkConditions()
        change(&bad.down)
        return Scenario(
            name: "one", summary: "", duration: 30,
            steps: [.init(10, .network(.bob, bad)), .init(20, .network(.bob, NetworkConditions()))],
            spans: [
                .init(start: 0),
                .init(start: 10, bob: isFault ? .fault(.bandwidth, [.downlink], side: .local) : .well),
                .init(start: 20, bob: isFault ? .recovering() : .well),
            ])
    }

    /// A call with 100 packets of 900 bytes a second on each link, of which bob's downlink loses from 10 to 20 s.
    private static func timeline(
        _ scenario: Scenario, lost: UInt64 = 0, queued: UInt64 = 0, out: UInt64 = 0
    ) -> Timeline {
        var timeline = Timeline(scenario: scenario.name, seed: 1)
        timeline.stepTimes = scenario.steps.map { $0.time + 0.01 }
        for second in 0...30 {
            let bad = UInt64(min(max(second - 10, 0), 10))
            for party in Scenario.Party.allCases {
                for direction in NetworkConditions.Direction.allCases {
                    let isBad = party == .bob && direction == .down
                    var counters = NetworkCounters()
                    counters.packetsOffered = UInt64(second) * 100
                    counters.bytesOffered = counters.packetsOffered * 900
                    if isBad {
                        counters.droppedByLoss = bad * lost
                        counters.droppedByQueue = bad * queued
                        counters.droppedByOutage = bad * out
                    }
                    counters.packetsSent = counters.packetsOffered - (isBad ? bad * (lost + queued + out) : 0)
                    counters.bytesSent = counters.packetsSent * 900
                    timeline.counters.append(
                        .init(time: Double(second), party: party, direction: direction, counters))
                }
            }
        }
        return timeline
    }

    @Test("accepts a loss that the counters show, and no other", arguments: [0, 1, 5, 9] as [UInt64])
    func loss(lost: UInt64) {
        let scenario = Self.scenario { $0.loss = 5 }
        let objections = ScheduleCheck.objections(scenario, Self.timeline(scenario, lost: lost))
        #expect(objections.isEmpty == (lost == 5))
    }

    @Test("accepts a capacity only if more was sent before and no more went through")
    func capacity() {
        // 742 kbps are sent on the line.
        let tight = Self.scenario { $0.rate = 400 }
        #expect(ScheduleCheck.objections(tight, Self.timeline(tight, queued: 50)).isEmpty)
        #expect(!ScheduleCheck.objections(tight, Self.timeline(tight, queued: 20)).isEmpty)
        let wide = Self.scenario { $0.rate = 900 }
        #expect(!ScheduleCheck.objections(wide, Self.timeline(wide)).isEmpty)
    }

    @Test("accepts a capacity that should not matter only if it did not")
    func harmlessCapacity() {
        let wide = Self.scenario({ $0.rate = 900 }, isFault: false)
        #expect(ScheduleCheck.objections(wide, Self.timeline(wide)).isEmpty)
        #expect(!ScheduleCheck.objections(wide, Self.timeline(wide, queued: 5)).isEmpty)
    }

    @Test("accepts an outage only if nothing got through")
    func outage() {
        let scenario = Self.scenario { $0.isOut = true }
        #expect(ScheduleCheck.objections(scenario, Self.timeline(scenario, out: 100)).isEmpty)
        #expect(!ScheduleCheck.objections(scenario, Self.timeline(scenario, out: 90)).isEmpty)
        #expect(!ScheduleCheck.objections(scenario, Self.timeline(scenario)).isEmpty)
    }

    @Test("accepts no call with losses that were not planned, or without counters")
    func unplanned() {
        let clean = Scenario(name: "clean", summary: "", duration: 30)
        #expect(ScheduleCheck.objections(clean, Self.timeline(clean)).isEmpty)
        #expect(!ScheduleCheck.objections(clean, Self.timeline(clean, lost: 1)).isEmpty)
        #expect(!ScheduleCheck.objections(clean, Timeline(scenario: "clean", seed: 1)).isEmpty)
    }

    @Test("accepts no call whose machine did not keep time")
    func punctuality() {
        let scenario = Self.scenario { $0.loss = 5 }
        var timeline = Self.timeline(scenario, lost: 5)
        var punctuality = Timeline.Punctuality()
        punctuality.rings = 600
        punctuality.lateRings = 6
        punctuality.worst = 0.14
        timeline.punctuality = punctuality
        #expect(ScheduleCheck.objections(scenario, timeline).isEmpty)
        timeline.punctuality?.lateRings = 7
        #expect(!ScheduleCheck.objections(scenario, timeline).isEmpty)
        timeline.punctuality = punctuality
        timeline.punctuality?.worst = 0.16
        #expect(!ScheduleCheck.objections(scenario, timeline).isEmpty)
        timeline.punctuality = nil
        timeline.stepTimes[0] += 1
        #expect(!ScheduleCheck.objections(scenario, timeline).isEmpty)
        timeline.stepTimes.removeLast()
        #expect(!ScheduleCheck.objections(scenario, timeline).isEmpty)
    }
}
