// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A subscriber's audio; its totals continue like those of ``SubscriberVideoNetworkStats``.
public struct SubscriberAudioNetworkStats: Sendable, Equatable, Codable {
    /// Packets that the network lost on the downlink, before repair: an estimate, see <doc:TwoLosses>.
    ///
    /// `nil` if never reported.
    public var audioPacketsLost: UInt64?
    /// RTP packets received; `nil` if never reported.
    public var audioPacketsReceived: UInt64?
    /// Payload bytes received, RTP headers not included; `nil` if never reported.
    public var audioBytesReceived: UInt64?
    /// Time of the report, in Unix ms.
    public var timestamp: Double
    /// When the totals began, in Unix ms; `nil` before the stream's first report.
    public var startTime: Double?
    /// The leg's sender; `nil` unless the publisher set `senderStatsTrack` and the figures are fresh.
    public var senderStats: SenderStats?
    /// Level of the audio over this tick, `0...1` (root mean square); `nil` if unknown.
    public var audioLevel: Double?
    /// Media bits received per second, without RTP headers and retransmissions; `nil` if unknown.
    public var bitrate: Double?
    /// Bits received per second with RTP headers and retransmissions; `nil` if unknown.
    public var totalBitrate: Double?
    /// MIME subtype of the codec, such as `opus`; `nil` if unknown.
    public var codec: String?
    /// Network loss of this tick, `0...1`; `nil` if nothing was expected.
    public var fractionLost: Double?
    /// Round trip time of the connection, in seconds; `nil` if it was not measured.
    public var roundTripTime: Double?
    /// Jitter of the packets, in seconds; `nil` if unknown.
    public var jitter: Double?
    /// Mean jitter buffer delay of audio in this tick, in seconds; `nil` if unknown.
    public var jitterBufferDelay: Double?
    /// How long audio takes from mouth to ear, in seconds, as far as engines know: half the round trip time of each leg, the
    /// jitter buffer, the device that plays it, and a fixed part for coding.
    ///
    /// `nil` while no audio comes, and where a leg is not known: where no one says whether there is a router, and where
    /// a router's other leg is not known, or is not to be shown.
    public var mouthToEarDelay: Double?
    /// Share of this tick's audio that was audibly concealed, `0...1`; `nil` if unknown.
    ///
    /// Silent concealment does not count, nor does concealment before the first packet.
    public var concealment: Double?
    /// Opinion score of the audio, `1...4.5`; `nil` while it cannot be judged.
    public var mos: Double?

    /// Creates figures without any measurement.
    public init(timestamp: Double) {
        self.timestamp = timestamp
    }

    /// The audio of an observation; `nil` if the stream never had audio.
    public init?(_ observation: SubscriberObservation) {
        guard let audio = observation.audio else { return nil }
        self.init(timestamp: observation.timestamp)
        audioPacketsLost = audio.packetsLost.map { UInt64(clamping: $0) }
        audioPacketsReceived = audio.packets
        audioBytesReceived = audio.bytes
        startTime = observation.audioDetails.startTime
        senderStats = observation.senderStats
        audioLevel = audio.audioLevel
        bitrate = audio.bitrate
        totalBitrate = observation.audioDetails.totalBitrate
        codec = audio.codec
        fractionLost = audio.fractionLost
        roundTripTime = observation.audioDetails.roundTripTime
        jitter = audio.jitter
        jitterBufferDelay = audio.jitterBufferDelay
        mouthToEarDelay = audio.mouthToEarDelay
        concealment = audio.concealment
        mos = audio.mos
    }
}
