// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LabScoring
import LineEmulation
import Testing

/// A second of 100 packets on a line that lacks nothing.
func goodSecond(_ second: Int, _ change: (inout LineSecond) -> Void = { _ in }) -> LineSecond {
    var line = LineSecond(second: second)
    line.udp.offered = 100
    line.udp.offeredBytes = 100_000
    line.udp.delivered = 100
    line.udp.deliveredBytes = 100_000
    line.baseDelay = 10
    line.delay = .init(mean: 11, maximum: 15)
    line.spread = 4
    line.gap = 20
    line.capacity = 50_000
    change(&line)
    return line
}

/// Both lines for some seconds, one direction of which is changed.
func accessLines(
    _ count: Int, _ end: AccessCall.End = .subscriber, _ direction: NetworkDirection = .downlink,
    _ change: (inout LineSecond) -> Void
) -> [AccessCall.Second] {
    AccessCall.End.allCases.flatMap { other in
        [NetworkDirection.uplink, .downlink].flatMap { path in
            (0..<count).map { second in
                AccessCall.Second(
                    other, path,
                    goodSecond(second) { if other == end, path == direction { change(&$0) } })
            }
        }
    }
}

@Suite("What was wrong on the lines")
struct AccessTruthTests {
    struct Scenario: Sendable, CustomTestStringConvertible {
        var name: String
        var end = AccessCall.End.subscriber
        var direction = NetworkDirection.downlink
        var change: @Sendable (inout LineSecond) -> Void
        var subscriber: Set<Diagnosis.Cause>
        var sides: Set<NetworkDegradationSource>
        var publisher: Set<Diagnosis.Cause> = [.none]
        var isFault = true

        var testDescription: String { name }
    }

    static let scenarios = [
        Scenario(name: "nothing", change: { _ in }, subscriber: [.none], sides: [.none], isFault: false),
        Scenario(
            name: "one packet in a hundred is neither right nor wrong", change: { $0.udp.lost = 1 },
            subscriber: [.none, .packetLoss], sides: [.none, .local], isFault: false),
        Scenario(
            name: "loss on the subscriber's downlink", change: { $0.udp.lost = 5 },
            subscriber: [.packetLoss], sides: [.local]),
        Scenario(
            name: "loss on the publisher's uplink", end: .publisher, direction: .uplink,
            change: { $0.udp.lost = 5 }, subscriber: [.packetLoss], sides: [.remote],
            publisher: [.packetLoss]),
        Scenario(
            name: "loss where no media go need not be named", direction: .uplink,
            change: { $0.udp.lost = 20 }, subscriber: [.none, .packetLoss], sides: [.none, .local],
            isFault: false),
        Scenario(
            name: "a full queue is bandwidth, and loses", change: { $0.udp.queueFull = 10 },
            subscriber: [.bandwidth, .packetLoss], sides: [.local]),
        Scenario(
            name: "a long queue", change: { $0.queue = .init(mean: 150, maximum: 300) },
            subscriber: [.bandwidth], sides: [.local]),
        Scenario(
            name: "less capacity than the call sends elsewhere", change: { $0.capacity = 500 },
            subscriber: [.bandwidth], sides: [.local]),
        Scenario(
            name: "a capacity that is just enough", change: { $0.capacity = 900 },
            subscriber: [.none, .bandwidth], sides: [.none, .local], isFault: false),
        Scenario(
            name: "a capacity that others take",
            change: {
                $0.capacity = 5_000
                $0.tcp.deliveredBytes = 550_000
            }, subscriber: [.bandwidth], sides: [.local]),
        Scenario(
            name: "a long round trip", change: { $0.delay.mean = 400 }, subscriber: [.latency],
            sides: [.local]),
        Scenario(
            name: "the publisher's round trip may be known to a subscriber", end: .publisher,
            direction: .downlink, change: { $0.delay.mean = 400 }, subscriber: [.none, .latency],
            sides: [.none, .remote], publisher: [.latency], isFault: false),
        Scenario(
            name: "jitter", change: { $0.spread = 120 }, subscriber: [.jitter], sides: [.local]),
        Scenario(
            name: "nothing arrives", change: { $0.gap = 1_500 }, subscriber: [.connection],
            sides: [.local]),
    ]

    @Test("is what the emulator did", arguments: scenarios)
    func labels(_ scenario: Scenario) {
        let lines = accessLines(5, scenario.end, scenario.direction, scenario.change)
        let truth = AccessTruth(lines, demand: .init(uplink: 800, downlink: 800))
        let answer = truth.answer(2, to: .subscriber)
        #expect(answer.causes == scenario.subscriber)
        #expect(answer.sides == scenario.sides)
        #expect(answer.isFault == scenario.isFault)
        #expect(truth.answer(2, to: .publisher).causes == scenario.publisher)
    }

    @Test("loss counts over three seconds, a single packet never as clear")
    func lossWindow() {
        let lines = accessLines(7) { if $0.second == 3 { $0.udp.lost = 12 } }
        let truth = AccessTruth(lines)
        #expect(
            (0..<7).map { truth.answer($0, to: .subscriber).isFault } == [
                false, false, true, true, true, false, false,
            ])
        let sparse = AccessTruth(
            accessLines(3) {
                $0.udp.offered = 5
                $0.udp.lost = $0.second == 1 ? 1 : 0
            })
        #expect(!sparse.answer(1, to: .subscriber).isFault)
    }

    @Test("both sides are to blame if both lines are bad")
    func bothSides() {
        var lines = accessLines(3) { $0.udp.lost = 10 }
        for index in lines.indices where lines[index].end == .publisher { lines[index].line.udp.lost = 10 }
        let answer = AccessTruth(lines).answer(1, to: .subscriber)
        #expect(answer.sides == [.local, .remote, .bothOrUnclear])
    }

    @Test("a second subscriber answers for the own line and the publisher's, and never for the other's")
    func bystander() {
        let own = AccessTruth(accessLines(5, .subscriber) { $0.udp.lost = 20 })
        #expect(own.answer(2, to: .subscriber).causes == [.packetLoss])
        #expect(own.answer(2, to: .bystander).isWell && own.answer(2, to: .publisher).isWell)
        let shared = AccessTruth(accessLines(5, .publisher, .uplink) { $0.udp.lost = 20 })
        #expect(shared.answer(2, to: .bystander).sides == [.remote])
        #expect(shared.answer(2, to: .subscriber).sides == [.remote])
        let other = AccessTruth(accessLines(5, .bystander) { $0.udp.lost = 20 })
        #expect(other.answer(2, to: .bystander).sides == [.local] && other.answer(2, to: .subscriber).isWell)
    }

    @Test("far less than is wanted, over a line that carries it and whose delay varies, is jitter")
    func heldBack() {
        let demand = AccessTruth.Demand(uplink: 800, downlink: 600)
        func answer(_ change: (inout LineSecond) -> Void) -> AccessTruth.Answer {
            let lines = accessLines(8, .publisher, .uplink) {
                $0.udp.offeredBytes = 30_000
                $0.spread = 12
                change(&$0)
            }
            return AccessTruth(lines, demand: demand).answer(7, to: .publisher)
        }
        #expect(answer { _ in }.causes == [.jitter])
        #expect(answer { _ in }.isFault)
        #expect(answer { $0.udp.offeredBytes = 70_000 }.causes == [.none, .jitter])
        #expect(answer { $0.udp.offeredBytes = 95_000 }.causes == [.none])
        #expect(answer { $0.spread = 3 }.causes == [.none])
        #expect(answer { $0.capacity = 500 }.causes == [.bandwidth, .jitter])
    }

    @Test("what it climbs back from may still be named for a while, and need not")
    func climbsBack() {
        let lines = accessLines(30, .publisher, .uplink) {
            $0.udp.offeredBytes = 30_000
            if $0.second < 5 { $0.udp.lost = 20 }
        }
        let truth = AccessTruth(lines, demand: .init(uplink: 800, downlink: 600))
        #expect(truth.answer(15, to: .publisher).causes == [.none, .packetLoss])
        #expect(!truth.answer(15, to: .publisher).isFault)
        #expect(truth.answer(28, to: .publisher).causes == [.none])
    }

    @Test("without a measured demand only queue and drops speak of bandwidth")
    func unknownDemand() {
        let truth = AccessTruth(accessLines(3) { $0.capacity = 801 })
        #expect(truth.answer(1, to: .subscriber).isWell)
        #expect(truth.answer(99, to: .subscriber).isWell)
    }
}
