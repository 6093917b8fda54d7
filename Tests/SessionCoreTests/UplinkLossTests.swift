// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@testable import SessionCore

@Suite("Network loss of an uplink as the router sees it")
struct UplinkLossTests {
    struct Tick: Sendable {
        var received: UInt64?
        var lost: Int64?
        var nacks: UInt64?
        var retransmitted: UInt64?
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let ticks: [Tick]
        let wanted: Double?
    }

    static let cases = [
        Case(testDescription: "one report says nothing", ticks: [Tick(received: 100, lost: 50)], wanted: nil),
        Case(
            testDescription: "what is missing counts",
            ticks: [Tick(received: 100, lost: 10), Tick(received: 195, lost: 15)], wanted: 0.05),
        Case(
            testDescription: "repair does not hide loss",
            ticks: [Tick(received: 100, lost: 0, nacks: 0), Tick(received: 200, lost: 0, nacks: 5)],
            wanted: 0.05),
        Case(
            testDescription: "what is missing and was asked for counts once",
            ticks: [Tick(received: 100, lost: 0, nacks: 0), Tick(received: 195, lost: 5, nacks: 5)],
            wanted: 0.05),
        Case(
            testDescription: "retransmissions are preferred to requests",
            ticks: [
                Tick(received: 100, lost: 0, nacks: 0, retransmitted: 0),
                Tick(received: 198, lost: 2, nacks: 90, retransmitted: 8),
            ], wanted: 0.1),
        Case(
            testDescription: "a count that goes back starts again",
            ticks: [Tick(received: 100, lost: 0), Tick(received: 10, lost: 0)], wanted: nil),
        Case(
            testDescription: "late packets make no negative loss",
            ticks: [Tick(received: 100, lost: 5), Tick(received: 200, lost: 1)], wanted: 0),
        Case(
            testDescription: "nothing due is unknown, not good",
            ticks: [Tick(received: 100, lost: 0), Tick(received: 100, lost: 0)], wanted: nil),
        Case(testDescription: "nothing counted is unknown", ticks: [Tick(), Tick()], wanted: nil),
        Case(
            testDescription: "absurd counts stay a fraction",
            ticks: [Tick(received: 0, lost: .min), Tick(received: .max, lost: .max, nacks: .max)], wanted: 0.5
        ),
    ]

    @Test("is the share of packets that were lost, repaired or not", arguments: cases)
    func loss(_ test: Case) {
        var loss = UplinkLoss()
        var result: Double?
        for tick in test.ticks {
            var stream = InboundRTPStats(id: "v", timestamp: 0)
            stream.packetsReceived = tick.received
            stream.packetsLost = tick.lost
            stream.nackCount = tick.nacks
            stream.retransmittedPacketsReceived = tick.retransmitted
            var report = StatsReport()
            report.inboundRTP = [stream]
            result = loss.handle(report)
        }
        guard let wanted = test.wanted, let result else {
            #expect(result == test.wanted)
            return
        }
        #expect(abs(result - wanted) < 1e-6)
    }
}
