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

extension WarningRule {
    /// A warning's limits.
    public init(_ trigger: Double, recover: Double? = nil, duration: Double = 0) {
        self.init()
        self.trigger = trigger
        self.recover = recover
        self.duration = duration
    }
}

extension PreCallRow {
    /// A row of the table.
    public init(
        width: Int, height: Int, excellent: (bitrate: Double, loss: Double),
        acceptable: (bitrate: Double, loss: Double)
    ) {
        self.init()
        self.width = width
        self.height = height
        excellentBitrate = excellent.bitrate
        excellentLoss = excellent.loss
        acceptableBitrate = acceptable.bitrate
        acceptableLoss = acceptable.loss
    }

    /// The rows that are used unless others are set.
    public static let defaults = [
        PreCallRow(width: 1280, height: 720, excellent: (1_000_000, 0.005), acceptable: (350_000, 0.03)),
        PreCallRow(width: 640, height: 480, excellent: (600_000, 0.005), acceptable: (250_000, 0.03)),
        PreCallRow(width: 352, height: 288, excellent: (300_000, 0.005), acceptable: (150_000, 0.03)),
        PreCallRow(width: 320, height: 240, excellent: (300_000, 0.005), acceptable: (150_000, 0.03)),
        PreCallRow(width: 0, height: 0, excellent: (30_000, 0.005), acceptable: (25_000, 0.05)),
    ]
}
