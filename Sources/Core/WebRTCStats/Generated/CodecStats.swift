// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// Generated from Scripts/stats-model.txt by Scripts/generate-stats-model.py; edit the table instead.

/// A codec in use on a transport.
///
/// Every member is optional: `nil` says the engine did not report it, `0` says it measured zero.
public struct CodecStats: StatsEntry {
    /// Id of the entry, unique in its report.
    public var id: String

    /// When the values were measured, in Unix milliseconds.
    public var timestamp: Double

    /// RTP payload type.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccodecstats-payloadtype)
    public var payloadType: UInt64?

    /// Id of the `transport` entry the codec is used on.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccodecstats-transportid)
    public var transportId: String?

    /// Media type and subtype, such as `video/VP8`.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccodecstats-mimetype)
    public var mimeType: String?

    /// Media sampling rate (Hz).
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccodecstats-clockrate)
    public var clockRate: UInt64?

    /// Audio channels.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccodecstats-channels)
    public var channels: UInt64?

    /// Format parameters of the negotiated session description.
    ///
    /// [W3C](https://www.w3.org/TR/webrtc-stats/#dom-rtccodecstats-sdpfmtpline)
    public var sdpFmtpLine: String?

    /// Members outside the specification, and members whose value had the wrong type.
    public var extra: [StatsMember] = []

    /// Creates an entry without members.
    public init(id: String, timestamp: Double) {
        self.id = id
        self.timestamp = timestamp
    }
}
