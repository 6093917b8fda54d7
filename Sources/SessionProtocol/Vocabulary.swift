// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Which way media takes in a session.
public enum MediaMode: String, Sendable, Codable, CaseIterable {
    /// Through the media router.
    case routed
    /// From client to client.
    case relayed
    /// From client to client while there are two, through the media router from three on.
    case adaptive
}

/// What a token allows.
public enum Role: String, Sendable, Codable, CaseIterable {
    /// To subscribe.
    case subscriber
    /// To subscribe and publish.
    case publisher
    /// Everything, and to end others' streams and connections.
    case moderator

    /// Whether the role may publish.
    public var canPublish: Bool { self != .subscriber }
}

/// A client in a session.
public struct ConnectionDescription: Sendable, Equatable, Codable {
    /// The server's name for it.
    public var id: String
    /// What its token calls the person or device; `nil` if the token does not.
    public var name: String?
    /// When it joined, Unix ms.
    public var creationTime: Double

    /// Describes a connection.
    public init(id: String, name: String?, creationTime: Double) {
        self.id = id
        self.name = name
        self.creationTime = creationTime
    }
}

/// A stream in a session.
public struct StreamDescription: Sendable, Equatable, Codable {
    /// The server's name for it.
    public var id: String
    /// The connection that publishes it.
    public var connection: ConnectionDescription
    /// When it was published, Unix ms.
    public var creationTime: Double
    /// What its publisher says of it.
    public var content: StreamContent
    /// Whether its publisher lets subscribers see its own figures.
    public var senderStatsTrack: Bool

    /// Describes a stream.
    public init(
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

/// What a publisher says of its stream.
public struct StreamContent: Sendable, Equatable, Codable {
    /// The publisher's name for it.
    public var name: String?
    /// Whether it has audio now.
    public var hasAudio: Bool
    /// Whether it has video now.
    public var hasVideo: Bool
    /// Where its pictures come from.
    public var videoType: VideoType
    /// Size of its pictures before any is made smaller; `nil` without video.
    public var videoDimensions: Dimensions?
    /// It has no video because the publisher's uplink does not carry it beside the audio; `nil` is no.
    public var isVideoOffByFallback: Bool?

    /// Describes a stream's content.
    public init(
        name: String? = nil, hasAudio: Bool, hasVideo: Bool, videoType: VideoType = .camera,
        videoDimensions: Dimensions? = nil, isVideoOffByFallback: Bool? = nil
    ) {
        self.name = name
        self.hasAudio = hasAudio
        self.hasVideo = hasVideo
        self.videoType = videoType
        self.videoDimensions = videoDimensions
        self.isVideoOffByFallback = isVideoOffByFallback
    }
}

/// A size in pixels.
public struct Dimensions: Sendable, Hashable, Codable {
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int

    /// Makes a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// A STUN or TURN server for clients.
public struct ICEServerDescription: Sendable, Equatable, Codable {
    /// Such as `turn:host:port?transport=udp`.
    public var urls: [String]
    /// Only TURN servers want one.
    public var username: String?
    /// The password that belongs to ``username``.
    public var credential: String?

    /// Names a server.
    public init(urls: [String], username: String? = nil, credential: String? = nil) {
        self.urls = urls
        self.username = username
        self.credential = credential
    }
}

/// Which video a subscriber asks for.
public struct VideoPreference: Sendable, Equatable, Codable {
    /// Whether it wants video at all.
    public var subscribeToVideo: Bool
    /// The largest size that it has a use for; `nil` for no bound.
    ///
    /// Works on streams with several layers.
    public var preferredResolution: Dimensions?
    /// The most pictures a second that it has a use for; `nil` for no bound.
    ///
    /// Works on streams with several temporal layers.
    public var preferredFrameRate: Double?

    /// Everything, unless bounded.
    public init(
        subscribeToVideo: Bool = true, preferredResolution: Dimensions? = nil,
        preferredFrameRate: Double? = nil
    ) {
        self.subscribeToVideo = subscribeToVideo
        self.preferredResolution = preferredResolution
        self.preferredFrameRate = preferredFrameRate
    }
}
