// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The rules of the network quality level.
public struct LevelRules: Sendable, Equatable, Codable {
    /// Round trip time, in seconds: less than this is level 5, 4, 3, 2.
    public var roundTripTime: GradeLimits = GradeLimits(0.1, 0.2, 0.3, 0.5)
    /// Jitter of audio, in seconds: less than this is level 5, 4, 3, 2.
    public var jitter: GradeLimits = GradeLimits(0.01, 0.02, 0.03, 0.06)
    /// Multiplier of the jitter thresholds for video-only streams.
    public var videoJitterFactor: Double = 2
    /// The spread that the sender's pacer gives frames, times this, is taken off their jitter.
    ///
    /// It is a mean over packets, the jitter one over frames, of which the large ones are spread more.
    public var pacingAllowance: Double = 1.15
    /// Network loss, `0...1`: less than this is level 5, 4, 3, 2.
    public var loss: GradeLimits = GradeLimits(0.005, 0.015, 0.03, 0.08)
    /// Available bandwidth divided by what is wanted: at least this is level 5, 4, 3, 2.
    public var coverage: GradeLimits = GradeLimits(1, 0.75, 0.5, 0.25)
    /// A better level is believed after this time, in seconds.
    public var improvement: Double = 3
    /// Worse round trip times that are this far apart are believed at once, in seconds; others when seen
    /// twice in a row.
    public var seldom: Double = 2
    /// The same for jitter, of which one sample says less.
    public var seldomJitter: Double = 4
    /// To be better a figure must be this far beyond its limit, as a share.
    public var bandDistance: Double = 0.2

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

extension LevelRules: Settings {
    static let settings: [Setting<LevelRules>] = [
        .rules("roundTripTime", \.roundTripTime, .seconds),
        .rules("jitter", \.jitter, .seconds),
        .number("videoJitterFactor", \.videoJitterFactor, .positive, .factor),
        .number("pacingAllowance", \.pacingAllowance, .notNegative, .factor),
        .rules("loss", \.loss, .share),
        .rules("coverage", \.coverage, .ratio),
        .number("improvement", \.improvement, .notNegative, .seconds),
        .number("seldom", \.seldom, .positive, .seconds),
        .number("seldomJitter", \.seldomJitter, .positive, .seconds),
        .number("bandDistance", \.bandDistance, .fraction, .share),
    ]
}
