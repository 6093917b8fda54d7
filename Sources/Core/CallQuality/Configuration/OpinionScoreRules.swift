// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The constants of the opinion scores (E-model for audio, a rate model for video).
public struct OpinionScoreRules: Sendable, Equatable, Codable {
    /// Delay that is added to half the round trip time and the jitter buffer, in seconds.
    public var fixedDelay: Double = 0.02
    /// Impairment per millisecond of delay.
    public var delayFactor: Double = 0.024
    /// Delay from which impairment grows faster, in ms.
    public var longDelay: Double = 177.3
    /// Additional impairment per millisecond beyond ``longDelay``.
    public var longDelayFactor: Double = 0.11
    /// Scale of the impairment by concealed audio.
    public var concealmentScale: Double = 19.8
    /// Steepness of the impairment by concealed audio.
    public var concealmentFactor: Double = 29.7
    /// Rating without any impairment.
    public var bestRating: Double = 93.2
    /// Rate at which video scores 1, in bps.
    public var lowestVideoBitrate: Double = 30_000

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

extension OpinionScoreRules: Settings {
    static let settings: [Setting<OpinionScoreRules>] = [
        .number("fixedDelay", \.fixedDelay, .notNegative, .seconds),
        .number("delayFactor", \.delayFactor, .notNegative, .perMillisecond),
        .number("longDelay", \.longDelay, .notNegative, .milliseconds),
        .number("longDelayFactor", \.longDelayFactor, .notNegative, .perMillisecond),
        .number("concealmentScale", \.concealmentScale, .notNegative),
        .number("concealmentFactor", \.concealmentFactor, .positive),
        .number("bestRating", \.bestRating, .positive),
        .number("lowestVideoBitrate", \.lowestVideoBitrate, .positive, .bitsPerSecond),
    ]
}
