// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLinkModel
import LinkEmulation
import MediaEngine

/// An emulated link on a clock of the test's.
struct TestLink: ~Copyable {
    enum Fate: Equatable {
        case delivered(atMs: Double)
        case lost, queueFull, outage

        var isDelivered: Bool { if case .delivered = self { true } else { false } }
    }

    private var link: EmulatedLink
    /// Virtual time in ms.
    var now: Double = 1_000

    init(
        seed: UInt64 = 1, headerBytes: Int = Int(SL_UDP_HEADER_BYTES),
        _ settings: sl_link_settings = sl_link_settings()
    ) {
        link = EmulatedLink(seed: seed, headerBytes: headerBytes)
        link.set(settings)
    }

    var counters: NetworkCounters { link.counters }
    var encounter: sl_link_encounter { link.encounter }

    mutating func set(_ settings: sl_link_settings) { link.set(settings) }

    mutating func offer(bytes: Int = 1_000) -> Fate {
        switch link.offer(bytes: bytes, at: Int64(now * 1_000)) {
        case .delivered(let arrival): .delivered(atMs: Double(arrival) / 1_000)
        case .lost: .lost
        case .queueFull: .queueFull
        case .outage: .outage
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

    /// The delays in ms of `count` packets, one every `interval` ms; those that do not arrive are skipped.
    mutating func delays(count: Int, every interval: Double, bytes: Int = 1_000) -> [Double] {
        let start = now
        return offer(count: count, every: interval, bytes: bytes).enumerated().compactMap { index, fate in
            guard case .delivered(let at) = fate else { return nil }
            return at - start - Double(index) * interval
        }
    }
}

extension sl_link_settings {
    static func make(
        delay: Double = 0, jitter: Double = 0, loss: Double = 0, burstLoss: Double = 0,
        burstLength: Double = 1, rate: Double = 0, queue: Double = 300, outage: Bool = false,
        _ more: (inout sl_link_settings) -> Void = { _ in }
    ) -> sl_link_settings {
        var settings = sl_link_settings()
        settings.delay_ms = delay
        settings.jitter_ms = jitter
        settings.loss_percent = loss
        settings.burst_loss_percent = burstLoss
        settings.burst_length = burstLength
        settings.rate_kbps = rate
        settings.queue_ms = queue
        settings.outage = outage
        more(&settings)
        return settings
    }
}

extension [Double] {
    var mean: Double { reduce(0, +) / Double(Swift.max(1, count)) }

    /// The correlation of each value with the one `lag` places behind it.
    func correlation(lag: Int) -> Double {
        let mean = mean
        let pairs = zip(self, dropFirst(lag))
        let product = pairs.map { ($0 - mean) * ($1 - mean) }.mean
        return product / map { ($0 - mean) * ($0 - mean) }.mean
    }
}
