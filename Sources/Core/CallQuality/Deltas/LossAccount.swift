// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Turns a stream's loss counters into the packets that the network lost, see `TwoLosses` in the documentation
/// of `CallModel`.
struct LossAccount: Sendable {
    /// Over this time, in ms, the two counters of a stream with an unknown ``RetransmissionPath`` are
    /// compared.
    static let comparison: Double = 10_000
    /// How often engines request a packet that never comes (libwebrtc's limit).
    static let requestsPerPacket: UInt64 = 10

    private var level: Int64 = 0
    private var highest: Int64 = 0
    private var pair = Pair()

    /// What both counters of a stream with an unknown path rose by since they were first compared.
    private struct Pair: Sendable {
        var since = -Double.infinity
        var lost: UInt64 = 0
        var repaired: UInt64 = 0
        var requested: UInt64 = 0
        var accounted: UInt64 = 0
        /// Requests for packets lost before that may still come.
        var pending: UInt64 = 0

        /// Most requests may be for packets that never came, again and again.
        var larger: UInt64 {
            max(lost, repaired, requested - min(requested, repeats))
        }

        /// This many requests are for packets that never came.
        var repeats: UInt64 {
            let (product, overflow) = lost.multipliedReportingOverflow(by: LossAccount.requestsPerPacket)
            return overflow ? .max : product.addingSaturated(pending)
        }
    }

    /// A counter of repairs, as far as an engine has one.
    enum Repairs: Sendable {
        /// Retransmissions that were sent or received.
        case packets(UInt64)
        /// Requests for them.
        case requests(UInt64)

        var amount: UInt64 {
            switch self {
            case .packets(let amount), .requests(let amount): amount
            }
        }
    }

    /// Adds what the counters say since last time.
    ///
    /// - Parameters:
    ///   - lost: Rise of `packetsLost`; below zero when packets came after all.
    ///   - repairs: Rise of the counter of repairs.
    /// - Returns: Packets newly known as lost. What came late and was lost only for a while takes nothing
    ///   back: new losses count once they exceed it.
    mutating func add(lost: Int64, repairs: Repairs, path: RetransmissionPath?, at time: Double) -> UInt64 {
        switch path {
        case .ownSSRC: raise(by: lost)
        case .mediaSSRC: raise(by: lost.addingSaturated(Int64(clamping: repairs.amount)))
        case nil: compare(raise(by: lost), repairs, time)
        }
    }

    /// Discards what was counted as lost temporarily, because its counters started over.
    mutating func restart() { level = highest }

    private mutating func raise(by change: Int64) -> UInt64 {
        level = level.addingSaturated(change)
        guard level > highest else { return 0 }
        defer { highest = level }
        return UInt64(clamping: level.subtractingReportingOverflow(highest).partialValue)
    }

    /// The larger of both: on an SSRC of their own repairs follow losses, on the media's only repairs grow.
    ///
    /// Compared over a while, because a repair is rarely counted in the tick of its loss.
    private mutating func compare(_ lost: UInt64, _ repairs: Repairs, _ time: Double) -> UInt64 {
        if abs(time - pair.since) > Self.comparison {
            pair = Pair(since: time, pending: pair.repeats - min(pair.repeats, pair.requested))
        }
        pair.lost = pair.lost.addingSaturated(lost)
        switch repairs {
        case .packets(let amount): pair.repaired = pair.repaired.addingSaturated(amount)
        case .requests(let amount): pair.requested = pair.requested.addingSaturated(amount)
        }
        let found = pair.larger
        defer { pair.accounted = max(pair.accounted, found) }
        return found - min(found, pair.accounted)
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
