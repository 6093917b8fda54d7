// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLinkModel
import NetworkEmulation

/// One direction of an emulated path: packet and time in, fate out.
///
/// Pure arithmetic, on a clock of the caller's. The same seed, settings and packets give the same fates.
package struct EmulatedLink: ~Copyable {
    /// What happens to a packet.
    package enum Fate: Equatable, Sendable {
        /// It arrives at this time.
        case delivered(at: Int64)
        /// It is lost, at random or in a burst.
        case lost
        /// The queue has no room for it.
        case queueFull
        /// The link is out.
        case outage

        /// Whether it arrives.
        package var isDelivered: Bool { if case .delivered = self { true } else { false } }
    }

    private let raw: OpaquePointer

    /// A perfect link; `headerBytes` are added to each packet's size where capacity is counted.
    package init(seed: UInt64, headerBytes: Int = 0) {
        raw = sl_link_model_create(seed, max(0, headerBytes))
    }

    deinit { sl_link_model_destroy(raw) }

    /// Applies to packets offered from now on.
    package mutating func set(_ settings: sl_link_settings) {
        withUnsafePointer(to: settings) { sl_link_model_set(raw, $0) }
    }

    /// Sends a packet at a time in µs that never decreases.
    package mutating func offer(bytes: Int, at now: Int64) -> Fate {
        var arrival: Int64 = 0
        switch Int(sl_link_model_offer(raw, max(0, bytes), now, &arrival)) {
        case SL_FATE_DELIVERED: return .delivered(at: arrival)
        case SL_FATE_LOST: return .lost
        case SL_FATE_QUEUE_FULL: return .queueFull
        default: return .outage
        }
    }

    /// What the newest packet met.
    package var encounter: sl_link_encounter { sl_link_model_encounter(raw) }

    /// What the link has done so far.
    package var counters: NetworkCounters { NetworkCounters(sl_link_model_counters(raw)) }
}

// Sendable because nothing else has its handle, and it is used from one place at a time.
extension EmulatedLink: @unchecked Sendable {}

extension sl_link_settings {
    /// The settings of a direction's conditions.
    package init(_ link: NetworkConditions.Link) {
        self.init()
        delay_ms = link.delay
        jitter_ms = link.jitter
        jitter_correlation_ms = link.jitterCorrelation
        loss_percent = link.loss
        burst_loss_percent = link.burstLoss
        burst_length = link.burstLength
        rate_kbps = link.rate ?? 0
        rate_swing_percent = link.rateSwing
        rate_swing_ms = link.rateSwingTime
        queue_ms = link.queue
        stall_ms = link.stall
        stall_every_ms = link.stallInterval
        outage = link.isOut
    }
}

extension NetworkCounters {
    /// The counters of a direction.
    package init(_ raw: sl_link_counters) {
        self.init()
        packetsOffered = raw.packets_offered
        bytesOffered = raw.bytes_offered
        packetsSent = raw.packets_sent
        bytesSent = raw.bytes_sent
        droppedByLoss = raw.dropped_by_loss
        droppedByQueue = raw.dropped_by_queue
        droppedByOutage = raw.dropped_by_outage
    }
}
