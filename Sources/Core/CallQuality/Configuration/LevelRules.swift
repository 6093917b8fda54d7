// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The rules of the network quality level.
public struct LevelRules: Sendable, Equatable, Codable {
    /// Round trip time, in seconds: below these is level 5, 4, 3, 2.
    public var roundTripTime: GradeThresholds = GradeThresholds(0.1, 0.2, 0.3, 0.5)
    /// Jitter of audio, in seconds: below these is level 5, 4, 3, 2.
    public var jitter: GradeThresholds = GradeThresholds(0.01, 0.02, 0.03, 0.06)
    /// Multiplier of the jitter thresholds for video-only streams.
    public var videoJitterFactor: Double = 2
    /// Multiplier of the pacer's spread of a frame that is subtracted from video jitter.
    ///
    /// The spread is a mean over packets, the jitter one over frames, of which the large ones are spread
    /// more.
    public var pacingAllowance: Double = 1.15
    /// Network loss, `0...1`: below these is level 5, 4, 3, 2.
    public var loss: GradeThresholds = GradeThresholds(0.005, 0.015, 0.03, 0.08)
    /// Available bandwidth divided by demand: from these on it is level 5, 4, 3, 2.
    public var coverage: GradeThresholds = GradeThresholds(1, 0.75, 0.5, 0.25)
    /// How long a better level must persist before it is accepted, in seconds.
    public var upgradeDelay: Double = 3
    /// Worse round trip times this far apart are accepted at once, in seconds; others when measured
    /// twice in a row.
    public var sparseSampleInterval: Double = 2
    /// The same for jitter, of which one sample is less reliable.
    public var sparseJitterInterval: Double = 4
    /// How far beyond its threshold a figure must be to be upgraded, as a share.
    public var hysteresis: Double = 0.2

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
        .number("upgradeDelay", \.upgradeDelay, .notNegative, .seconds),
        .number("sparseSampleInterval", \.sparseSampleInterval, .positive, .seconds),
        .number("sparseJitterInterval", \.sparseJitterInterval, .positive, .seconds),
        .number("hysteresis", \.hysteresis, .fraction, .share),
    ]
}
