// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// How a call's seconds become one score of 0 to 100.
///
/// A part is 100 times the share of its seconds that were not spoilt; a second costs what its severity says. The whole
/// is the mean of the parts that there are, each with its weight.
public struct ScoreRules: Sendable, Equatable, Codable {
    /// Weight of the audio; a ratio to the other weights, which need not add up to 1.
    public var audio: Double = 0.5
    /// Weight of the video, in the same way.
    public var video: Double = 0.3
    /// Weight of the connectivity, in the same way.
    public var connectivity: Double = 0.2
    /// What a noticeable second costs, `0...1`.
    public var noticeable: Double = 0.2
    /// What a disturbing second costs, `0...1`.
    public var disturbing: Double = 0.5
    /// What a bad second costs, `0...1`.
    public var bad: Double = 0.8
    /// What an unusable second costs, `0...1`; also one without a connection.
    public var unusable: Double = 1
    /// Time to connect that costs nothing, seconds.
    public var connectDelayThreshold: Double = 3
    /// Longest time that one report stands for, seconds.
    public var longestReport: Double = 10

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

extension ScoreRules: Settings {
    static let settings: [Setting<ScoreRules>] = [
        .number("audio", \.audio, .notNegative, .ratio),
        .number("video", \.video, .notNegative, .ratio),
        .number("connectivity", \.connectivity, .notNegative, .ratio),
        .number("noticeable", \.noticeable, .fraction, .share),
        .number("disturbing", \.disturbing, .fraction, .share),
        .number("bad", \.bad, .fraction, .share),
        .number("unusable", \.unusable, .fraction, .share),
        .number("connectDelayThreshold", \.connectDelayThreshold, .notNegative, .seconds),
        .number("longestReport", \.longestReport, .positive, .seconds),
    ]
}
