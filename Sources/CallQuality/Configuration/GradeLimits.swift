// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Four limits between five grades, 5 the best and 1 the worst.
///
/// Of figures where less is better each grade lies below its limit, with the limits ascending; of figures where more is
/// better it lies at or above, with the limits descending.
public struct GradeLimits: Sendable, Equatable, Codable {
    /// The limit of grade 5.
    public var excellent: Double = 0
    /// The limit of grade 4.
    public var good: Double = 0
    /// The limit of grade 3.
    public var fair: Double = 0
    /// The limit of grade 2.
    public var poor: Double = 0

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

extension GradeLimits: Settings {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case excellent, good, fair, poor
    }

    mutating func update(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.read(&excellent, .excellent)
        try container.read(&good, .good)
        try container.read(&fair, .fair)
        try container.read(&poor, .poor)
    }

    func check(_ path: String, _ problems: inout [String]) {
        requireMonotone([excellent, good, fair, poor], path, &problems)
    }
}
