// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What the media router's end of a leg has received and sent so far; for network tests.
public struct LegCounters: Sendable, Equatable, Codable {
    /// Of one medium that the router receives.
    public struct Medium: Sendable, Equatable, Codable {
        /// RTP packets of the media, without retransmissions.
        public var packetsReceived: UInt64
        /// RTP packets that are missing, before any repair.
        public var packetsLost: Int64
        /// Payload.
        public var bytesReceived: UInt64
        /// Seconds; `nil` if it is not known.
        public var jitter: Double?

        /// Makes counters.
        public init(packetsReceived: UInt64, packetsLost: Int64, bytesReceived: UInt64, jitter: Double?) {
            self.packetsReceived = packetsReceived
            self.packetsLost = packetsLost
            self.bytesReceived = bytesReceived
            self.jitter = jitter
        }
    }

    /// When they were read, Unix ms by the router's clock.
    public var timestamp: Double
    /// UDP payload of the whole leg; `nil` until the router knows.
    public var bytesReceived: UInt64?
    /// UDP packets of the whole leg.
    public var packetsReceived: UInt64?
    /// Packets that it has sent on the path in use, connectivity checks and their answers included; `nil` without a path.
    public var pathPacketsSent: UInt64?
    /// Packets that it has received on the path in use, connectivity checks and their answers included; `nil` without a
    /// path.
    public var pathPacketsReceived: UInt64?
    /// Audio; `nil` on legs that send it.
    public var audio: Medium?
    /// Video; `nil` on legs that send it.
    public var video: Medium?

    /// Makes counters.
    public init(
        timestamp: Double, bytesReceived: UInt64?, packetsReceived: UInt64?, audio: Medium? = nil,
        video: Medium? = nil, pathPacketsSent: UInt64? = nil, pathPacketsReceived: UInt64? = nil
    ) {
        self.timestamp = timestamp
        self.bytesReceived = bytesReceived
        self.packetsReceived = packetsReceived
        self.audio = audio
        self.video = video
        self.pathPacketsSent = pathPacketsSent
        self.pathPacketsReceived = pathPacketsReceived
    }

    /// Reads them off a report.
    public init(_ report: StatsReport) {
        let transport = report.transports.first
        self.init(
            timestamp: report.timestamp, bytesReceived: transport?.bytesReceived,
            packetsReceived: transport?.packetsReceived,
            audio: Medium(report.inboundRTP.first { $0.kind == .audio }),
            video: Medium(report.inboundRTP.first { $0.kind == .video }))
        guard let pair = report.selectedCandidatePair else { return }
        // Those before the first answer and those after it.
        let checksSent = [pair.requestsSent, pair.consentRequestsSent, pair.responsesSent]
        pathPacketsSent = Self.sum(checksSent + [transport?.packetsSent])
        let checksReceived = [pair.requestsReceived, pair.responsesReceived]
        pathPacketsReceived = Self.sum(checksReceived + [transport?.packetsReceived])
    }

    private static func sum(_ counts: [UInt64?]) -> UInt64 {
        counts.reduce(0) { $0 &+ ($1 ?? 0) }
    }
}

extension LegCounters.Medium {
    /// `nil` without such a stream.
    fileprivate init?(_ stream: InboundRTPStats?) {
        guard let stream, let packets = stream.packetsReceived else { return nil }
        self.init(
            packetsReceived: packets, packetsLost: stream.packetsLost ?? 0,
            bytesReceived: stream.bytesReceived ?? 0, jitter: stream.jitter)
    }
}
