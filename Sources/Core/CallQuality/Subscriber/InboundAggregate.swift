// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What all received streams of packets of one kind of media did together in one tick.
struct InboundAggregate: Sendable {
    var flow = MediaTotals()
    /// The stream of packets that received most.
    private(set) var main: InboundDelta?
    private var lost: UInt64?
    private var losses: (lost: Double, expected: Double) = (0, 0)
    /// The loss of this tick.
    private(set) var samples: [LossSample] = []
    private var residual: Int64?
    private var packets: UInt64?
    private var bytes: UInt64?

    /// Network loss of this tick; `nil` if nothing was expected.
    var fractionLost: Double? { losses.expected > 0 ? losses.lost / losses.expected : nil }

    /// Loss of this tick that retransmission did not repair; `nil` if unknown.
    var residualFractionLost: Double? {
        guard let residual, losses.expected > 0 else { return nil }
        return min(Double(max(0, residual)) / losses.expected, 1)
    }

    mutating func add(_ tick: InboundDelta) {
        flow.add(tick)
        let received = (tick.bytes?.amount ?? 0, tick.key)
        if main.map({ received > ($0.bytes?.amount ?? 0, $0.key) }) ?? true { main = tick }
        if let loss = tick.loss {
            samples.append(loss)
            losses.lost += Double(loss.lost)
            losses.expected += Double(loss.expected)
        }
        if let value = tick.lost { lost = (lost ?? 0).addingSaturated(value) }
        if let value = tick.residual { residual = (residual ?? 0).addingSaturated(value) }
        if let value = tick.packets { packets = (packets ?? 0).addingSaturated(value.amount) }
        if let value = tick.bytes { bytes = (bytes ?? 0).addingSaturated(value.amount) }
    }

    func add(to totals: inout PacketTotals) {
        totals.add(lost: lost, packets: packets, bytes: bytes)
    }
}
