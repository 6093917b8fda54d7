// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// A local audio or video source; a member of the other kind stays `nil`.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct MediaSourceStats: StatsEntry {
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// `id` of the media track that is the source.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcmediasourcestats-trackidentifier)
    public var trackIdentifier: String?

    /// Whether the source is audio or video.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcmediasourcestats-kind)
    public var kind: StatsReport.MediaKind?

    /// Level of the source, linear; 1 is 0 dBov (0...1).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudiosourcestats-audiolevel)
    public var audioLevel: Double?

    /// Energy of the source, summed over its samples.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudiosourcestats-totalaudioenergy)
    public var totalAudioEnergy: Double?

    /// Duration of all samples produced (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudiosourcestats-totalsamplesduration)
    public var totalSamplesDuration: Double?

    /// How far below the loudspeaker's signal its echo is (dB).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudiosourcestats-echoreturnloss)
    public var echoReturnLoss: Double?

    /// How much the echo canceller adds to that (dB).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudiosourcestats-echoreturnlossenhancement)
    public var echoReturnLossEnhancement: Double?

    /// Width of the source's last frame (pixels).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcvideosourcestats-width)
    public var width: UInt64?

    /// Height of the source's last frame (pixels).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcvideosourcestats-height)
    public var height: UInt64?

    /// Frames the source produced (frames).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcvideosourcestats-frames)
    public var frames: UInt64?

    /// Frames the source produced in the last second (frames/s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcvideosourcestats-framespersecond)
    public var framesPerSecond: Double?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
