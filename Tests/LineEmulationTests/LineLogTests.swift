// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLinkModel
import LinkEmulation
import Testing

@testable import LineEmulation

@Suite struct LineLogTests {
    private static func encounter(queue: Double, rate: Double = 1_000) -> sl_link_encounter {
        var encounter = sl_link_encounter()
        encounter.queue_us = queue * 1_000
        encounter.rate_kbps = rate
        return encounter
    }

    @Test("each second has what came in it, and what was delivered in it")
    func seconds() {
        var log = LineLog(start: 1_000_000)
        log.note(.udp, bytes: 100, at: 500_000, base: 10, .delivered(at: 510_000), nil)
        log.note(
            .udp, bytes: 100, at: 1_900_000, base: 10, .delivered(at: 2_100_000), Self.encounter(queue: 180))
        log.note(.udp, bytes: 100, at: 1_950_000, base: 10, .lost, Self.encounter(queue: 0))
        log.note(.tcp, bytes: 50, at: 1_960_000, base: 10, .queueFull, Self.encounter(queue: 0, rate: 0))
        log.deliver(.udp, bytes: 100, due: 2_100_000, at: 2_130_000)
        let seconds = log.finish(at: 4_000_000)
        #expect(seconds.count == 3)
        #expect(seconds[0].udp.offered == 2 && seconds[0].udp.lost == 1 && seconds[0].udp.delivered == 0)
        #expect(seconds[0].tcp.queueFull == 1)
        #expect(seconds[0].queue == .init(mean: 180, maximum: 180))
        #expect(seconds[0].delay.mean == 200 && seconds[0].capacity == 1_000)
        #expect(seconds[1].udp.delivered == 1 && seconds[1].udp.deliveredBytes == 100)
        #expect(seconds[2] == LineSecond(second: 2))
        #expect(log.punctuality.packets == 1 && log.punctuality.late == 1 && log.punctuality.worst == 30)
    }

    @Test("a gap begins with the first packet that waits, and touches each second until a delivery")
    func gap() {
        var log = LineLog(start: 0)
        log.note(.udp, bytes: 1, at: 2_500_000, base: 0, .outage, nil)
        log.note(.udp, bytes: 1, at: 3_000_000, base: 0, .delivered(at: 4_500_000), nil)
        log.deliver(.udp, bytes: 1, due: 4_500_000, at: 4_500_000)
        log.note(.udp, bytes: 1, at: 6_000_000, base: 0, .outage, nil)
        let seconds = log.finish(at: 7_000_000)
        #expect(seconds.map(\.gap) == [0, 0, 2_000, 2_000, 2_000, 0, 1_000])
    }
}
