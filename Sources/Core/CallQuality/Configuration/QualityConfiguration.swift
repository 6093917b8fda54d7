// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Every number by which calls are judged; each is a default that can be set.
///
/// In a file only what differs from the defaults need be there; a name that is no setting is an error.
public struct QualityConfiguration: Sendable, Equatable, Codable {
    /// The age beyond which figures from elsewhere count as absent, in seconds.
    public var remoteMetricsMaxAge: Double = 6
    /// How long nothing may arrive of a stream before its subscriber is notified that it is disconnected, in seconds.
    public var disconnectAfterSilence: Double = 3
    /// The network condition.
    public var condition: ConditionRules = ConditionRules()
    /// Video.
    public var video: VideoRules = VideoRules()
    /// The comparison of a router's connections.
    public var comparison: ComparisonRules = ComparisonRules()
    /// What people notice.
    public var experience: ExperienceRules = ExperienceRules()
    /// Opinion scores.
    public var opinionScore: OpinionScoreRules = OpinionScoreRules()
    /// Call quality warnings.
    public var warnings: WarningRules = WarningRules()
    /// Network quality levels.
    public var level: LevelRules = LevelRules()
    /// Video that gives way to audio.
    public var audioFallback: AudioFallbackSettings = AudioFallbackSettings()
    /// The pre-call test.
    public var preCall: PreCallRules = PreCallRules()
    /// Findings about whole calls.
    public var finding: FindingRules = FindingRules()
    /// The score of whole calls.
    public var score: ScoreRules = ScoreRules()

    /// Creates the defaults; warnings are Sinch's, ``WarningRules/sinch``.
    public init() {}

    /// The defaults, but with ``WarningRules/extended``: what the command line and the server judge by.
    public static var extended: QualityConfiguration {
        var configuration = QualityConfiguration()
        configuration.warnings = .extended
        return configuration
    }

    /// Reads settings; what is omitted keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension QualityConfiguration: Settings {
    static let settings: [Setting<QualityConfiguration>] = [
        .number("remoteMetricsMaxAge", \.remoteMetricsMaxAge, .positive, .seconds),
        .number("disconnectAfterSilence", \.disconnectAfterSilence, .positive, .seconds),
        .rules("condition", \.condition),
        .rules("video", \.video),
        .rules("comparison", \.comparison),
        .rules("experience", \.experience),
        .rules("opinionScore", \.opinionScore),
        .rules("warnings", \.warnings),
        .rules("level", \.level),
        .rules("audioFallback", \.audioFallback),
        .rules("preCall", \.preCall),
        .rules("finding", \.finding),
        .rules("score", \.score),
    ]

    /// Makes sure that every value makes sense.
    ///
    /// - Throws: ``QualityConfigurationError`` that names every value that does not.
    public func validate() throws(QualityConfigurationError) { try validate("") }

    /// Reads settings over those that are there; what is omitted stays as it is.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    package mutating func read(from decoder: any Decoder) throws { try update(from: decoder) }
}
