// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

@testable import CallQuality

/// A path between a client and a media router, by the counters of its ends.
///
/// Packets of 278 bytes, most of them padding, arrive as fast as a direction carries them. What the router counts comes four times a second, but
/// not through a full line if the line is shared.
struct SimulatedLine {
    struct Direction {
        /// bps.
        var capacity: Double
        var load = 0.0
        var end = Duration.zero
        /// Bits that have arrived.
        var arrived = 0.0

        var packets: UInt64 { UInt64(arrived / (278 * 8)) }

        mutating func advance(to now: Duration, by step: Duration) {
            let rate = now <= end ? min(load, capacity) : 0
            arrived += rate * step.seconds
        }

        func isFull(at now: Duration) -> Bool { now <= end && load > capacity }
    }

    var up: Direction
    var down: Direction
    /// Whether the router's counters share the line with what fills it.
    var isShared: Bool
    /// Whether a full uplink leaves the router without the answers that it sends by.
    var starves = false
    /// Seconds.
    var roundTripTime = 0.02
    /// The router's counters come from then on.
    var withheldUntil = Duration.zero
    private(set) var now = Duration.zero
    private var waiting: [LegCounters] = []
    private static let step: Duration = .milliseconds(10)
    private static let epoch = 1_700_000_000_000.0

    init(up: Double, down: Double, isShared: Bool) {
        self.up = Direction(capacity: up)
        self.down = Direction(capacity: down)
        self.isShared = isShared
    }

    /// A direction is filled with `load` bps for `seconds`, in place of what it was filled with.
    mutating func fill(_ direction: NetworkDirection, _ load: Double, _ seconds: Double) {
        let end = now + .seconds(seconds)
        if direction == .uplink {
            (up.load, up.end) = (load, end)
        } else {
            (down.load, down.end) = (load, end)
        }
    }

    /// Time passes until the next tick.
    mutating func advance(by time: Duration, reading measurements: inout PathMeasurements) {
        let end = now + time
        while now < end {
            now += Self.step
            up.advance(to: now, by: Self.step)
            if !starves || !up.isFull(at: now) { down.advance(to: now, by: Self.step) }
            if Int(now / Self.step) % 25 == 0 { waiting.append(counters(up)) }
        }
        let isHeldUp = isShared && (up.isFull(at: now) || down.isFull(at: now))
        if !isHeldUp, now >= withheldUntil {
            for counters in waiting { measurements.addUplink(counters, at: now) }
            waiting = []
        }
        measurements.addSubscriber(report(down), at: now)
    }

    private func counters(_ direction: Direction) -> LegCounters {
        LegCounters(
            timestamp: Self.epoch + now.seconds * 1000, bytesReceived: direction.packets * 250,
            packetsReceived: direction.packets)
    }

    private func report(_ direction: Direction) -> StatsReport {
        let time = now.seconds * 1000
        var transport = ICETransportStats(id: "T", timestamp: time)
        transport.bytesReceived = direction.packets * 250
        transport.packetsReceived = direction.packets
        transport.selectedCandidatePairId = "P"
        var pair = CandidatePairStats(id: "P", timestamp: time)
        pair.currentRoundTripTime = roundTripTime
        var report = StatsReport(timestamp: time)
        report.transports = [transport]
        report.candidatePairs = [pair]
        return report
    }
}
