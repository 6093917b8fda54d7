// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import MediaEngine

/// An emulated network between libwebrtc and its sockets.
final class LibWebRTCConditioner: NetworkConditioner {
    let native: NativeConditioner

    init(seed: UInt64) {
        native = NativeConditioner(seed: seed)
    }

    func set(_ conditions: NetworkConditions) {
        for direction in NetworkConditions.Direction.allCases {
            native.set(sl_link_settings(conditions[direction]), direction: direction.raw)
        }
    }

    func counters(_ direction: NetworkConditions.Direction) -> NetworkCounters {
        NetworkCounters(native.counters(direction: direction.raw))
    }
}

extension NetworkConditions.Direction {
    fileprivate var raw: Int { self == .up ? SL_UP : SL_DOWN }
}

extension sl_link_settings {
    fileprivate init(_ link: NetworkConditions.Link) {
        self.init(
            delay_ms: link.delay, jitter_ms: link.jitter, loss_percent: link.loss,
            burst_loss_percent: link.burstLoss, burst_length: link.burstLength, rate_kbps: link.rate ?? 0,
            queue_ms: link.queue, outage: link.isOut)
    }
}

extension NetworkCounters {
    fileprivate init(_ raw: sl_link_counters) {
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
