// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The rules of the network quality level.
public struct LevelRules: Sendable, Equatable, Codable {
    /// Round trip time, in seconds: less than this is level 5, 4, 3, 2.
    public var roundTripTime: GradeLimits = GradeLimits(0.1, 0.2, 0.3, 0.5)
    /// Jitter of audio, in seconds: less than this is level 5, 4, 3, 2.
    public var jitter: GradeLimits = GradeLimits(0.01, 0.02, 0.03, 0.06)
    /// By what the limits of jitter are multiplied where there is only video.
    public var videoJitterFactor: Double = 2
    /// By what the spread that the sender's pacer gives pictures is multiplied before it is taken off their jitter: it is a
    /// mean over packets, the jitter one over pictures, of which the large ones are spread more.
    public var pacingAllowance: Double = 1.15
    /// Network loss, `0...1`: less than this is level 5, 4, 3, 2.
    public var loss: GradeLimits = GradeLimits(0.005, 0.015, 0.03, 0.08)
    /// Available bandwidth divided by what is wanted: at least this is level 5, 4, 3, 2.
    public var coverage: GradeLimits = GradeLimits(1, 0.75, 0.5, 0.25)
    /// A better level is believed after this time, in seconds.
    public var improvement: Double = 3
    /// Worse round trip times that are this far apart are believed at once, in seconds; others when seen twice in a row.
    public var seldom: Double = 2
    /// The same for jitter, of which one sample says less.
    public var seldomJitter: Double = 4
    /// To be better a figure must be this far beyond its limit, as a share.
    public var bandDistance: Double = 0.2

    /// Creates the defaults.
    public init() {}

    /// Reads settings; what is left out keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension LevelRules: Settings {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case roundTripTime, jitter, videoJitterFactor, pacingAllowance, loss, coverage, improvement, seldom,
            seldomJitter,
            bandDistance
    }

    mutating func update(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.read(&roundTripTime, .roundTripTime)
        try container.read(&jitter, .jitter)
        try container.read(&videoJitterFactor, .videoJitterFactor)
        try container.read(&pacingAllowance, .pacingAllowance)
        try container.read(&loss, .loss)
        try container.read(&coverage, .coverage)
        try container.read(&improvement, .improvement)
        try container.read(&seldom, .seldom)
        try container.read(&seldomJitter, .seldomJitter)
        try container.read(&bandDistance, .bandDistance)
    }

    func check(_ path: String, _ problems: inout [String]) {
        roundTripTime.check("\(path).roundTripTime", &problems)
        jitter.check("\(path).jitter", &problems)
        loss.check("\(path).loss", &problems)
        coverage.check("\(path).coverage", &problems)
        requirePositive(videoJitterFactor, "\(path).videoJitterFactor", &problems)
        requireNotNegative(pacingAllowance, "\(path).pacingAllowance", &problems)
        requireNotNegative(improvement, "\(path).improvement", &problems)
        requirePositive(seldom, "\(path).seldom", &problems)
        requirePositive(seldomJitter, "\(path).seldomJitter", &problems)
        requireFraction(bandDistance, "\(path).bandDistance", &problems)
    }
}
