// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StatsReport {
    /// Whether a stream or source is audio or video.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct MediaKind: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Audio.
        public static let audio = Self(rawValue: "audio")
        /// Video.
        public static let video = Self(rawValue: "video")
    }
}

extension OutboundRTPStats {
    /// What keeps an encoder below the resolution or frame rate of its source.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct QualityLimitationReason: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing does (`none` on the wire, which Swift would read as a missing value).
        public static let notLimited = Self(rawValue: "none")
        /// The processor is too slow.
        public static let cpu = Self(rawValue: "cpu")
        /// The network estimate is too low.
        public static let bandwidth = Self(rawValue: "bandwidth")
        /// Something else does.
        public static let other = Self(rawValue: "other")
    }
}

extension DataChannelStats {
    /// State of a data channel.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct State: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Being set up.
        public static let connecting = Self(rawValue: "connecting")
        /// Ready to send.
        public static let open = Self(rawValue: "open")
        /// Being taken down.
        public static let closing = Self(rawValue: "closing")
        /// Gone or never set up.
        public static let closed = Self(rawValue: "closed")
    }
}
