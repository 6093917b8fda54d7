// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How a client judges one leg: what is wrong, where, whose and how badly.
public struct TelemetryDiagnosis: Sendable, Hashable, Codable {
    /// Name of the cause, such as `packetLoss`.
    public var cause: String
    /// `uplink`, `downlink` or `both`; `nil` where that makes no sense.
    public var direction: String?
    /// Whose side it is, for subscribers; `nil` for publishers.
    public var side: String?
    /// 1 noticeable to 4 unusable; `nil` while nothing is wrong or nothing is known.
    public var severity: Int?

    /// Makes a diagnosis.
    public init(cause: String, direction: String? = nil, side: String? = nil, severity: Int? = nil) {
        self.cause = cause
        self.direction = direction
        self.side = side
        self.severity = severity
    }
}

/// Something that a tick caused: a condition or a quality that changed, a warning.
public struct TelemetryOccurrence: Sendable, Hashable, Codable {
    /// Name of the callback: `networkConditionChanged`, `videoQualityChanged` or `callQuality`, and nothing else.
    public var type: String
    /// Which warning, or why the quality or condition changed.
    public var reason: String
    /// `trigger` or `recover`; `nil` for what has no end.
    public var phase: String?
    /// Whether it tells of something bad.
    public var isAlarm: Bool
    /// `audio` or `video`; `nil` where that makes no sense.
    public var media: String?
    /// `inbound` or `outbound`; `nil` where that makes no sense.
    public var direction: String?
    /// Whose condition changed; `nil` for anything else.
    public var side: String?
    /// The condition before; `nil` for anything else.
    public var from: String?
    /// The condition now; `nil` for anything else.
    public var to: String?

    /// Most of them in one sample.
    public static let limit = 64

    /// Makes an occurrence.
    public init(
        type: String, reason: String, phase: String? = nil, isAlarm: Bool, media: String? = nil,
        direction: String? = nil, side: String? = nil, from: String? = nil, to: String? = nil
    ) {
        self.type = type
        self.reason = reason
        self.phase = phase
        self.isAlarm = isAlarm
        self.media = media
        self.direction = direction
        self.side = side
        self.from = from
        self.to = to
    }
}
