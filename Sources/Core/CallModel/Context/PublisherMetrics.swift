// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a publisher reports to its subscribers about itself.
public struct PublisherMetrics: Sendable, Equatable, Codable {
    /// Its uplink; in a relayed session that of the connection to this subscriber.
    public var transport: TransportStats?
    /// Its verdict on a relayed session's shared path, from comparing its connections; `nil` if it has none.
    ///
    /// ``NetworkDegradationSource/remote`` means the publisher's uplink, as the subscriber sees it.
    public var degradationSource: NetworkDegradationSource?
    /// The cause of its own diagnosis: some problems of an uplink have no condition; `nil` if unknown.
    public var cause: Diagnosis.Cause?
    /// Frames it sent in all, of the layer that sent most; distinguishes static video from frozen video.
    public var videoFramesSent: UInt64?
    /// Whether its audio is muted; `nil` if unknown.
    public var audioMuted: Bool?
    /// What limits its encoder, if anything; `nil` if unknown.
    public var qualityLimitationReason: QualityLimitationReason?

    /// Creates facts; whatever is omitted is unknown.
    public init(
        transport: TransportStats? = nil, degradationSource: NetworkDegradationSource? = nil,
        videoFramesSent: UInt64? = nil, audioMuted: Bool? = nil,
        qualityLimitationReason: QualityLimitationReason? = nil, cause: Diagnosis.Cause? = nil
    ) {
        self.transport = transport
        self.degradationSource = degradationSource
        self.cause = cause
        self.videoFramesSent = videoFramesSent
        self.audioMuted = audioMuted
        self.qualityLimitationReason = qualityLimitationReason
    }
}
