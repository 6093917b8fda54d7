// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire

/// A stream that someone publishes in a session, as it was when the value was made.
///
/// `stream.connection == session.connection` is true for one's own streams.
public struct MediaStream: Sendable, Hashable, Identifiable {
    /// The server's name for it.
    public let streamId: String
    /// The publisher's name for it; `nil` if it has none.
    public let name: String?
    /// The client that publishes it.
    public let connection: Connection
    /// When it was published, Unix ms by the server's clock.
    public let creationTime: Double
    /// Whether it has audio; false while the publisher has muted itself.
    public let hasAudio: Bool
    /// Whether it has video; false while the publisher has its video off.
    public let hasVideo: Bool
    /// Size of its frames before any scaling, in pixels; `nil` without video.
    public let videoDimensions: VideoSize?
    /// Whether it has no video because the publisher's own uplink does not carry it in addition to the audio.
    public let isVideoOffByFallback: Bool
    /// Whether its audio sends next to nothing in pauses of speech, so that few packets are no fault.
    public let hasAudioPauses: Bool
    /// Source of its video; `nil` if it is a kind that this version does not know.
    public let videoType: VideoType?
    /// Whether its publisher shares its own figures with subscribers.
    public let senderStatsTrack: Bool

    /// The server's name for it.
    public var id: String { streamId }

    init(_ description: StreamDescription) {
        self.init(
            streamId: description.id, connection: Connection(description.connection),
            creationTime: description.creationTime, content: description.content,
            senderStatsTrack: description.senderStatsTrack)
    }

    private init(
        streamId: String, connection: Connection, creationTime: Double, content: StreamContent,
        senderStatsTrack: Bool
    ) {
        self.streamId = streamId
        self.connection = connection
        self.creationTime = creationTime
        self.senderStatsTrack = senderStatsTrack
        name = content.name
        hasAudio = content.hasAudio
        hasVideo = content.hasVideo
        hasAudioPauses = content.hasAudioPauses == true
        isVideoOffByFallback = !content.hasVideo && content.isVideoOffByFallback == true
        videoDimensions = content.videoDimensions
        videoType = content.videoType
    }

    /// The same stream with other content.
    func with(_ content: StreamContent) -> MediaStream {
        MediaStream(
            streamId: streamId, connection: connection, creationTime: creationTime, content: content,
            senderStatsTrack: senderStatsTrack)
    }
}
