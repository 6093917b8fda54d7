// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A publisher's audio on one of its connections; its totals continue like those of
/// ``PublisherVideoNetworkStats``.
public struct PublisherAudioNetworkStats: Sendable, Equatable, Codable {
    /// The subscriber's connection in a relayed session; `nil` in a routed one.
    public var connectionId: String?
    /// The subscriber in a relayed session; `nil` in a routed one.
    public var subscriberId: String?
    /// Packets that the network lost on the uplink, before repair: an estimate, see <doc:TwoLosses>.
    ///
    /// `nil` until the receiving end has reported once; it moves only with RTCP, every few seconds.
    public var audioPacketsLost: UInt64?
    /// RTP packets sent, retransmissions included; `nil` if never reported.
    public var audioPacketsSent: UInt64?
    /// Payload bytes sent, retransmissions included, RTP headers not; `nil` if never reported.
    public var audioBytesSent: UInt64?
    /// Time of the report, in Unix ms.
    public var timestamp: Double
    /// When the totals began, in Unix ms; `nil` before the stream's first report.
    public var startTime: Double?
    /// The connection's uplink.
    public var transport: TransportStats
    /// Media bits sent per second, without RTP headers and retransmissions; `nil` if unknown.
    public var bitrate: Double?
    /// Bits sent per second with RTP headers and retransmissions; `nil` if unknown.
    public var totalBitrate: Double?
    /// Level of the captured audio over this tick, `0...1` (root mean square); `nil` if unknown.
    public var audioLevel: Double?
    /// MIME subtype of the codec, such as `opus`; `nil` if unknown.
    public var codec: String?
    /// Network loss of this tick's RTCP sample, `0...1`; `nil` when there was no new one.
    public var fractionLost: Double?
    /// Round trip time in the newest RTCP report, in seconds; `nil` if none measured it in this tick.
    public var roundTripTime: Double?
    /// Jitter that the receiving end measured, in seconds; `nil` if no report of it came in this tick.
    public var jitter: Double?

    /// Creates figures without any measurement.
    public init(timestamp: Double, connectionId: String? = nil, subscriberId: String? = nil) {
        self.timestamp = timestamp
        self.connectionId = connectionId
        self.subscriberId = subscriberId
        transport = TransportStats()
    }

    /// The audio of a leg; `nil` if it never had audio.
    public init?(_ leg: PublishedLeg) {
        guard let audio = leg.audio else { return nil }
        self.init(timestamp: leg.timestamp, connectionId: leg.connectionId, subscriberId: leg.subscriberId)
        audioPacketsLost = audio.packetsLost.map { UInt64(clamping: $0) }
        audioPacketsSent = audio.packets
        audioBytesSent = audio.bytes
        startTime = leg.audioDetails.startTime
        transport = leg.transport
        bitrate = audio.bitrate
        totalBitrate = leg.audioDetails.totalBitrate
        audioLevel = audio.audioLevel
        codec = audio.codec
        fractionLost = audio.fractionLost
        roundTripTime = leg.audioDetails.roundTripTime
        jitter = audio.jitter
    }
}
