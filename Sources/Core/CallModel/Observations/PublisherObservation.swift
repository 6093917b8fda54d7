// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One tick's observation of a published stream.
///
/// Arrays have one element in a routed session and one per subscriber in a relayed one.
public struct PublisherObservation: Sendable, Equatable, Codable {
    /// Time of the newest report, in Unix ms.
    public var timestamp: Double
    /// The track, where a peer connection sends several of a kind; `nil` for a stream, and for all that a peer
    /// connection sends.
    public var track: MediaTrack?
    /// The video's figures, per connection; empty if the stream has no video.
    public var video: [PublisherVideoNetworkStats]
    /// The audio's figures, per connection; empty if the stream has no audio.
    public var audio: [PublisherAudioNetworkStats]
    /// The media links, per connection.
    public var mediaLink: [PublisherMediaLinkStats]
    /// The stream's diagnosis.
    public var diagnosis: Diagnosis
    /// The network quality of the stream's media, for the participant's level.
    public var levels: StreamLevels
    /// Events of the tick; empty for a repeated report.
    public var events: [StreamEvent]

    /// Creates an observation.
    public init(
        timestamp: Double, track: MediaTrack? = nil, video: [PublisherVideoNetworkStats] = [],
        audio: [PublisherAudioNetworkStats] = [],
        mediaLink: [PublisherMediaLinkStats] = [], diagnosis: Diagnosis = Diagnosis(),
        levels: StreamLevels = StreamLevels(), events: [StreamEvent] = []
    ) {
        self.timestamp = timestamp
        self.track = track
        self.video = video
        self.audio = audio
        self.mediaLink = mediaLink
        self.diagnosis = diagnosis
        self.levels = levels
        self.events = events
    }
}
