// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What is remembered of the RTCP reports about a stream that is sent.
///
/// An entry repeats the newest RTCP report until the next one comes; only a new one is a sample.
struct RemoteInboundDeltaTracker: Sendable {
    /// Identity of the newest RTCP report.
    private var timestamp: Double?
    private var packetsLost: Int64?
    private var measurements: UInt64?
    private var totalRoundTripTime: Double?
    private var packetsReceived: UInt64?
    /// When the newest RTCP report was first seen; `nil` when that was on another clock.
    private var seenAt: Double?
    /// Whether what was sent reaches back to before the first report, or over a step of the clock.
    private var reachesBack = false
    /// Whether nothing was sent in the last tick, and when sending was resumed, in ms.
    private var isPaused = false
    private var resumedAt = -Double.infinity
    private var sent: UInt64 = 0
    private var retransmitted: UInt64 = 0
    private var account = LossAccount()
    /// Packets found lost since the last RTCP report.
    private var lost: UInt64 = 0
    /// Whether no RTCP report has come since the device slept, or was held up.
    private var isAfterGap = false
    /// Timestamp of the first since.
    private var firstAfterGap: Double?
    private var lastInterval: Double?

    /// Time between two reports in which that happened, in seconds, and how many times the one before.
    private static let gap = 15.0
    private static let gapFactor = 2.5

    /// Notes what was sent; a retransmission can be a loss that no RTCP report will show.
    mutating func noteSent(path: RetransmissionPath?, _ tick: Tick, into result: inout OutboundDelta) {
        let (packets, more) = (result.packets, result.retransmittedPackets)
        if tick.previous == nil, packets?.amount ?? 0 > 0 { reachesBack = true }
        if let packets {
            if isPaused, packets.amount > 0 { resumedAt = tick.time }
            isPaused = packets.amount == 0
        }
        sent = sent.addingSaturated(packets?.amount ?? 0)
        guard let repaired = more?.amount, repaired > 0 else { return }
        retransmitted = retransmitted.addingSaturated(repaired)
        addLost(account.add(lost: 0, repairs: .packets(repaired), path: path, at: tick.time), to: &result)
    }

    /// Takes an RTCP report, if it is new.
    mutating func advance(
        to entry: borrowing RemoteInboundRTPStats, path: RetransmissionPath?, _ tick: Tick,
        into result: inout OutboundDelta
    ) {
        result.isReported = isNew(entry)
        // What the first report after a gap says of jitter is of the gap.
        noteGap(tick)
        guard isNew(entry) else { return }
        let measured = entry.roundTripTimeMeasurements.map { $0 != measurements && $0 > 0 } ?? true
        result.roundTripTime = measured ? entry.roundTripTime?.ifSane : nil
        result.lastingRoundTripTime = result.roundTripTime.map { min($0, mean(entry) ?? $0) }
        if isAfterGap { firstAfterGap = entry.timestamp }
        isAfterGap = false
        result.jitter = entry.timestamp == firstAfterGap ? nil : entry.jitter?.ifSane
        countLoss(entry.packetsLost, path, tick, &result)
        timestamp = entry.timestamp
        measurements = entry.roundTripTimeMeasurements
        totalRoundTripTime = entry.totalRoundTripTime
        packetsReceived = entry.packetsReceived
    }

    private mutating func noteGap(_ tick: Tick) {
        guard let interval = tick.interval else { return }
        if interval >= max(Self.gap, Self.gapFactor * (lastInterval ?? interval)) { isAfterGap = true }
        lastInterval = interval
    }

    mutating func forgetTime() {
        seenAt = nil
        isAfterGap = true
        reachesBack = true
    }

    /// Prepares for counters that start over.
    mutating func restart() {
        if packetsLost != nil { packetsLost = 0 }
        sent = 0
        retransmitted = 0
        lost = 0
        account.restart()
    }

    private func isNew(_ entry: borrowing RemoteInboundRTPStats) -> Bool {
        guard let timestamp else { return true }
        return abs(entry.timestamp - timestamp) >= 1 || entry.packetsLost != packetsLost
            || entry.roundTripTimeMeasurements != measurements || entry.packetsReceived != packetsReceived
    }

    /// Mean of the round trip times measured since the last report, in seconds.
    private func mean(_ entry: borrowing RemoteInboundRTPStats) -> Double? {
        guard let count = entry.roundTripTimeMeasurements, let total = entry.totalRoundTripTime,
            let measurements, let totalRoundTripTime, count > measurements, total >= totalRoundTripTime
        else { return nil }
        return ((total - totalRoundTripTime) / Double(count - measurements)).ifSane
    }

    private mutating func countLoss(
        _ reading: Int64?, _ path: RetransmissionPath?, _ tick: Tick, _ result: inout OutboundDelta
    ) {
        guard let reading else { return }
        addLost(
            account.add(lost: change(to: reading), repairs: .packets(0), path: path, at: tick.time),
            to: &result)
        // On an SSRC of their own retransmissions are not among the packets that the remote end expects.
        let expected = path == .ownSSRC ? sent - min(sent, retransmitted) : sent
        if let from = seenAt ?? tick.previous, expected > 0, !reachesBack,
            !isOlder(lost, than: expected, tick)
        {
            result.loss = LossSample(
                lost: min(lost, expected), expected: expected, from: from, to: tick.time)
        }
        packetsLost = reading
        seenAt = tick.time
        reachesBack = false
        sent = 0
        retransmitted = 0
        lost = 0
    }

    /// Whether more was lost than was sent since the last report: a layer that pauses in an outage has its losses found by
    /// the first packet after it, however late that is.
    private func isOlder(_ lost: UInt64, than sent: UInt64, _ tick: Tick) -> Bool {
        tick.time - resumedAt <= Self.firstReports
            && Double(lost) > Self.overlap * Double(sent) + Self.inFlight
    }

    /// How long after a pause reports may be about what was before it, in ms.
    private static let firstReports = 6000.0
    /// What of the packets sent before a report the next one may still be about, as a factor and in packets.
    private static let overlap = 1.5
    private static let inFlight = 10.0

    private mutating func addLost(_ amount: UInt64, to result: inout OutboundDelta) {
        lost = lost.addingSaturated(amount)
        result.lost = (result.lost ?? 0).addingSaturated(amount)
    }

    /// The change of `packetsLost`.
    ///
    /// It may fall by what was repaired; by more than was sent only if it started over.
    private func change(to reading: Int64) -> Int64 {
        let before = packetsLost ?? 0
        let (change, overflow) = reading.subtractingReportingOverflow(before)
        if overflow || change < 0 && change.magnitude > sent { return max(0, reading) }
        return change
    }
}

extension Double {
    /// The number if it is finite and not below zero.
    var ifSane: Double? { isFinite && self >= 0 ? self : nil }
}
