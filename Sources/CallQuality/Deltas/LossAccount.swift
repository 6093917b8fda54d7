// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Turns a stream's loss counters into the packets that the network lost, see <doc:TwoLosses>.
struct LossAccount: Sendable {
    /// Over this time, in ms, the two counters of a stream with an unknown ``RetransmissionPath`` are compared.
    static let comparison: Double = 10_000

    private var level: Int64 = 0
    private var highest: Int64 = 0
    private var pair = Pair()

    /// What both counters of a stream with an unknown path rose by since they were first compared.
    private struct Pair: Sendable {
        var since = -Double.infinity
        var lost: UInt64 = 0
        var repaired: UInt64 = 0
        var larger: UInt64 { max(lost, repaired) }
    }

    /// Adds what the counters say since last time.
    ///
    /// - Parameters:
    ///   - lost: Rise of `packetsLost`; below zero when packets came after all.
    ///   - repaired: Rise of the counter of repairs: retransmissions, or requests for them.
    /// - Returns: Packets newly known as lost. What came late and was lost only for a while takes nothing back: new
    ///   losses count once they exceed it.
    mutating func add(lost: Int64, repaired: UInt64, path: RetransmissionPath?, at time: Double) -> UInt64 {
        switch path {
        case .ownSSRC: raise(by: lost)
        case .mediaSSRC: raise(by: lost.addingSaturated(Int64(clamping: repaired)))
        case nil: compare(raise(by: lost), repaired, time)
        }
    }

    /// Forgets what was lost only for a while, because its counters began anew.
    mutating func restart() { level = highest }

    private mutating func raise(by change: Int64) -> UInt64 {
        level = level.addingSaturated(change)
        guard level > highest else { return 0 }
        defer { highest = level }
        return UInt64(clamping: level.subtractingReportingOverflow(highest).partialValue)
    }

    /// The larger of both: on an SSRC of their own repairs follow losses, on the media's only repairs grow.
    ///
    /// Compared over a while, because a repair is seldom booked in the tick of its loss.
    private mutating func compare(_ lost: UInt64, _ repaired: UInt64, _ time: Double) -> UInt64 {
        if abs(time - pair.since) > Self.comparison { pair = Pair(since: time) }
        let before = pair.larger
        pair.lost = pair.lost.addingSaturated(lost)
        pair.repaired = pair.repaired.addingSaturated(repaired)
        return pair.larger - before
    }
}

extension FixedWidthInteger {
    /// The sum, or the largest or smallest number there is.
    func addingSaturated(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other > 0 ? .max : .min
    }
}
