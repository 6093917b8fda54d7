// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// A client in a session.
package struct ConnectionDescription: Sendable, Equatable, Codable {
    /// The server's name for it.
    package var id: String
    /// The participant's name in the token; `nil` if there is none.
    package var name: String?
    /// When it joined, Unix ms.
    package var creationTime: Double

    /// Describes a connection.
    package init(id: String, name: String?, creationTime: Double) {
        self.id = id
        self.name = name
        self.creationTime = creationTime
    }
}

/// A stream in a session.
package struct StreamDescription: Sendable, Equatable, Codable {
    /// The server's name for it.
    package var id: String
    /// The connection that publishes it.
    package var connection: ConnectionDescription
    /// When it was published, Unix ms.
    package var creationTime: Double
    /// Its state as reported by its publisher.
    package var content: StreamContent
    /// Whether its publisher shares its own figures with subscribers.
    package var senderStatsTrack: Bool

    /// Describes a stream.
    package init(
        id: String, connection: ConnectionDescription, creationTime: Double, content: StreamContent,
        senderStatsTrack: Bool
    ) {
        self.id = id
        self.connection = connection
        self.creationTime = creationTime
        self.content = content
        self.senderStatsTrack = senderStatsTrack
    }
}

/// A stream's state as reported by its publisher.
package struct StreamContent: Sendable, Equatable, Codable {
    /// The publisher's name for it.
    package var name: String?
    /// Whether it has audio now.
    package var hasAudio: Bool
    /// Whether it has video now.
    package var hasVideo: Bool
    /// Source of its video.
    package var videoType: VideoType
    /// Size of its frames before any scaling; `nil` without video.
    package var videoDimensions: VideoSize?
    /// It has no video because the publisher's uplink does not carry it in addition to the audio; `nil` is
    /// no.
    package var isVideoOffByFallback: Bool?
    /// Its audio sends next to nothing in pauses of speech; `nil` is no.
    package var hasAudioPauses: Bool?

    /// Describes a stream's content.
    package init(
        name: String? = nil, hasAudio: Bool, hasVideo: Bool, videoType: VideoType = .camera,
        videoDimensions: VideoSize? = nil, isVideoOffByFallback: Bool? = nil,
        hasAudioPauses: Bool? = nil
    ) {
        self.name = name
        self.hasAudio = hasAudio
        self.hasVideo = hasVideo
        self.videoType = videoType
        self.videoDimensions = videoDimensions
        self.isVideoOffByFallback = isVideoOffByFallback
        self.hasAudioPauses = hasAudioPauses
    }
}

/// The video that a subscriber wants.
package struct VideoPreference: Sendable, Equatable, Codable {
    /// Whether it wants video at all.
    package var subscribeToVideo: Bool
    /// The largest size that it has a use for; `nil` for no bound.
    ///
    /// Works on streams with several layers.
    package var preferredResolution: VideoSize?
    /// Preferred frame rate, the highest to receive; `nil` for no bound.
    ///
    /// Works on streams with several temporal layers.
    package var preferredFrameRate: Double?

    /// Everything, unless bounded.
    package init(
        subscribeToVideo: Bool = true, preferredResolution: VideoSize? = nil,
        preferredFrameRate: Double? = nil
    ) {
        self.subscribeToVideo = subscribeToVideo
        self.preferredResolution = preferredResolution
        self.preferredFrameRate = preferredFrameRate
    }
}
