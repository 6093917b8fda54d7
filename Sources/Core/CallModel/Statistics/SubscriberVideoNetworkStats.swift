// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A subscriber's video.
///
/// Totals belong to the subscription: they continue over SSRC and codec changes, ICE restarts and a replaced
/// peer connection, and never go backwards.
public struct SubscriberVideoNetworkStats: Sendable, Equatable, Codable {
    /// Packets that the network lost on the downlink, before repair: an estimate, see <doc:TwoLosses>.
    ///
    /// `nil` if never reported.
    public var videoPacketsLost: UInt64?
    /// RTP packets received; `nil` if never reported.
    public var videoPacketsReceived: UInt64?
    /// Payload bytes received, RTP headers not included; `nil` if never reported.
    public var videoBytesReceived: UInt64?
    /// Time of the report, in Unix ms.
    public var timestamp: Double
    /// When the totals began, in Unix ms; `nil` before the stream's first report.
    public var startTime: Double?
    /// The leg's sender; `nil` unless the publisher set `senderStatsTrack` and the figures are fresh.
    public var senderStats: SenderStats?
    /// Width of the decoded frames, in pixels; `nil` before the first frame.
    public var width: Int?
    /// Height of the decoded frames, in pixels; `nil` before the first frame.
    public var height: Int?
    /// Frames decoded per second in this tick; `nil` if unknown.
    public var decodedFrameRate: Double?
    /// Media bits received per second, without RTP headers and retransmissions; `nil` if unknown.
    public var bitrate: Double?
    /// Bits received per second with RTP headers and retransmissions; `nil` if unknown.
    public var totalBitrate: Double?
    /// Number of pauses, more than 5 s without a frame, intentional disables included; `nil` if unknown.
    ///
    /// A pause counts while it lasts, from the moment it is one.
    public var pauseCount: UInt64?
    /// Total duration of pauses, in ms, an ongoing one included; `nil` if unknown.
    public var totalPausesDuration: Double?
    /// Number of freezes, by WebRTC's definition, intentional breaks omitted; `nil` if unknown.
    public var freezeCount: UInt64?
    /// Total duration of freezes, in ms; `nil` if unknown.
    public var totalFreezesDuration: Double?
    /// MIME subtype of the codec, such as `VP8`; `nil` if unknown.
    public var codec: String?
    /// Network loss of this tick, `0...1`; `nil` if nothing was expected.
    public var fractionLost: Double?
    /// Residual loss of this tick, after retransmission, `0...1`; `nil` if unknown or nothing was expected.
    public var residualFractionLost: Double?
    /// Round trip time of the connection, in seconds; `nil` if it was not measured.
    public var roundTripTime: Double?
    /// Jitter of the packets, in seconds; `nil` if unknown.
    public var jitter: Double?
    /// How far the audio that is heard is ahead of the video that is seen, in seconds; below zero, behind it.
    ///
    /// `nil` while no audio comes or the video hardly moves, and where the engine does not synchronize them or does not say.
    public var avSync: Double?
    /// Opinion score of the video, `1...5`; `nil` while it cannot be judged.
    public var mos: Double?

    /// Creates figures without any measurement.
    public init(timestamp: Double) {
        self.timestamp = timestamp
    }

    /// The video of an observation; `nil` if the stream never had video.
    public init?(_ observation: SubscriberObservation) {
        guard let video = observation.video else { return nil }
        self.init(timestamp: observation.timestamp)
        videoPacketsLost = video.packetsLost.map { UInt64(clamping: $0) }
        videoPacketsReceived = video.packets
        videoBytesReceived = video.bytes
        startTime = observation.videoDetails.startTime
        senderStats = observation.senderStats
        width = video.width
        height = video.height
        decodedFrameRate = video.frameRate
        bitrate = video.bitrate
        totalBitrate = observation.videoDetails.totalBitrate
        pauseCount = video.pauseCount.map { UInt64(clamping: $0) }
        totalPausesDuration = video.totalPausesDuration
        freezeCount = video.freezeCount.map { UInt64(clamping: $0) }
        totalFreezesDuration = video.totalFreezesDuration
        codec = video.codec
        fractionLost = video.fractionLost
        residualFractionLost = video.residualFractionLost
        roundTripTime = observation.videoDetails.roundTripTime
        jitter = video.jitter
        avSync = video.avSync
        mos = video.mos
    }
}
