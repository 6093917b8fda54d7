// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What one `getStats()` call of a peer connection returned.
///
/// Names, spelling and units are those of [W3C webrtc-stats](https://www.w3.org/TR/webrtc-stats/), except that every
/// time is in milliseconds. A member that is `nil` was not reported; that is never the same as zero.
public struct StatsReport: Sendable, Equatable {
    /// Timestamp of the newest entry, in Unix milliseconds; `0` if the report is empty.
    public var timestamp: Double

    /// Entries of type `codec`.
    public var codecs: [CodecStats] = []
    /// Entries of type `inbound-rtp`.
    public var inboundRTP: [InboundRTPStats] = []
    /// Entries of type `outbound-rtp`.
    public var outboundRTP: [OutboundRTPStats] = []
    /// Entries of type `remote-inbound-rtp`.
    public var remoteInboundRTP: [RemoteInboundRTPStats] = []
    /// Entries of type `remote-outbound-rtp`.
    public var remoteOutboundRTP: [RemoteOutboundRTPStats] = []
    /// Entries of type `media-source`.
    public var mediaSources: [MediaSourceStats] = []
    /// Entries of type `media-playout`.
    public var mediaPlayout: [MediaPlayoutStats] = []
    /// Entries of type `peer-connection`.
    public var peerConnections: [PeerConnectionStats] = []
    /// Entries of type `data-channel`.
    public var dataChannels: [DataChannelStats] = []
    /// Entries of type `transport`.
    public var transports: [ICETransportStats] = []
    /// Entries of type `candidate-pair`.
    public var candidatePairs: [CandidatePairStats] = []
    /// Entries of type `local-candidate`.
    public var localCandidates: [CandidateStats] = []
    /// Entries of type `remote-candidate`.
    public var remoteCandidates: [CandidateStats] = []
    /// Entries of type `certificate`.
    public var certificates: [CertificateStats] = []
    /// Entries of every other type, the obsolete `track` and `stream` among them.
    public var unknown: [UnknownStats] = []

    /// Creates a report without entries.
    public init(timestamp: Double = 0) {
        self.timestamp = timestamp
    }
}
