// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// The play-out path of received audio.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct MediaPlayoutStats: StatsEntry {
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// Always audio today.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudioplayoutstats-kind)
    public var kind: StatsReport.MediaKind?

    /// Duration of samples synthesised because play-out ran dry (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudioplayoutstats-synthesizedsamplesduration)
    public var synthesizedSamplesDuration: Double?

    /// Times play-out ran dry.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudioplayoutstats-synthesizedsamplesevents)
    public var synthesizedSamplesEvents: UInt64?

    /// Duration of all samples played, synthesised ones included (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudioplayoutstats-totalsamplesduration)
    public var totalSamplesDuration: Double?

    /// Sum of the samples' delays from hand-over to being heard (s).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudioplayoutstats-totalplayoutdelay)
    public var totalPlayoutDelay: Double?

    /// Samples played, synthesised ones included (samples).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtcaudioplayoutstats-totalsamplescount)
    public var totalSamplesCount: UInt64?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
