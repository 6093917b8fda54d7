// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Four thresholds between five grades, 5 the best and 1 the worst.
///
/// Of figures where less is better each grade lies below its threshold, with the thresholds ascending; of
/// figures where more is better it lies at or above, with the thresholds descending.
public struct GradeThresholds: Sendable, Equatable, Codable {
    /// The threshold of grade 5.
    public var excellent: Double = 0
    /// The threshold of grade 4.
    public var good: Double = 0
    /// The threshold of grade 3.
    public var fair: Double = 0
    /// The threshold of grade 2.
    public var warning: Double = 0

    /// Thresholds of zero, to be set.
    init() {}

    /// Reads settings; what is omitted keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension GradeThresholds: Settings {
    static let settings: [Setting<GradeThresholds>] = [
        .value("excellent", \.excellent),
        .value("good", \.good),
        .value("fair", \.fair),
        .value("warning", \.warning),
    ]

    func check(_ path: String, _ problems: inout [String]) {
        let values = [excellent, good, fair, warning]
        let pairs = zip(values, values.dropFirst())
        let isMonotone = pairs.allSatisfy { $0 < $1 } || pairs.allSatisfy { $0 > $1 }
        if !isMonotone || values.contains(where: { !$0.isFinite || $0 < 0 }) {
            problems.append("\(path) must have four thresholds that all rise or all fall, not \(values)")
        }
    }
}
