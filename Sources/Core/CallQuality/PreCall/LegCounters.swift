// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What the media router's end of a leg has received and sent so far; for network tests.
///
/// Written as a list of its numbers: it comes four times a second, also over lines that carry hardly anything else.
public struct LegCounters: Sendable, Equatable {
    /// Of one medium that the router receives.
    public struct Medium: Sendable, Equatable {
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
    /// Whether the router has keys with the client (DTLS is connected at its end): it takes no media before.
    public var isConnected: Bool
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
        timestamp: Double, isConnected: Bool = true, bytesReceived: UInt64?, packetsReceived: UInt64?,
        audio: Medium? = nil, video: Medium? = nil, pathPacketsSent: UInt64? = nil,
        pathPacketsReceived: UInt64? = nil
    ) {
        self.timestamp = timestamp
        self.isConnected = isConnected
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
            timestamp: report.timestamp, isConnected: transport?.dtlsState == .connected,
            bytesReceived: transport?.bytesReceived,
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

extension LegCounters: Codable {
    /// Reads the list.
    ///
    /// - Throws: `DecodingError` if it is not one of these.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        timestamp = try list.decode(Double.self)
        isConnected = try list.decode(Bool.self)
        bytesReceived = try list.decode(UInt64?.self)
        packetsReceived = try list.decode(UInt64?.self)
        pathPacketsSent = try list.decode(UInt64?.self)
        pathPacketsReceived = try list.decode(UInt64?.self)
        audio = try list.decode(Medium?.self)
        video = try list.decode(Medium?.self)
    }

    /// Writes the list.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(timestamp)
        try list.encode(isConnected)
        for count in [bytesReceived, packetsReceived, pathPacketsSent, pathPacketsReceived] {
            try list.encode(count)
        }
        try list.encode(audio)
        try list.encode(video)
    }
}

extension LegCounters.Medium: Codable {
    /// Reads the list.
    ///
    /// - Throws: `DecodingError` if it is not one of these.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        packetsReceived = try list.decode(UInt64.self)
        packetsLost = try list.decode(Int64.self)
        bytesReceived = try list.decode(UInt64.self)
        jitter = try list.decode(Double?.self)
    }

    /// Writes the list.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(packetsReceived)
        try list.encode(packetsLost)
        try list.encode(bytesReceived)
        try list.encode(jitter)
    }
}
