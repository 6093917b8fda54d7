// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The limits of the pre-call test.
public struct PreCallRules: Sendable, Equatable, Codable {
    /// What each picture size needs, at 30 frames per second; largest first, audio alone last.
    public var rows: [PreCallRow] = PreCallRow.defaults
    /// Video is possible with at least this, in bps.
    public var videoBitrate: Double = 150_000
    /// Video is possible with at most this network loss, `0...1`.
    public var videoLoss: Double = 0.03
    /// Audio is possible with at least this, in bps.
    public var audioBitrate: Double = 25_000
    /// Audio is possible with at most this network loss, `0...1`.
    public var audioLoss: Double = 0.05
    /// Longest that the measurement takes, in seconds.
    public var duration: Double = 10
    /// How sure a verdict has to be before the measurement ends early, `0...1`.
    ///
    /// Ours.
    public var confidence: Double = 0.99
    /// Window of the averages, in seconds.
    public var window: Double = 3
    /// A size is recommended if this share of its rate fits into the bandwidth.
    public var headroom: Double = 0.75
    /// The sizes that are recommended, largest first.
    public var sizes: [PreCallSize] = PreCallSize.defaults
    /// The most bandwidth that is looked for, in bps; ours.
    public var bandwidthCeiling: Double = 5_000_000

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

extension PreCallRules: Settings {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case rows, videoBitrate, videoLoss, audioBitrate, audioLoss, duration, confidence, window, headroom,
            sizes,
            bandwidthCeiling
    }

    mutating func update(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.read(&rows, .rows)
        try container.read(&videoBitrate, .videoBitrate)
        try container.read(&videoLoss, .videoLoss)
        try container.read(&audioBitrate, .audioBitrate)
        try container.read(&audioLoss, .audioLoss)
        try container.read(&duration, .duration)
        try container.read(&confidence, .confidence)
        try container.read(&window, .window)
        try container.read(&headroom, .headroom)
        try container.read(&sizes, .sizes)
        try container.read(&bandwidthCeiling, .bandwidthCeiling)
    }

    func check(_ path: String, _ problems: inout [String]) {
        requireFraction(videoLoss, "\(path).videoLoss", &problems)
        requireFraction(audioLoss, "\(path).audioLoss", &problems)
        requireFraction(headroom, "\(path).headroom", &problems)
        requirePositive(videoBitrate, "\(path).videoBitrate", &problems)
        requirePositive(audioBitrate, "\(path).audioBitrate", &problems)
        requirePositive(duration, "\(path).duration", &problems)
        requireFraction(confidence, "\(path).confidence", &problems)
        requirePositive(window, "\(path).window", &problems)
        requirePositive(bandwidthCeiling, "\(path).bandwidthCeiling", &problems)
        for (index, size) in sizes.enumerated() { size.check("\(path).sizes[\(index)]", &problems) }
        for (index, row) in rows.enumerated() { row.check("\(path).rows[\(index)]", &problems) }
    }
}
