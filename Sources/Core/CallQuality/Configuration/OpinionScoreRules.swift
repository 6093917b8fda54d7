// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The constants of the opinion scores (E-model for audio, a parametric model for video).
public struct OpinionScoreRules: Sendable, Equatable, Codable {
    /// Delay that is added to half the round trip time and the jitter buffer, in seconds.
    public var fixedDelay: Double = 0.02
    /// Impairment per millisecond of delay.
    public var delayFactor: Double = 0.024
    /// Delay from which impairment grows faster, in ms.
    public var longDelay: Double = 177.3
    /// Additional impairment per millisecond beyond ``longDelay``.
    public var longDelayFactor: Double = 0.11
    /// Scale of the impairment by missing audio: what all of it missing would be, without bounds.
    public var worstConcealment: Double = 200
    /// Percent of missing audio at which half of that is reached: what G.107 calls packet-loss robustness.
    public var concealmentRobustness: Double = 28
    /// Rating without any impairment, of Opus at its usual rates.
    public var bestRating: Double = 93.2
    /// Impairment by video of the coarsest quantization.
    public var quantizerFactor: Double = 1.04
    /// How much faster it grows with coarse quantization than with fine.
    public var quantizerGrowth: Double = 4.2
    /// Scale of the impairment by enlarged video.
    public var upscalingFactor: Double = 68
    /// Steepness of the impairment by enlarged video.
    public var upscalingGrowth: Double = 0.35
    /// Frame rate from which on movement is smooth.
    public var smoothFrameRate: Double = 24
    /// Impairment by a frame rate of next to nothing.
    public var frameRateFactor: Double = 47
    /// Frame rate at which impairment by missing frames is halved once more.
    public var halfFrameRate: Double = 64.65
    /// How much more than its share of the time frozen video counts: the exponent of the share that is not frozen.
    public var frozenExponent: Double = 0.41
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
        .number("worstConcealment", \.worstConcealment, .notNegative),
        .number("concealmentRobustness", \.concealmentRobustness, .positive),
        .number("bestRating", \.bestRating, .positive),
        .number("quantizerFactor", \.quantizerFactor, .notNegative),
        .number("quantizerGrowth", \.quantizerGrowth, .positive),
        .number("upscalingFactor", \.upscalingFactor, .notNegative),
        .number("upscalingGrowth", \.upscalingGrowth, .notNegative),
        .number("smoothFrameRate", \.smoothFrameRate, .positive),
        .number("frameRateFactor", \.frameRateFactor, .notNegative),
        .number("halfFrameRate", \.halfFrameRate, .positive),
        .number("frozenExponent", \.frozenExponent, .positive),
        .number("lowestVideoBitrate", \.lowestVideoBitrate, .positive, .bitsPerSecond),
    ]
}
