// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One tick's observation of a published stream.
///
/// Its sample is `StreamSample(observation)`; what a `PublisherNetworkStatsDelegate` gets is made of its legs as well, such
/// as `PublisherVideoNetworkStats(leg)`.
public struct PublisherObservation: Sendable, Equatable, Codable {
    /// Time of the newest report, in Unix ms.
    public var timestamp: Double
    /// The track, where a peer connection sends several of a kind; `nil` for a stream, and for all that a peer
    /// connection sends.
    public var track: MediaTrack?
    /// The stream's connections: one in a routed session, one per subscriber in a relayed one.
    public var legs: [PublishedLeg]
    /// The stream's diagnosis.
    public var diagnosis: Diagnosis
    /// The network quality of the stream's media, for the participant's level.
    public var levels: StreamLevels
    /// Events of the tick; empty for a repeated report.
    public var events: [StreamEvent]

    /// Creates an observation.
    public init(
        timestamp: Double, track: MediaTrack? = nil, legs: [PublishedLeg] = [],
        diagnosis: Diagnosis = Diagnosis(),
        levels: StreamLevels = StreamLevels(), events: [StreamEvent] = []
    ) {
        self.timestamp = timestamp
        self.track = track
        self.legs = legs
        self.diagnosis = diagnosis
        self.levels = levels
        self.events = events
    }

    /// The video's figures, per connection that has video; empty if the stream has none.
    public var video: [MediaFigures] { legs.compactMap(\.video) }

    /// The audio's figures, per connection that has audio; empty if the stream has none.
    public var audio: [MediaFigures] { legs.compactMap(\.audio) }
}
