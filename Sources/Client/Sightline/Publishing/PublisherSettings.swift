// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// What a publisher sends, and how.
public struct PublisherSettings: Sendable {
    /// Where pictures come from.
    public enum VideoInput: Sendable {
        /// A moving picture of the settings' resolution and frame rate; of a screen if that is the video's
        /// type.
        case testCard
        /// A Y4M file, played in a loop; resolution and frame rate are the file's.
        case file(path: String)
        /// A source of the app's own, made by the session's media engine.
        case source(any VideoSource)
    }

    /// Where sound comes from.
    public enum AudioInput: Sendable {
        /// Sound made up by the media engine, or a file.
        case content(AudioContent)
        /// A source of the app's own, made by the session's media engine.
        case source(any AudioSource)
    }

    /// A codec for video.
    ///
    /// Open: an engine may have more.
    public struct VideoCodec: RawRepresentable, Hashable, Sendable {
        /// The name in SDP.
        public let rawValue: String
        /// Names a codec.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// VP8, which every endpoint has.
        public static let vp8 = VideoCodec(rawValue: "VP8")
        /// H.264.
        public static let h264 = VideoCodec(rawValue: "H264")
        /// VP9; the media router does not pass it on.
        public static let vp9 = VideoCodec(rawValue: "VP9")
    }

    /// What others see as the stream's name, at most 128 bytes; `nil` for none.
    public var name: String?
    /// Where pictures come from; `nil` for a stream without video.
    public var video: VideoInput? = .testCard
    /// Where sound comes from; `nil` for a stream without audio.
    public var audio: AudioInput? = .content(.speech(seed: 1))
    /// Size of the pictures in pixels, 16 to 4096 in both directions; sources of the app's own and files have
    /// theirs.
    public var resolution = VideoSize(width: 640, height: 360)
    /// Pictures a second, 0.1 to 120.
    public var frameRate = 30.0
    /// The codec of the video.
    public var videoCodec = VideoCodec.vp8
    /// The layers of the video.
    public var simulcast = Simulcast.automatic
    /// What the video shows.
    public var videoType = VideoType.camera
    /// Whether subscribers may see this publisher's own figures.
    ///
    /// Off.
    public var senderStatsTrack = false
    /// Whether the router may switch a subscriber's video off to save its audio; routed sessions only.
    ///
    /// On.
    public var subscriberAudioFallbackEnabled = true
    /// Whether this publisher's video is switched off to save its audio when its own uplink is too small for both.
    ///
    /// Off.
    public var publisherAudioFallbackEnabled = false
    /// An older name of ``subscriberAudioFallbackEnabled``.
    public var audioFallbackEnabled: Bool {
        get { subscriberAudioFallbackEnabled }
        set { subscriberAudioFallbackEnabled = newValue }
    }
    /// Whether audio is sent from the beginning; ``Publisher/publishAudio`` changes it.
    public var publishAudio = true
    /// Whether video is sent from the beginning; ``Publisher/publishVideo`` changes it.
    public var publishVideo = true
    /// Sends next to nothing in pauses of speech.
    ///
    /// Off.
    public var usesDiscontinuousTransmission = false
    /// Bandwidth that the uplink is assumed to have at first, bps; `nil` for what the layers need together.
    ///
    /// The engine's own assumption would keep large pictures small for many seconds.
    public var startBitrate: Int?
    /// Most bandwidth that may be used, bps; `nil` for no bound.
    public var maximumBitrate: Int?
    /// What gives way when bandwidth or CPU is short; `nil` for the engine's choice.
    public var degradation: DegradationPreference?
    /// A bad network to emulate, from the beginning; needs an engine that can.
    ///
    /// Say a perfect one to be able to change it later by ``Publisher/setNetworkConditions(_:)``. `nil`
    /// leaves the real network alone.
    public var networkConditions: NetworkConditions?

    /// The defaults: a moving test card of 640x360 at 30 frames a second, and speech.
    public init() {}
}
