// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Grades the estimate of one direction against the demand.
struct BandwidthGrader: Sendable {
    /// What a tick says about bandwidth.
    struct Input: Sendable {
        var estimate: Double?
        /// Whether what gets through stands for an estimate that no one reports.
        var isInferred = false
        var demand: Double?
        /// Whether the wanted layers are really sent; `nil` if unknown.
        var isWantedSent: Bool?
        /// Whether the sender sends less because of the network; `nil` if unknown.
        var isLimited: Bool?
        var isQueueing: Bool
        var hasLoss: Bool
    }

    /// The accepted grade, `1...5`; `nil` while it is unknown.
    private(set) var grade: Int?
    /// Estimate divided by demand; `nil` while one of them is unknown.
    private(set) var coverage: Double?

    /// Whether an estimate or a demand has been unknown for too long to be expected.
    private(set) var isUnjudgeable = false

    private var absentSince: Double?
    private var begin: Double?
    private var isSettled = false
    private var worseSince: Double?
    private var betterSince: Double?
    private var highest = (estimate: 0.0, time: 0.0)
    private var last: Double?
    private var leapt = -Double.infinity

    /// An estimate that is this many times the one before is a probe's: see ``ConditionRules/leapDelay``.
    private static let leap = 2.5

    /// Takes a tick.
    mutating func handle(_ input: Input, at time: Double, _ rules: ConditionRules) {
        begin = begin ?? time
        isUnjudgeable = false
        guard let estimate = input.estimate, let demand = input.demand, demand > 0 else {
            grade = nil
            coverage = nil
            let since = absentSince ?? time
            absentSince = since
            isUnjudgeable = time - since >= rules.bandwidthStart * 1000
            return
        }
        absentSince = nil
        if let last, last > 0, estimate >= last * Self.leap { leapt = time }
        last = estimate
        let ratio = estimate / demand
        coverage = ratio
        // An estimate that what the app sends limits says nothing against more, while everything wanted gets
        // through.
        let covers = ratio >= 1 || input.isWantedSent == true && input.isLimited != true && !input.isQueueing
        settle(input, covers, estimate, at: time, rules)
        guard isSettled else { return }
        believe(covers ? 5 : rules.coverage.grade(higherIsBetter: ratio), ratio, at: time, rules)
    }

    /// Starts over: another path, or other media.
    mutating func restart() { self = BandwidthGrader() }

    /// The estimate starts low and climbs; it counts once it covered the demand or was seen to be held down.
    private mutating func settle(
        _ input: Input, _ covers: Bool, _ estimate: Double, at time: Double, _ rules: ConditionRules
    ) {
        if estimate > highest.estimate * 1.1 { highest = (estimate, time) }
        guard !isSettled, let begin else { return }
        let age = (time - begin) / 1000
        let isEncoderLimited =
            input.isQueueing || input.hasLoss
            || input.isLimited == true && time - highest.time >= rules.unexplainedShortfallDelay * 1000
        isSettled = covers || age >= rules.firstProbe && isEncoderLimited || age >= rules.bandwidthStart
    }

    private mutating func believe(_ new: Int, _ ratio: Double, at time: Double, _ rules: ConditionRules) {
        guard let grade else {
            self.grade = new
            return
        }
        worseSince = new < grade ? worseSince ?? time : nil
        betterSince = new > grade ? betterSince ?? time : nil
        let isFar =
            new > grade
            && (new == 5 && ratio < 1
                || rules.coverage.grade(higherIsBetter: ratio / (1 + rules.hysteresis)) > grade)
        let isLasting = betterSince.map { time - $0 >= rules.upgradeDelay * 1000 } ?? false
        let isWorse = worseSince.map { time - $0 >= rules.downgradeDelay * 1000 } ?? false
        let isProven = time - leapt >= rules.leapDelay * 1000
        guard isWorse || isFar && isProven || isLasting else { return }
        self.grade = new
        worseSince = nil
        betterSince = nil
    }
}
