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

        /// Bits that have not.
        var lost = 0.0

        var packets: UInt64 { Self.packets(arrived) }
        var packetsLost: Int64 { Int64(Self.packets(lost)) }

        private static func packets(_ bits: Double) -> UInt64 { UInt64(bits / (278 * 8)) }

        mutating func advance(to now: Duration, by step: Duration) {
            guard now <= end else { return }
            arrived += min(load, capacity) * step.seconds
            lost += max(0, load - capacity) * step.seconds
        }

        func isFull(at now: Duration) -> Bool { now <= end && load > capacity }
    }

    var up: Direction
    var down: Direction
    /// Whether the router's counters share the line with what fills it.
    var isShared: Bool
    /// Whether a full uplink leaves the router without the answers that it sends by.
    var starves = false
    /// Whether the ends know what is lost, by the numbers of media's packets.
    var countsLoss = false
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
        var counters = LegCounters(
            timestamp: Self.epoch + now.seconds * 1000, bytesReceived: direction.packets * 250,
            packetsReceived: direction.packets)
        if countsLoss {
            counters.audio = .init(
                packetsReceived: direction.packets, packetsLost: direction.packetsLost,
                bytesReceived: direction.packets * 200, jitter: nil)
        }
        return counters
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
        guard countsLoss else { return report }
        var audio = InboundRTPStats(id: "A", timestamp: time)
        audio.kind = .audio
        (audio.packetsReceived, audio.packetsLost) = (direction.packets, direction.packetsLost)
        report.inboundRTP = [audio]
        return report
    }
}
