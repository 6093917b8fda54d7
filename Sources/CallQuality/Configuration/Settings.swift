// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Settings that can be changed in part, and can say what is wrong with them.
protocol Settings {
    /// Takes over what the decoder has and leaves the rest alone.
    mutating func update(from decoder: any Decoder) throws

    /// Adds a sentence for each value that makes no sense; the path names the settings in it.
    func check(_ path: String, _ problems: inout [String])
}

extension Settings {
    func requirePositive(_ value: Double, _ name: String, _ problems: inout [String]) {
        if !(value.isFinite && value > 0) { problems.append("\(name) must be above 0, not \(value)") }
    }

    func requireNotNegative(_ value: Double, _ name: String, _ problems: inout [String]) {
        if !(value.isFinite && value >= 0) { problems.append("\(name) must not be below 0, not \(value)") }
    }

    func requireFraction(_ value: Double, _ name: String, _ problems: inout [String]) {
        if !(value >= 0 && value <= 1) { problems.append("\(name) must be between 0 and 1, not \(value)") }
    }

    func requireMonotone(_ values: [Double], _ name: String, _ problems: inout [String]) {
        let pairs = zip(values, values.dropFirst())
        let isMonotone = pairs.allSatisfy { $0 < $1 } || pairs.allSatisfy { $0 > $1 }
        if !isMonotone || values.contains(where: { !$0.isFinite || $0 < 0 }) {
            problems.append("\(name) must have four limits that all rise or all fall, not \(values)")
        }
    }
}

/// Settings that make no sense.
public struct QualityConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, a sentence for each value.
    public var problems: [String]

    /// All problems, one a line.
    public var description: String { problems.joined(separator: "\n") }
}

extension QualityConfiguration {
    /// Makes sure that every value makes sense.
    ///
    /// - Throws: ``QualityConfigurationError`` that names every value that does not.
    public func validate() throws(QualityConfigurationError) {
        var problems: [String] = []
        check("", &problems)
        if !problems.isEmpty { throw QualityConfigurationError(problems: problems) }
    }
}
