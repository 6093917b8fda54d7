// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A participant's network quality: the level, and what it is made of.
///
/// A direction's level is the lowest of its leaves, a medium's the lowest of its directions, the
/// participant's the lowest of all.
public struct NetworkQualityStats: Sendable, Equatable, Codable {
    /// The participant's level.
    public var level: NetworkQualityLevel
    /// Whether nothing is sent nor received: then the level is 5.
    public var isIdle: Bool
    /// Audio; `nil` if there is none, or if a lower verbosity was requested.
    public var audio: NetworkQualityMediaStats?
    /// Video; `nil` if there is none, or if a lower verbosity was requested.
    public var video: NetworkQualityMediaStats?

    /// Creates a quality; unknown unless said otherwise.
    public init(
        level: NetworkQualityLevel = .unknown, isIdle: Bool = false, audio: NetworkQualityMediaStats? = nil,
        video: NetworkQualityMediaStats? = nil
    ) {
        self.level = level
        self.isIdle = isIdle
        self.audio = audio
        self.video = video
    }
}

/// The network quality of audio or of video.
public struct NetworkQualityMediaStats: Sendable, Equatable, Codable {
    /// The lowest of both directions.
    public var level: NetworkQualityLevel
    /// Sent media; `nil` if there is none.
    public var send: NetworkQualityDirectionStats?
    /// Received media; `nil` if there is none.
    public var receive: NetworkQualityDirectionStats?

    /// Creates a medium's quality out of its directions.
    public init(send: NetworkQualityDirectionStats? = nil, receive: NetworkQualityDirectionStats? = nil) {
        level = .lowest([send?.level, receive?.level])
        self.send = send
        self.receive = receive
    }
}

/// The network quality of one direction of audio or of video; a leaf is `nil` without data.
public struct NetworkQualityDirectionStats: Sendable, Equatable, Codable {
    /// The lowest of the leaves.
    public var level: NetworkQualityLevel
    /// Bandwidth, of video only.
    public var bandwidth: Bandwidth?
    /// Round trip time and jitter.
    public var latency: Latency?
    /// Network loss.
    public var fractionLost: FractionLost?

    /// Bandwidth, actual and available.
    public struct Bandwidth: Sendable, Equatable, Codable {
        /// The level of this leaf.
        public var level: NetworkQualityLevel
        /// Actual bitrate, in bps.
        public var actual: Double?
        /// Available bitrate, in bps.
        public var available: Double?

        /// Creates a leaf.
        public init(level: NetworkQualityLevel, actual: Double? = nil, available: Double? = nil) {
            self.level = level
            self.actual = actual
            self.available = available
        }
    }

    /// Latency.
    public struct Latency: Sendable, Equatable, Codable {
        /// The level of this leaf.
        public var level: NetworkQualityLevel
        /// Jitter, in seconds.
        public var jitter: Double?
        /// Round trip time, in seconds.
        public var rtt: Double?

        /// Creates a leaf.
        public init(level: NetworkQualityLevel, jitter: Double? = nil, rtt: Double? = nil) {
            self.level = level
            self.jitter = jitter
            self.rtt = rtt
        }
    }

    /// Network loss.
    public struct FractionLost: Sendable, Equatable, Codable {
        /// The level of this leaf.
        public var level: NetworkQualityLevel
        /// Share of packets lost by the network, `0...1`.
        public var fractionLost: Double?

        /// Creates a leaf.
        public init(level: NetworkQualityLevel, fractionLost: Double? = nil) {
            self.level = level
            self.fractionLost = fractionLost
        }
    }

    /// Creates a direction's quality out of its leaves.
    public init(bandwidth: Bandwidth? = nil, latency: Latency? = nil, fractionLost: FractionLost? = nil) {
        level = .lowest([bandwidth?.level, latency?.level, fractionLost?.level])
        self.bandwidth = bandwidth
        self.latency = latency
        self.fractionLost = fractionLost
    }
}
