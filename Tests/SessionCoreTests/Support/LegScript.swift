// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import WebRTCStats

/// A leg of the router that reports once a second: 50 packets of audio, some of them lost.
struct LegScript {
    let kind: StreamRole
    let leg: LegName
    let stream: String
    private var time: Double
    private var packets: UInt64 = 0
    private var lost: Int64 = 0
    /// Whether anything gets through.
    var isFlowing = true
    /// Seconds.
    var roundTripTime = 0.02
    private var roundTrips = 0.0
    /// Of what is received, in seconds.
    var jitter = 0.002

    /// - Parameter skew: How far its clock is ahead, ms.
    init(_ kind: StreamRole, _ leg: LegName, _ stream: String, skew: Double = 0) {
        time = 1_700_000_000_000 + skew
        self.kind = kind
        self.leg = leg
        self.stream = stream
    }

    /// The next second; `loss` is 0 to 1.
    mutating func next(loss: Double = 0) -> LegReport {
        time += 1000
        if isFlowing {
            packets += 50
            roundTrips += 50 * roundTripTime
            lost += Int64((50 * loss).rounded())
        }
        var stats = StatsReport(timestamp: time)
        stats.candidatePairs = [pair]
        var transport = ICETransportStats(id: "T", timestamp: time)
        transport.selectedCandidatePairId = "P"
        transport.iceState = .connected
        stats.transports = [transport]
        switch kind {
        case .publisher: stats.inboundRTP = [inbound]
        case .subscriber:
            stats.outboundRTP = [outbound]
            stats.remoteInboundRTP = [feedback]
        }
        return LegReport(leg: leg, kind: kind, stream: stream, stats: stats, layers: [])
    }

    private var pair: CandidatePairStats {
        var pair = CandidatePairStats(id: "P", timestamp: time)
        pair.transportId = "T"
        pair.nominated = true
        pair.currentRoundTripTime = roundTripTime
        pair.responsesReceived = packets
        pair.totalRoundTripTime = roundTrips
        pair.bytesReceived = packets * 100
        pair.bytesSent = packets * 100
        pair.availableOutgoingBitrate = 1_000_000
        return pair
    }

    private var inbound: InboundRTPStats {
        var entry = InboundRTPStats(id: "I", timestamp: time)
        entry.ssrc = 1
        entry.kind = .audio
        entry.packetsReceived = packets - UInt64(lost)
        entry.packetsLost = lost
        entry.bytesReceived = packets * 80
        entry.jitter = jitter
        return entry
    }

    private var outbound: OutboundRTPStats {
        var entry = OutboundRTPStats(id: "O", timestamp: time)
        entry.ssrc = 1
        entry.kind = .audio
        entry.packetsSent = packets
        entry.bytesSent = packets * 80
        return entry
    }

    private var feedback: RemoteInboundRTPStats {
        var entry = RemoteInboundRTPStats(id: "R", timestamp: time)
        entry.ssrc = 1
        entry.localId = "O"
        entry.kind = .audio
        entry.packetsLost = lost
        entry.roundTripTime = roundTripTime
        entry.roundTripTimeMeasurements = packets / 50
        entry.jitter = 0.002
        return entry
    }
}
