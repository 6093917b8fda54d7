// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What one picture size needs in the pre-call test.
public struct PreCallRow: Sendable, Equatable, Codable {
    /// Width in pixels; `0` for audio alone.
    public var width: Int = 0
    /// Height in pixels; `0` for audio alone.
    public var height: Int = 0
    /// More than this is excellent, in bps.
    public var excellentBitrate: Double = 0
    /// Less than this is excellent, `0...1`.
    public var excellentLoss: Double = 0
    /// More than this is acceptable, in bps.
    public var acceptableBitrate: Double = 0
    /// Less than this is acceptable, `0...1`.
    public var acceptableLoss: Double = 0

    /// Limits of zero, to be set.
    init() {}

    /// Reads settings; what is left out keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension PreCallRow: Settings {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case width, height, excellentBitrate, excellentLoss, acceptableBitrate, acceptableLoss
    }

    mutating func update(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.read(&width, .width)
        try container.read(&height, .height)
        try container.read(&excellentBitrate, .excellentBitrate)
        try container.read(&excellentLoss, .excellentLoss)
        try container.read(&acceptableBitrate, .acceptableBitrate)
        try container.read(&acceptableLoss, .acceptableLoss)
    }

    func check(_ path: String, _ problems: inout [String]) {
        requireFraction(excellentLoss, "\(path).excellentLoss", &problems)
        requireFraction(acceptableLoss, "\(path).acceptableLoss", &problems)
        requirePositive(excellentBitrate, "\(path).excellentBitrate", &problems)
        requirePositive(acceptableBitrate, "\(path).acceptableBitrate", &problems)
    }
}
