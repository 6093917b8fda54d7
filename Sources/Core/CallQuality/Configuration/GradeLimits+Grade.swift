// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension GradeLimits {
    /// Four limits, from excellent to poor.
    public init(_ excellent: Double, _ good: Double, _ fair: Double, _ poor: Double) {
        self.init()
        self.excellent = excellent
        self.good = good
        self.fair = fair
        self.poor = poor
    }

    /// The grade of a figure where less is better, `1...5`.
    func gradeOfLess(_ value: Double) -> Int {
        if value < excellent { return 5 }
        if value < good { return 4 }
        if value < fair { return 3 }
        return value < poor ? 2 : 1
    }

    /// The grade of a figure where more is better, `1...5`.
    func gradeOfMore(_ value: Double) -> Int {
        if value >= excellent { return 5 }
        if value >= good { return 4 }
        if value >= fair { return 3 }
        return value >= poor ? 2 : 1
    }

    /// The limit that a figure of that grade has crossed: the one of the next better grade; `nil` for grade 5.
    func limit(above grade: Int) -> Double? {
        switch grade {
        case 4: excellent
        case 3: good
        case 2: fair
        case 1: poor
        default: nil
        }
    }

    /// The same limits, multiplied.
    func scaled(by factor: Double) -> GradeLimits {
        GradeLimits(excellent * factor, good * factor, fair * factor, poor * factor)
    }
}
