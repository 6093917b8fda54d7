// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The rules about video.
public struct VideoRules: Sendable, Equatable, Codable {
    /// More than this since the last frame is a pause, in seconds.
    public var pause: Double = 5
    /// So long without a frame that was due is an interruption, in seconds.
    public var interruption: Double = 5
    /// A limit of a published video must last this long to be believed, and its end too, in seconds.
    public var patience: Double = 2
    /// A published video that was never unlimited is still starting for so long, in seconds.
    public var start: Double = 10
    /// A frame that has been due for so long is visibly missing, in seconds.
    public var visibleGap: Double = 1
    /// A layer below this share of its wanted frame rate does not get what it wants.
    public var sufficientFrameRate: Double = 0.8
    /// A layer below this share of its wanted pixels does not get what it wants.
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
        .number("patience", \.patience, .notNegative, .seconds),
        .number("start", \.start, .notNegative, .seconds),
        .number("visibleGap", \.visibleGap, .positive, .seconds),
        .number("sufficientFrameRate", \.sufficientFrameRate, .fraction, .share),
        .number("sufficientPixels", \.sufficientPixels, .fraction, .share),
        .number("collapsedFrameRate", \.collapsedFrameRate, .fraction, .share),
    ]
}
