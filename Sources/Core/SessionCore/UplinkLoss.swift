// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Network loss of a client's uplink from the reports of the router's end of it.
///
/// Pure.
///
/// Where retransmissions travel on the media SSRC, as on our simulcast uplinks, `packetsLost` hides what was
/// repaired. So a stream's loss over a tick is what is missing for good (Δ`packetsLost`) and what was
/// repaired: Δ `retransmittedPacketsReceived` where the engine counts it, else Δ`nackCount`, of which
/// whichever of the two is larger counts. `nackCount` counts NACK messages: a burst that one message asks for
/// counts once, a packet that is asked for twice counts twice. It is set against the packets that were due:
/// Δ`packetsReceived` and what is missing.
struct UplinkLoss: Sendable {
    private struct Counters {
        var received: UInt64
        var lost: Int64
        var retransmitted: UInt64?
        var nacks: UInt64

        init?(_ stream: InboundRTPStats) {
            guard let received = stream.packetsReceived else { return nil }
            self.received = received
            lost = stream.packetsLost ?? 0
            retransmitted = stream.retransmittedPacketsReceived
            nacks = stream.nackCount ?? 0
        }
    }

    private var last: [String: Counters] = [:]

    /// Loss since the report before, 0 to 1; `nil` without one, or if nothing was due.
    mutating func handle(_ report: StatsReport) -> Double? {
        var tally = LossTally()
        var counters: [String: Counters] = [:]
        for stream in report.inboundRTP {
            guard let now = Counters(stream) else { continue }
            counters[stream.id] = now
            guard let before = last[stream.id], now.received >= before.received else { continue }
            let missing = max(0, Double(now.lost) - Double(before.lost))
            tally.lost += Self.lost(from: before, to: now, missing: missing)
            tally.expected += Double(now.received - before.received) + missing
        }
        last = counters
        return tally.fraction
    }

    private static func lost(from before: Counters, to now: Counters, missing: Double) -> Double {
        if let first = before.retransmitted, let second = now.retransmitted {
            return missing + max(0, Double(second) - Double(first))
        }
        return max(missing, Double(now.nacks) - Double(before.nacks))
    }
}
