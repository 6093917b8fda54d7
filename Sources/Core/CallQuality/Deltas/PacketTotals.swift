// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A stream's totals over all SSRCs, codecs and peer connections it had; they never go backwards.
struct PacketTotals: Sendable, Equatable {
    /// When they began, in Unix ms.
    var startTime: Double?
    var packetsLost: UInt64?
    var packets: UInt64?
    var bytes: UInt64?

    /// Adds increments; what is missing leaves its total alone.
    mutating func add(lost: UInt64?, packets: UInt64?, bytes: UInt64?) {
        Self.add(lost, to: &packetsLost)
        Self.add(packets, to: &self.packets)
        Self.add(bytes, to: &self.bytes)
    }

    /// Continues from the larger of its own totals and those of another connection of the stream.
    mutating func continueFrom(_ other: PacketTotals) {
        if let start = other.startTime { startTime = min(startTime ?? start, start) }
        packetsLost = Self.larger(packetsLost, other.packetsLost)
        packets = Self.larger(packets, other.packets)
        bytes = Self.larger(bytes, other.bytes)
    }

    private static func add(_ amount: UInt64?, to total: inout UInt64?) {
        guard let amount else { return }
        total = (total ?? 0).addingSaturated(amount)
    }

    private static func larger(_ left: UInt64?, _ right: UInt64?) -> UInt64? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }
}

extension MediaFigures {
    /// The figures that are totals.
    init(_ totals: PacketTotals) {
        self.init()
        packets = totals.packets
        packetsLost = totals.packetsLost.map { Int64(clamping: $0) }
        bytes = totals.bytes
    }
}
