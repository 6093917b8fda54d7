// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import Testing

/// Audio and video that waited in a queue on their way to a router are in step with what came before the queue was there.
@Suite("The minimum transit of forwarded media")
struct TransitBaselineTests {
    private final class Baseline {
        private let baseline = sl_transit_baseline_create(90)
        private let firstTimestamp: UInt32
        deinit { sl_transit_baseline_destroy(baseline) }

        /// The first timestamp is drawn by whoever sends.
        init(firstTimestamp: UInt32 = .max - 1000) { self.firstTimestamp = firstTimestamp }

        /// The lateness of what was captured at a time and comes after its transit, both in ms.
        func lateness(_ captured: Int, transit: Int, offset: UInt32 = 0, start: Int = -1) -> Int {
            let timestamp = firstTimestamp &+ offset &+ UInt32(truncatingIfNeeded: captured * 90)
            return Int(
                sl_transit_baseline_lateness(baseline, timestamp, Int64(captured + transit), Int64(start)))
        }

        func restart() { sl_transit_baseline_restart(baseline) }
    }

    @Test("What waits in a queue is as late as the queue is long, and no longer once it is gone")
    func queue() {
        let baseline = Baseline()
        #expect((0..<30).map { baseline.lateness($0 * 33, transit: 40 + $0 % 3) }.allSatisfy { $0 <= 2 })
        #expect((30..<630).map { baseline.lateness($0 * 33, transit: 210) }.allSatisfy { $0 == 170 })
        #expect((630..<660).map { baseline.lateness($0 * 33, transit: 41) }.allSatisfy { $0 <= 2 })
    }

    @Test("One that grows beyond a second is one still; what is longer for half a minute is the path's")
    func longQueue() {
        let baseline = Baseline()
        let growing = (0..<300).map { baseline.lateness($0 * 33, transit: 40 + $0 * 6) }
        #expect(growing.last == 299 * 6)
        let standing = (300..<1500).map { baseline.lateness($0 * 33, transit: 1834) }
        #expect(standing.first == 1794)
        #expect(standing.last ?? .max <= 10)
    }

    @Test("What comes faster than all before shows what the minimum is")
    func minimum() {
        let baseline = Baseline()
        #expect(baseline.lateness(0, transit: 200) == 0)
        #expect(baseline.lateness(33, transit: 50) == 0)
        #expect(baseline.lateness(66, transit: 70) == 20)
        // In another order, too.
        #expect(baseline.lateness(50, transit: 90) == 40)
    }

    @Test("Another layer has timestamps of its own, and takes the same path through the same queue")
    func layers() {
        let baseline = Baseline()
        _ = baseline.lateness(0, transit: 40)
        #expect(baseline.lateness(1000, transit: 190) == 150)
        baseline.restart()
        #expect(baseline.lateness(1033, transit: 190, offset: 77_777) == 150)
        #expect(baseline.lateness(2000, transit: 45, offset: 77_777) <= 5)
        // After a pause the queue may be gone; what comes beside it knows.
        baseline.restart()
        #expect(baseline.lateness(60_000, transit: 190, offset: 11) == 0)
        baseline.restart()
        #expect(baseline.lateness(120_000, transit: 190, offset: 5, start: 130) == 130)
        #expect(baseline.lateness(120_033, transit: 70, offset: 5, start: 0) == 10)
    }

    @Test("A sender's clock that is slower or faster is followed", arguments: [-100, 100])
    func drift(partsPerMillion: Int) {
        let baseline = Baseline()
        let latest = (0..<3600).map { second in
            baseline.lateness(second * 1000, transit: 40 + second * partsPerMillion / 1000)
        }
        #expect(latest.allSatisfy { $0 <= 4 })
    }

    @Test("Timestamps that jump begin another time line", arguments: [-900_000, 900_000] as [Int])
    func jumps(ticks: Int) {
        let baseline = Baseline()
        _ = baseline.lateness(0, transit: 40)
        _ = baseline.lateness(20, transit: 140)
        let offset = UInt32(truncatingIfNeeded: ticks)
        #expect(baseline.lateness(40, transit: 40, offset: offset) == 0)
        #expect(baseline.lateness(60, transit: 70, offset: offset) == 30)
    }

    @Test("Timestamps that fall back again and again are no queue of any length")
    func hostile() {
        let baseline = Baseline()
        let latest = (0..<200).map { baseline.lateness($0 * -800, transit: $0 * 820) }
        #expect(latest.allSatisfy { (0...10_000).contains($0) })
    }

    @Test("Timestamps that stand still for a moment are forgotten after half a minute")
    func standstill() {
        let baseline = Baseline()
        _ = (0..<50).map { baseline.lateness($0 * 20, transit: 40) }
        let offset = UInt32(truncatingIfNeeded: -500 * 90)
        let later = (50..<2000).map { baseline.lateness($0 * 20, transit: 40, offset: offset) }
        #expect(later.first == 500)
        #expect(later.last == 0)
    }
}
