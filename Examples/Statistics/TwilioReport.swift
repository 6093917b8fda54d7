// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What a `TVIStatsReport` (`StatsReport` in Swift) of Twilio's Video SDK for iOS says, member by member.
///
/// Twilio's objects are no W3C statistics: times are milliseconds, there are no frame counters, freezes or concealment, and
/// both ends' figures of a track are in one object. What they do not say stays unknown, and so do judgements that need it. A zero
/// round trip time is none that was measured.
///
/// ```swift
/// room.getStats { reports in
///     for report in reports {
///         source.take(StatsReport(TwilioReport(
///             localVideoTrackStats: report.localVideoTrackStats.map {
///                 .init(ssrc: $0.ssrc, timestamp: $0.timestamp, codec: $0.codec, packetsLost: Int64($0.packetsLost),
///                     packets: UInt64($0.packetsSent), bytes: UInt64($0.bytesSent), roundTripTime: Double($0.roundTripTime),
///                     width: UInt64($0.dimensions.width), height: UInt64($0.dimensions.height), frameRate: Double($0.frameRate))
///             }, …
/// ```
public struct TwilioReport: Sendable {
    /// One of `localAudioTrackStats` and its three siblings.
    public struct Track: Sendable {
        /// The stream’s SSRC, as text.
        public var ssrc: String
        /// Unix ms.
        public var timestamp: Double
        /// Such as `VP8` or `opus`.
        public var codec: String
        /// Packets lost so far.
        public var packetsLost: Int64
        /// `packetsSent` or `packetsReceived`.
        public var packets: UInt64
        /// `bytesSent` or `bytesReceived`.
        public var bytes: UInt64
        /// Milliseconds; of what is sent.
        public var roundTripTime: Double?
        /// Milliseconds; of audio.
        public var jitter: Double?
        /// `dimensions` of video.
        public var width: UInt64?
        /// `dimensions` of video.
        public var height: UInt64?
        /// Frames per second of video.
        public var frameRate: Double?

        /// Describes a track.
        public init(
            ssrc: String, timestamp: Double, codec: String, packetsLost: Int64, packets: UInt64,
            bytes: UInt64,
            roundTripTime: Double? = nil, jitter: Double? = nil, width: UInt64? = nil, height: UInt64? = nil,
            frameRate: Double? = nil
        ) {
            (self.ssrc, self.timestamp, self.codec) = (ssrc, timestamp, codec)
            (self.packetsLost, self.packets, self.bytes) = (packetsLost, packets, bytes)
            (self.roundTripTime, self.jitter) = (roundTripTime, jitter)
            (self.width, self.height, self.frameRate) = (width, height, frameRate)
        }
    }

    /// The one of `iceCandidatePairStats` that has `activeCandidatePair`.
    public struct CandidatePair: Sendable {
        /// Seconds.
        public var currentRoundTripTime: Double
        /// bps; zero if no one estimated it.
        public var availableOutgoingBitrate: Double
        /// Bytes sent so far.
        public var bytesSent: UInt64
        /// Bytes received so far.
        public var bytesReceived: UInt64

        /// Describes the active pair.
        public init(
            currentRoundTripTime: Double, availableOutgoingBitrate: Double, bytesSent: UInt64,
            bytesReceived: UInt64
        ) {
            self.currentRoundTripTime = currentRoundTripTime
            self.availableOutgoingBitrate = availableOutgoingBitrate
            self.bytesSent = bytesSent
            self.bytesReceived = bytesReceived
        }
    }

    /// Audio that is sent.
    public var localAudioTrackStats: [Track] = []
    /// Video that is sent.
    public var localVideoTrackStats: [Track] = []
    /// Audio that is received.
    public var remoteAudioTrackStats: [Track] = []
    /// Video that is received.
    public var remoteVideoTrackStats: [Track] = []
    /// The path in use; `nil` if no pair is active.
    public var activeCandidatePair: CandidatePair?

    /// Puts a report together.
    public init(
        localAudioTrackStats: [Track] = [], localVideoTrackStats: [Track] = [],
        remoteAudioTrackStats: [Track] = [],
        remoteVideoTrackStats: [Track] = [], activeCandidatePair: CandidatePair? = nil
    ) {
        self.localAudioTrackStats = localAudioTrackStats
        self.localVideoTrackStats = localVideoTrackStats
        self.remoteAudioTrackStats = remoteAudioTrackStats
        self.remoteVideoTrackStats = remoteVideoTrackStats
        self.activeCandidatePair = activeCandidatePair
    }
}

extension StatsReport {
    /// Makes W3C statistics of what Twilio's SDK says.
    public init(_ twilio: TwilioReport) {
        self.init()
        for track in twilio.localAudioTrackStats { addSent(track, .audio) }
        for track in twilio.localVideoTrackStats { addSent(track, .video) }
        for track in twilio.remoteAudioTrackStats { addReceived(track, .audio) }
        for track in twilio.remoteVideoTrackStats { addReceived(track, .video) }
        let all = [
            twilio.localAudioTrackStats, twilio.localVideoTrackStats, twilio.remoteAudioTrackStats,
            twilio.remoteVideoTrackStats,
        ]
        timestamp = all.joined().map(\.timestamp).max() ?? 0
        if let pair = twilio.activeCandidatePair { add(pair) }
    }

    private mutating func addSent(_ track: TwilioReport.Track, _ kind: MediaKind) {
        var sent = OutboundRTPStats(id: "sent \(track.ssrc)", timestamp: track.timestamp)
        (sent.kind, sent.ssrc, sent.codecId) = (kind, UInt64(track.ssrc), addCodec(track, kind))
        (sent.packetsSent, sent.bytesSent) = (track.packets, track.bytes)
        (sent.frameWidth, sent.frameHeight, sent.framesPerSecond) = (
            track.width, track.height, track.frameRate
        )
        outboundRTP.append(sent)
        var feedback = RemoteInboundRTPStats(id: "feedback \(track.ssrc)", timestamp: track.timestamp)
        (feedback.kind, feedback.ssrc, feedback.localId) = (kind, UInt64(track.ssrc), sent.id)
        feedback.packetsLost = track.packetsLost
        feedback.jitter = track.jitter.map { $0 / 1000 }
        feedback.roundTripTime = track.roundTripTime.flatMap { $0 > 0 ? $0 / 1000 : nil }
        remoteInboundRTP.append(feedback)
    }

    private mutating func addReceived(_ track: TwilioReport.Track, _ kind: MediaKind) {
        var received = InboundRTPStats(id: "received \(track.ssrc)", timestamp: track.timestamp)
        (received.kind, received.ssrc, received.codecId) = (kind, UInt64(track.ssrc), addCodec(track, kind))
        (received.packetsReceived, received.bytesReceived) = (track.packets, track.bytes)
        (received.packetsLost, received.jitter) = (track.packetsLost, track.jitter.map { $0 / 1000 })
        (received.frameWidth, received.frameHeight) = (track.width, track.height)
        received.framesPerSecond = track.frameRate
        inboundRTP.append(received)
    }

    private mutating func addCodec(_ track: TwilioReport.Track, _ kind: MediaKind) -> String {
        var codec = CodecStats(id: "codec \(track.ssrc)", timestamp: track.timestamp)
        codec.mimeType = "\(kind.rawValue)/\(track.codec)"
        codecs.append(codec)
        return codec.id
    }

    private mutating func add(_ active: TwilioReport.CandidatePair) {
        var pair = CandidatePairStats(id: "pair", timestamp: timestamp)
        (pair.nominated, pair.state, pair.transportId) = (true, .succeeded, "transport")
        pair.currentRoundTripTime = active.currentRoundTripTime > 0 ? active.currentRoundTripTime : nil
        pair.availableOutgoingBitrate =
            active.availableOutgoingBitrate > 0 ? active.availableOutgoingBitrate : nil
        (pair.bytesSent, pair.bytesReceived) = (active.bytesSent, active.bytesReceived)
        candidatePairs.append(pair)
        var transport = ICETransportStats(id: "transport", timestamp: timestamp)
        transport.selectedCandidatePairId = pair.id
        transports.append(transport)
    }
}
