// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The limits of the pre-call test.
public struct PreCallRules: Sendable, Equatable, Codable {
    /// Requirements of each resolution, at 30 frames per second; largest first, audio alone last.
    public var resolutionRequirements: [ResolutionRequirement] = ResolutionRequirement.defaults
    /// Video is possible with at least this, in bps.
    public var videoBitrate: Double = 150_000
    /// Video is possible with at most this network loss, `0...1`.
    public var videoLoss: Double = 0.03
    /// Audio is possible with at least this, in bps.
    public var audioBitrate: Double = 25_000
    /// Audio is possible with at most this network loss, `0...1`.
    public var audioLoss: Double = 0.05
    /// Maximum duration of the measurement, in seconds.
    ///
    /// The whole test takes five seconds more at most, and fifteen where this is less than ten; more than 100
    /// is 100.
    public var duration: Double = 10
    /// Confidence of a verdict at which the measurement ends early, `0...1`; ours.
    public var confidence: Double = 0.99
    /// Window of the averages, in seconds.
    public var window: Double = 3
    /// A resolution is recommended if this share of its bitrate fits into the bandwidth.
    public var headroom: Double = 0.75
    /// The resolutions to recommend from, largest first.
    public var recommendedResolutions: [RecommendedResolution] = RecommendedResolution.defaults
    /// Maximum bandwidth to measure, in bps; ours.
    public var bandwidthCeiling: Double = 5_000_000

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

extension PreCallRules: Settings {
    static let settings: [Setting<PreCallRules>] = [
        .list("resolutionRequirements", \.resolutionRequirements),
        .number("videoBitrate", \.videoBitrate, .positive, .bitsPerSecond),
        .number("videoLoss", \.videoLoss, .fraction, .share),
        .number("audioBitrate", \.audioBitrate, .positive, .bitsPerSecond),
        .number("audioLoss", \.audioLoss, .fraction, .share),
        .number("duration", \.duration, .positive, .seconds),
        .number("confidence", \.confidence, .fraction, .share),
        .number("window", \.window, .positive, .seconds),
        .number("headroom", \.headroom, .fraction, .share),
        .list("recommendedResolutions", \.recommendedResolutions),
        .number("bandwidthCeiling", \.bandwidthCeiling, .positive, .bitsPerSecond),
    ]

    /// Makes sure that every value makes sense.
    ///
    /// - Throws: ``QualityConfigurationError`` that names every value that does not.
    public func validate() throws(QualityConfigurationError) { try validate("preCall") }
}
