// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension FigureUnit {
    /// How people are shown figures of a unit.
    package struct Display: Sendable {
        /// What stands behind the number, or beside the chart; `nil` for nothing.
        package let label: String?
        /// What a figure is multiplied by.
        package let factor: Double
        /// Digits behind the point.
        package let decimals: Int
    }

    /// How people are shown it.
    package var display: Display {
        switch self {
        case .bitsPerSecond: Display(label: "kbit/s", factor: 0.001, decimals: 1)
        case .seconds: Display(label: "ms", factor: 1000, decimals: 1)
        case .milliseconds: Display(label: "ms", factor: 1, decimals: 0)
        case .unixTime: Display(label: nil, factor: 1, decimals: 0)
        case .fraction: Display(label: "%", factor: 100, decimals: 2)
        case .pixels: Display(label: "pixels", factor: 1, decimals: 0)
        case .perSecond: Display(label: "fps", factor: 1, decimals: 1)
        case .count: Display(label: nil, factor: 1, decimals: 0)
        case .score: Display(label: "1 to 5", factor: 1, decimals: 2)
        }
    }

    /// A figure as people are shown it.
    package func shown(_ value: Double?) -> Double? { value.map { $0 * display.factor } }
}
