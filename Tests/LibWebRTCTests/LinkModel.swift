// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC

/// The conditioner's arithmetic on a clock of the test's.
struct LinkModel: ~Copyable {
    enum Fate: Equatable {
        case delivered(atMs: Double)
        case lost, queueFull, outage

        var isDelivered: Bool { if case .delivered = self { true } else { false } }
    }

    private let raw: OpaquePointer
    /// Virtual time in ms.
    var now: Double = 1_000

    init(seed: UInt64 = 1, _ settings: sl_link_settings = sl_link_settings()) {
        raw = sl_link_model_create(seed)
        set(settings)
    }

    deinit { sl_link_model_destroy(raw) }

    var counters: sl_link_counters { sl_link_model_counters(raw) }

    func set(_ settings: sl_link_settings) {
        var settings = settings
        sl_link_model_set(raw, &settings)
    }

    func offer(bytes: Int = 1_000) -> Fate {
        var arrival: Int64 = 0
        switch Int(sl_link_model_offer(raw, bytes, Int64(now * 1_000), &arrival)) {
        case SL_FATE_DELIVERED: return .delivered(atMs: Double(arrival) / 1_000)
        case SL_FATE_LOST: return .lost
        case SL_FATE_QUEUE_FULL: return .queueFull
        default: return .outage
        }
    }

    /// Offers `count` packets, one every `interval` ms.
    mutating func offer(count: Int, every interval: Double, bytes: Int = 1_000) -> [Fate] {
        var fates: [Fate] = []
        for _ in 0..<count {
            fates.append(offer(bytes: bytes))
            now += interval
        }
        return fates
    }
}

extension sl_link_settings {
    static func make(
        delay: Double = 0, jitter: Double = 0, loss: Double = 0, burstLoss: Double = 0,
        burstLength: Double = 1,
        rate: Double = 0, queue: Double = 300, outage: Bool = false
    ) -> sl_link_settings {
        sl_link_settings(
            delay_ms: delay, jitter_ms: jitter, loss_percent: loss, burst_loss_percent: burstLoss,
            burst_length: burstLength, rate_kbps: rate, queue_ms: queue, outage: outage)
    }
}
