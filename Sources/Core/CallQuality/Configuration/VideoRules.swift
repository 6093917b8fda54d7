// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The rules about video.
public struct VideoRules: Sendable, Equatable, Codable {
    /// More than this since the last frame is a pause, in seconds.
    public var pause: Double = 5
    /// Time without an expected frame that is an interruption, in seconds.
    public var interruption: Double = 5
    /// How long a quality limitation of published video, or its end, must persist to be reported, in seconds.
    public var confirmationTime: Double = 2
    /// How long published video that was never unlimited counts as starting, in seconds.
    public var start: Double = 10
    /// How long a frame must be overdue to be visibly missing, in seconds.
    public var visibleGap: Double = 1
    /// A layer below this share of its intended frame rate is limited.
    public var sufficientFrameRate: Double = 0.8
    /// A layer below this share of its intended pixels is limited.
    public var sufficientPixels: Double = 0.95
    /// A frame rate below this share of what the sender sends is visibly impaired.
    public var collapsedFrameRate: Double = 0.5

    /// Creates the defaults.
    public init() {}

    /// Reads settings; what is omitted keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension VideoRules: Settings {
    static let settings: [Setting<VideoRules>] = [
        .number("pause", \.pause, .positive, .seconds),
        .number("interruption", \.interruption, .positive, .seconds),
        .number("confirmationTime", \.confirmationTime, .notNegative, .seconds),
        .number("start", \.start, .notNegative, .seconds),
        .number("visibleGap", \.visibleGap, .positive, .seconds),
        .number("sufficientFrameRate", \.sufficientFrameRate, .fraction, .share),
        .number("sufficientPixels", \.sufficientPixels, .fraction, .share),
        .number("collapsedFrameRate", \.collapsedFrameRate, .fraction, .share),
    ]
}
