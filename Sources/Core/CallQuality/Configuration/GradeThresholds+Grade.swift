// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension GradeThresholds {
    /// Four thresholds, from excellent to poor.
    public init(_ excellent: Double, _ good: Double, _ fair: Double, _ warning: Double) {
        self.init()
        self.excellent = excellent
        self.good = good
        self.fair = fair
        self.warning = warning
    }

    /// The grade of a figure where less is better, `1...5`.
    package func grade(lowerIsBetter value: Double) -> Int {
        if value < excellent { return 5 }
        if value < good { return 4 }
        if value < fair { return 3 }
        return value < warning ? 2 : 1
    }

    /// The grade of a figure where more is better, `1...5`.
    package func grade(higherIsBetter value: Double) -> Int {
        if value >= excellent { return 5 }
        if value >= good { return 4 }
        if value >= fair { return 3 }
        return value >= warning ? 2 : 1
    }

    /// The threshold that a figure of that grade has crossed: the one of the next better grade; `nil` for
    /// grade 5.
    func threshold(above grade: Int) -> Double? {
        switch grade {
        case 4: excellent
        case 3: good
        case 2: fair
        case 1: warning
        default: nil
        }
    }

    /// The same thresholds, multiplied.
    func scaled(by factor: Double) -> GradeThresholds {
        GradeThresholds(excellent * factor, good * factor, fair * factor, warning * factor)
    }
}
