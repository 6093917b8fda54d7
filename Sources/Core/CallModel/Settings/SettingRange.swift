// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which numbers make sense.
package enum SettingRange: Sendable, Equatable {
    case positive, notNegative, fraction
    /// Above 0, and no more than this.
    case upTo(Double)
    case numbers(ClosedRange<Double>)
    /// Whole numbers alone.
    case whole(ClosedRange<Int>)

    /// No rule without bounds of its own means more than this of anything, and no conversion overflows below it.
    private static let largest = 1e9

    /// What is wrong with a number; `nil` if nothing is.
    package func problem(_ value: Double) -> String? {
        switch self {
        case .positive, .notNegative:
            guard !(value > Self.largest) else { return "must not be above \(Self.largest), not \(value)" }
            if self == .positive { return value > 0 ? nil : "must be above 0, not \(value)" }
            return value >= 0 ? nil : "must not be below 0, not \(value)"
        case .fraction: return value >= 0 && value <= 1 ? nil : "must be between 0 and 1, not \(value)"
        case .upTo(let most): return value > 0 && value <= most ? nil : "must be \(words), not \(value)"
        case .numbers(let range): return range.contains(value) ? nil : "must be \(words), not \(value)"
        case .whole(let range):
            let isRight = Int(exactly: value).map(range.contains) ?? false
            return isRight ? nil : "must be \(words), not \(value)"
        }
    }

    /// The range as people read it.
    package var words: String {
        switch self {
        case .positive: "above 0"
        case .notNegative: "0 or more"
        case .fraction: "0 to 1"
        case .upTo(let most): "more than 0 and at most \(Self.written(most))"
        case .numbers(let range): "\(Self.written(range.lowerBound)) to \(Self.written(range.upperBound))"
        case .whole(let range): "\(range.lowerBound) to \(range.upperBound)"
        }
    }

    /// The range as people read it in a sentence that names no unit otherwise.
    package func words(in unit: SettingUnit) -> String { words + unit.suffix }

    /// A number as it is given.
    static func written(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}
