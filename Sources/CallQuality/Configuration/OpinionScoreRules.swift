// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The constants of the opinion scores (E-model for sound, a rate model for pictures).
public struct OpinionScoreRules: Sendable, Equatable, Codable {
    /// Delay that is added to half the round trip time and the jitter buffer, in seconds.
    public var fixedDelay: Double = 0.02
    /// Impairment per millisecond of delay.
    public var delayFactor: Double = 0.024
    /// Delay from which impairment grows faster, in ms.
    public var longDelay: Double = 177.3
    /// Additional impairment per millisecond beyond ``longDelay``.
    public var longDelayFactor: Double = 0.11
    /// Scale of the impairment by concealed sound.
    public var concealmentScale: Double = 19.8
    /// Steepness of the impairment by concealed sound.
    public var concealmentFactor: Double = 29.7
    /// Rating without any impairment.
    public var bestRating: Double = 93.2
    /// Rate at which a picture is worth 1, in bps.
    public var lowestVideoBitrate: Double = 30_000

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

extension OpinionScoreRules: Settings {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case fixedDelay, delayFactor, longDelay, longDelayFactor, concealmentScale, concealmentFactor,
            bestRating, lowestVideoBitrate
    }

    mutating func update(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.read(&fixedDelay, .fixedDelay)
        try container.read(&delayFactor, .delayFactor)
        try container.read(&longDelay, .longDelay)
        try container.read(&longDelayFactor, .longDelayFactor)
        try container.read(&concealmentScale, .concealmentScale)
        try container.read(&concealmentFactor, .concealmentFactor)
        try container.read(&bestRating, .bestRating)
        try container.read(&lowestVideoBitrate, .lowestVideoBitrate)
    }

    func check(_ path: String, _ problems: inout [String]) {
        requireNotNegative(fixedDelay, "\(path).fixedDelay", &problems)
        requireNotNegative(delayFactor, "\(path).delayFactor", &problems)
        requireNotNegative(longDelay, "\(path).longDelay", &problems)
        requireNotNegative(longDelayFactor, "\(path).longDelayFactor", &problems)
        requireNotNegative(concealmentScale, "\(path).concealmentScale", &problems)
        requirePositive(bestRating, "\(path).bestRating", &problems)
        requirePositive(lowestVideoBitrate, "\(path).lowestVideoBitrate", &problems)
        requirePositive(concealmentFactor, "\(path).concealmentFactor", &problems)
    }
}
