// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Testing

/// Audio and video that waited in a queue on their way to a router are in step with what came before the queue was there.
@Suite("The clock of forwarded media")
struct MediaClockTests {
    private final class Clock {
        private let clock = sl_media_clock_create(90)
        private let firstTimestamp: UInt32
        deinit { sl_media_clock_destroy(clock) }

        /// The first timestamp is drawn by whoever sends.
        init(firstTimestamp: UInt32 = .max - 1000) { self.firstTimestamp = firstTimestamp }

        /// The lateness of what was made at a time and comes after its transit, both in ms.
        func lateness(_ made: Int, transit: Int, offset: UInt32 = 0) -> Int {
            let timestamp = firstTimestamp &+ offset &+ UInt32(truncatingIfNeeded: made * 90)
            return Int(sl_media_clock_lateness(clock, timestamp, Int64(made + transit)))
        }

        func restart() { sl_media_clock_restart(clock) }
    }

    @Test("What waits in a queue is as late as the queue is long, and no longer once it is gone")
    func queue() {
        let clock = Clock()
        #expect((0..<30).map { clock.lateness($0 * 33, transit: 40 + $0 % 3) }.allSatisfy { $0 <= 2 })
        let queued = (30..<330).map { clock.lateness($0 * 33, transit: 210) }
        // A little is forgotten, since clocks differ.
        #expect(queued.allSatisfy { (165...170).contains($0) })
        #expect((330..<360).map { clock.lateness($0 * 33, transit: 41) }.allSatisfy { $0 <= 2 })
    }

    @Test("What comes faster than all before shows what is best")
    func best() {
        let clock = Clock()
        #expect(clock.lateness(0, transit: 200) == 0)
        #expect(clock.lateness(33, transit: 50) == 0)
        #expect(clock.lateness(66, transit: 70) == 20)
        // In another order, too.
        #expect(clock.lateness(50, transit: 90) == 40)
    }

    @Test("Another layer has timestamps of its own, and takes the same way through the same queue")
    func layers() {
        let clock = Clock()
        _ = clock.lateness(0, transit: 40)
        #expect(clock.lateness(1000, transit: 190) == 150)
        clock.restart()
        #expect(clock.lateness(1033, transit: 190, offset: 77_777) == 150)
        #expect(clock.lateness(2000, transit: 45, offset: 77_777) <= 5)
    }

    @Test("A sender's clock that is slower or faster is followed", arguments: [-100, 100])
    func drift(partsPerMillion: Int) {
        let clock = Clock()
        let latest = (0..<3600).map { second in
            clock.lateness(second * 1000, transit: 40 + second * partsPerMillion / 1000)
        }
        #expect(latest.allSatisfy { $0 <= 2 })
    }

    @Test("Timestamps that jump begin another time line", arguments: [-900_000, 900_000] as [Int])
    func jumps(ticks: Int) {
        let clock = Clock()
        _ = clock.lateness(0, transit: 40)
        _ = clock.lateness(20, transit: 140)
        let offset = UInt32(truncatingIfNeeded: ticks)
        #expect(clock.lateness(40, transit: 40, offset: offset) == 0)
        #expect(clock.lateness(60, transit: 70, offset: offset) == 30)
    }
}
