// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One tick's observation of a subscribed stream.
///
/// Its sample is `StreamSample(observation)`; what a `SubscriberNetworkStatsDelegate` gets is made of it as well, such as
/// `SubscriberVideoNetworkStats(observation)`.
public struct SubscriberObservation: Sendable, Equatable, Codable {
    /// Time of the report, in Unix ms.
    public var timestamp: Double
    /// The track, where a peer connection receives several of a kind; `nil` for a stream, and for all that a peer
    /// connection receives.
    public var track: MediaTrack?
    /// The video's figures; `nil` if the stream never had video.
    public var video: MediaFigures?
    /// The audio's figures; `nil` if the stream never had audio.
    public var audio: MediaFigures?
    /// What else is known of the video here.
    public var videoDetails: MediaDetails
    /// What else is known of the audio here.
    public var audioDetails: MediaDetails
    /// The leg's sender; `nil` unless the publisher set `senderStatsTrack` and the figures are fresh.
    public var senderStats: SenderStats?
    /// The subscriber's own downlink.
    public var transport: TransportStats
    /// The publisher's uplink; `nil` unless the publisher set `senderStatsTrack` and its figures are fresh.
    public var remotePublisherTransport: TransportStats?
    /// Whose network is to blame.
    public var networkDegradationSource: NetworkDegradationSource
    /// The stream's diagnosis.
    public var diagnosis: Diagnosis
    /// The network quality of the stream's media, for the participant's level.
    public var levels: StreamLevels
    /// Events of the tick; empty for a repeated report.
    public var events: [StreamEvent]

    /// Creates an observation.
    public init(
        timestamp: Double, track: MediaTrack? = nil, video: MediaFigures? = nil, audio: MediaFigures? = nil,
        videoDetails: MediaDetails = MediaDetails(), audioDetails: MediaDetails = MediaDetails(),
        senderStats: SenderStats? = nil,
        transport: TransportStats = TransportStats(), remotePublisherTransport: TransportStats? = nil,
        networkDegradationSource: NetworkDegradationSource = .unknown, diagnosis: Diagnosis = Diagnosis(),
        levels: StreamLevels = StreamLevels(), events: [StreamEvent] = []
    ) {
        self.timestamp = timestamp
        self.track = track
        self.video = video
        self.audio = audio
        self.videoDetails = videoDetails
        self.audioDetails = audioDetails
        self.senderStats = senderStats
        self.transport = transport
        self.remotePublisherTransport = remotePublisherTransport
        self.networkDegradationSource = networkDegradationSource
        self.diagnosis = diagnosis
        self.levels = levels
        self.events = events
    }
}
