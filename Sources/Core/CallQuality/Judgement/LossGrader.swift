// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Grades the network loss of one direction over windows that are asymmetric: worse as soon as it is
/// significant, better only on a fresh window that begins after the last lossy sample.
struct LossGrader: Sendable {
    /// Windows are at least this long, in ms; reports may come faster.
    private static let shortestWindow: Double = 900

    /// How many times as much as any other a tick loses that is a burst: what lasts scatters less.
    private static let burst = 3.0

    /// The believed grade, `1...5`; `nil` until it is known.
    private(set) var grade: Int?
    /// Network loss in the window, `0...1`; `nil` without a sample.
    private(set) var fraction: Double?
    /// The same of this tick, `0...1`; `nil` without a sample.
    private(set) var newFraction: Double?

    private var samples: [LossSample] = []
    private var freshSince: Double?
    /// End of the last lossy tick; reports about audio may reach back to before it.
    private var notFreshUntil = -Double.infinity
    /// Pauses between lossy ticks, in ms, with their ends: losses that come in bursts leave long ones.
    private var pauses: [(end: Double, length: Double)] = []
    private var lossyUntil: Double?
    /// Loss in the window that ended with the last lossy tick.
    private var lossBefore = 0.0
    private var begin: Double?
    private var excludedUntil = -Double.infinity
    private var provenSince = -Double.infinity
    /// End of the newest sample there was.
    private var lastSample: Double?

    /// Takes a tick's samples.
    mutating func handle(_ new: [LossSample], at time: Double, _ rules: ConditionRules) {
        let first = samples.endIndex
        // A report that reaches back to before the window that proved a better loss is about the past.
        for sample in new where sample.from >= max(excludedUntil, provenSince) {
            begin = begin ?? sample.from
            samples.append(sample)
        }
        newFraction = Self.short(samples[first...], rules)
        noteLossy(samples[first...], rules)
        samples.removeAll { $0.to <= time - rules.sparseLossWindow * 1000 }
        forgetIfSilent(at: time, rules)
        fraction =
            LossSample.fraction(of: samples.lazy.filter { $0.to > time - rules.longestLossWindow * 1000 })
            ?? LossSample.fraction(of: samples)
        guard let begin, time - begin >= rules.lossStart * 1000, !samples.isEmpty else { return }
        let worst = worstSignificant(at: time, rules)
        if let grade, worst >= grade {
            improve(from: grade, at: time, rules)
        } else {
            let wasLossless = grade ?? 5 == 5
            grade = worst
            // In the best band no tick is lossy, so the one that proved the loss has not been noted.
            if wasLossless { findLossyTicks(rules) }
        }
    }

    /// Forgets what is older, and omits losses counted up to a time: they belong to an outage.
    mutating func exclude(until time: Double) {
        excludedUntil = time
        samples.removeAll { $0.from < time }
        freshSince = nil
        lastSample = time
    }

    /// Starts over on another path.
    mutating func restart() {
        self = LossGrader()
    }

    /// Takes all losses so far for another path's: of this one none is known.
    mutating func forgetLosses() {
        let (begin, excluded) = (begin, excludedUntil)
        let isGraded = grade != nil
        restart()
        (self.begin, excludedUntil) = (begin, excluded)
        grade = isGraded ? 5 : nil
    }

    /// Nothing is known of the loss on a path that nothing is sent on any more: on hold, switched off, unobserved.
    private mutating func forgetIfSilent(at time: Double, _ rules: ConditionRules) {
        guard let last = [samples.last?.to, lastSample].compactMap(\.self).max() else { return }
        lastSample = last
        let usual = samples.reduce(0) { max($0, $1.to - $1.from) }
        guard time - last > max(rules.longestLossWindow * 1000, 2.5 * usual) else { return }
        let (begin, excluded, proven) = (begin, excludedUntil, provenSince)
        self = LossGrader()
        // What comes next is no start, and what was counted before stays out.
        self.begin = begin
        excludedUntil = excluded
        provenSince = proven
    }

    /// A tick that is as bad as the band, or nearly so, keeps the band.
    private mutating func noteLossy(_ tick: ArraySlice<LossSample>, _ rules: ConditionRules) {
        guard let last = tick.last, let loss = Self.short(tick, rules) else { return }
        let begin = tick.reduce(last.from) { max($0, $1.from) }
        if let grade, let limit = rules.loss.threshold(above: grade), loss > 0,
            loss >= limit * (1 - rules.hysteresis)
        {
            notePause(from: begin, to: last.to, rules)
            freshSince = nil
            // When in a long report its packets were lost no one knows.
            notFreshUntil = last.to - begin <= Self.longest(rules) ? last.to : begin
            lossBefore = LossSample.fraction(of: samples) ?? loss
        } else {
            freshSince = freshSince ?? max(begin, notFreshUntil)
        }
    }

    private mutating func notePause(from begin: Double, to end: Double, _ rules: ConditionRules) {
        pauses.removeAll { $0.end <= end - rules.sparseLossWindow * 1000 }
        if let lossyUntil, begin > lossyUntil { pauses.append((end, begin - lossyUntil)) }
        lossyUntil = max(end, lossyUntil ?? end)
    }

    /// Network loss of the last moments, `0...1`; `nil` without a sample.
    func recentFraction(at time: Double, _ rules: ConditionRules) -> Double? {
        let recent = samples.firstIndex { $0.to > time - rules.recentLossWindow * 1000 }
        return recent.flatMap { Self.short(samples[$0...], rules) }
    }

    /// Loss in samples that say something about now: a report about audio may reach back by five seconds, and
    /// if others are there it is not needed.
    private static func short(_ samples: ArraySlice<LossSample>, _ rules: ConditionRules) -> Double? {
        let longest = longest(rules)
        return LossSample.fraction(of: samples.lazy.filter { $0.to - $0.from <= longest })
            ?? LossSample.fraction(of: samples)
    }

    /// Length of the longest sample that says something about now, in ms.
    private static func longest(_ rules: ConditionRules) -> Double { (rules.recentLossWindow + 0.5) * 1000 }

    private mutating func improve(from grade: Int, at time: Double, _ rules: ConditionRules) {
        guard grade < 5, let freshSince else { return }
        let fresh = samples.filter { $0.from >= freshSince }
        let packets = fresh.reduce(0) { $0 + Double($1.expected) }
        let losses = fresh.reduce(0) { $0 + Double($1.lost) }
        guard let last = fresh.last, let loss = LossSample.fraction(of: fresh) else { return }
        let length = last.to - freshSince
        let longestPause = pauses.reduce(0) { max($0, $1.length) }
        // Long enough that the loss before would have shown itself again, and more clearly than what is left
        // of it.
        let isProven =
            packets * lossBefore >= rules.expectedLossesToClear + rules.expectedLossesPerLoss * losses
            && length >= max(rules.freshLossWindow * 1000, rules.burstGapMultiplier * longestPause)
        guard isProven || length >= rules.sparseFreshLossWindow * 1000 else { return }
        let better = rules.loss.grade(lowerIsBetter: loss / (1 - rules.hysteresis))
        guard better > grade else { return }
        self.grade = better
        samples = fresh
        provenSince = freshSince
        beginFresh(rules)
    }

    /// Searches again for the last lossy tick: what was mild in a worse band may be lossy in a better one.
    private mutating func beginFresh(_ rules: ConditionRules) {
        let before = lossBefore
        findLossyTicks(rules)
        lossBefore = before
    }

    /// Looks for the last lossy tick of the band among the samples.
    private mutating func findLossyTicks(_ rules: ConditionRules) {
        freshSince = nil
        var start = samples.startIndex
        while start < samples.endIndex {
            let end = samples[start...].firstIndex { $0.to != samples[start].to } ?? samples.endIndex
            noteLossy(samples[start..<end], rules)
            start = end
        }
    }

    /// The worst grade that a window of recent samples proves.
    ///
    /// Windows end now and begin where a sample does. What reaches back beyond the begin is omitted: no one
    /// knows when in its time its packets were lost.
    private func worstSignificant(at time: Double, _ rules: ConditionRules) -> Int {
        let samples = withoutBurst(rules)
        guard samples.contains(where: { $0.lost > 0 }) else { return 5 }
        var worst = 5
        var packets = 0.0
        var window = (lost: 0.0, expected: 0.0)
        var rest = samples.sorted { $0.from > $1.from }[...]
        while let begin = rest.first?.from {
            let longest = packets < rules.sparsePackets ? rules.sparseLossWindow : rules.longestLossWindow
            if packets > 0, time - begin > longest * 1000 { break }
            while let sample = rest.first, sample.from == begin {
                window.lost += Double(sample.lost)
                window.expected += Double(sample.expected)
                rest.removeFirst()
            }
            if time - begin < Self.shortestWindow { continue }
            packets = window.expected
            guard window.lost >= rules.fewestLostPackets else { continue }
            let bound = Self.lowerBound(window.lost, window.expected, rules.significance)
            worst = min(worst, rules.loss.grade(lowerIsBetter: bound))
        }
        return worst
    }

    /// The samples, of which the tick that lost most counts no more than the one that lost second most: a single burst is
    /// one event, however many packets it takes, and what lasts shows in the other ticks too.
    private func withoutBurst(_ rules: ConditionRules) -> [LossSample] {
        var worst = (lost: UInt64(0), from: 0.0, to: 0.0)
        var second: UInt64 = 0
        var tick = (lost: UInt64(0), from: 0.0, to: -Double.infinity)
        func close() {
            if tick.lost > worst.lost {
                second = worst.lost
                worst = tick
            } else {
                second = max(second, tick.lost)
            }
        }
        for sample in samples {
            // What reaches far back may be about the same loss.
            guard sample.to - sample.from < rules.burstLength * 1000 else { continue }
            if sample.to != tick.to {
                close()
                tick = (0, sample.from, sample.to)
            }
            tick.lost = tick.lost.addingSaturated(sample.lost)
        }
        close()
        guard Double(worst.lost) > Self.burst * Double(second) else { return samples }
        let share = Double(second) / Double(worst.lost)
        return samples.map { sample in
            guard sample.to > worst.from, sample.from < worst.to, sample.lost > 0 else { return sample }
            // A long report about other losses as well keeps them.
            if second > 0, sample.to - sample.from >= rules.burstLength * 1000 { return sample }
            var capped = sample
            capped.lost = UInt64(exactly: (Double(sample.lost) * share).rounded()) ?? sample.lost
            return capped
        }
    }

    /// Lower bound of a share (Wilson, one-sided).
    static func lowerBound(_ lost: Double, _ expected: Double, _ deviations: Double) -> Double {
        guard expected > 0 else { return 0 }
        let share = min(lost / expected, 1)
        let squared = deviations * deviations / expected
        let spread = deviations * (share * (1 - share) / expected + squared / expected / 4).squareRoot()
        return max(0, (share + squared / 2 - spread) / (1 + squared))
    }
}
