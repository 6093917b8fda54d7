// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Grades the network loss of one direction over windows that are asymmetric: worse as soon as it is significant, better
/// only on a fresh window that begins after the last lossy sample.
struct LossGrader: Sendable {
    /// Windows are at least this long, in ms; reports may come faster.
    private static let shortestWindow: Double = 900

    /// The believed grade, `1...5`; `nil` until it is known.
    private(set) var grade: Int?
    /// Network loss in the window, `0...1`; `nil` without a sample.
    private(set) var fraction: Double?
    /// The same of the last moments, `0...1`; `nil` without a sample.
    private(set) var recentFraction: Double?
    /// The same of this tick, `0...1`; `nil` without a sample.
    private(set) var newFraction: Double?

    private var samples: [LossSample] = []
    private var freshSince: Double?
    /// Pauses between lossy ticks, in ms, with their ends: losses that come in bursts leave long ones.
    private var pauses: [(end: Double, length: Double)] = []
    private var lossyUntil: Double?
    /// Loss in the window that ended with the last lossy tick.
    private var lossBefore = 0.0
    private var begin: Double?
    private var excludedUntil = -Double.infinity

    /// Takes a tick's samples.
    mutating func handle(_ new: [LossSample], at time: Double, _ rules: ConditionRules) {
        let first = samples.endIndex
        for sample in new where sample.from >= excludedUntil {
            begin = begin ?? sample.from
            samples.append(sample)
        }
        newFraction = Self.short(samples[first...], rules)
        noteLossy(samples[first...], rules)
        samples.removeAll { $0.to <= time - rules.sparseLossWindow * 1000 }
        fraction =
            LossSample.fraction(of: samples.lazy.filter { $0.to > time - rules.longestLossWindow * 1000 })
            ?? LossSample.fraction(of: samples)
        recentFraction = recentLoss(at: time, rules)
        guard let begin, time - begin >= rules.lossStart * 1000, !samples.isEmpty else { return }
        let worst = worstSignificant(at: time, rules)
        if let grade, worst >= grade {
            improve(from: grade, at: time, rules)
        } else {
            grade = worst
        }
    }

    /// Forgets what is older, and leaves out what will be booked up to a time: it belongs to an outage.
    mutating func exclude(until time: Double) {
        excludedUntil = time
        samples.removeAll { $0.from < time }
        freshSince = nil
    }

    /// Begins anew on another path.
    mutating func restart() {
        self = LossGrader()
    }

    /// A tick that is as bad as the band, or nearly so, keeps the band.
    private mutating func noteLossy(_ tick: ArraySlice<LossSample>, _ rules: ConditionRules) {
        guard let last = tick.last, let loss = Self.short(tick, rules) else { return }
        let begin = tick.reduce(last.from) { max($0, $1.from) }
        if let grade, let limit = rules.loss.limit(above: grade), loss > 0,
            loss >= limit * (1 - rules.bandDistance)
        {
            notePause(from: begin, to: last.to, rules)
            freshSince = nil
            lossBefore = LossSample.fraction(of: samples) ?? loss
        } else {
            freshSince = freshSince ?? begin
        }
    }

    private mutating func notePause(from begin: Double, to end: Double, _ rules: ConditionRules) {
        pauses.removeAll { $0.end <= end - rules.sparseLossWindow * 1000 }
        if let lossyUntil, begin > lossyUntil { pauses.append((end, begin - lossyUntil)) }
        lossyUntil = max(end, lossyUntil ?? end)
    }

    /// Loss of the last moments.
    private func recentLoss(at time: Double, _ rules: ConditionRules) -> Double? {
        let recent = samples.firstIndex { $0.to > time - rules.recentLossWindow * 1000 }
        return recent.flatMap { Self.short(samples[$0...], rules) }
    }

    /// Loss in samples that say something about now: a report about audio may reach back by five seconds, and if others
    /// are there it is not needed.
    private static func short(_ samples: ArraySlice<LossSample>, _ rules: ConditionRules) -> Double? {
        let longest = (rules.recentLossWindow + 0.5) * 1000
        return LossSample.fraction(of: samples.lazy.filter { $0.to - $0.from <= longest })
            ?? LossSample.fraction(of: samples.lazy.filter { _ in true })
    }

    private mutating func improve(from grade: Int, at time: Double, _ rules: ConditionRules) {
        guard grade < 5, let freshSince else { return }
        let fresh = samples.filter { $0.from >= freshSince }
        let packets = fresh.reduce(0) { $0 + Double($1.expected) }
        let losses = fresh.reduce(0) { $0 + Double($1.lost) }
        guard let last = fresh.last, let loss = LossSample.fraction(of: fresh) else { return }
        let length = last.to - freshSince
        let longestPause = pauses.reduce(0) { max($0, $1.length) }
        // Long enough that the loss before would have shown itself again, and more clearly than what is left of it.
        let isProven =
            packets * lossBefore >= rules.missedLosses + rules.missedPerLoss * losses
            && length >= max(rules.freshLossWindow * 1000, rules.pauses * longestPause)
        guard isProven || length >= rules.sparseFreshLossWindow * 1000 else { return }
        let better = rules.loss.gradeOfLess(loss / (1 - rules.bandDistance))
        guard better > grade else { return }
        self.grade = better
        samples = fresh
        beginFresh(rules)
    }

    /// Looks again for the last lossy tick: what was mild in a worse band may be lossy in a better one.
    private mutating func beginFresh(_ rules: ConditionRules) {
        let before = lossBefore
        defer { lossBefore = before }
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
    /// Windows end now and begin between two ticks: a part of a tick's streams says nothing about the path.
    private func worstSignificant(at time: Double, _ rules: ConditionRules) -> Int {
        var worst = 5
        var lost = 0.0
        var expected = 0.0
        for index in samples.indices.reversed() {
            let sample = samples[index]
            let isNewTick = index + 1 == samples.endIndex || samples[index + 1].to != sample.to
            let isSparse = expected < rules.sparsePackets
            let longest = isSparse ? rules.sparseLossWindow : rules.longestLossWindow
            if isNewTick, expected > 0, time - sample.from > longest * 1000 { break }
            lost += Double(sample.lost)
            expected += Double(sample.expected)
            if index > samples.startIndex {
                let age = time - samples[index - 1].to
                if samples[index - 1].to == sample.to || age < Self.shortestWindow { continue }
            }
            guard lost >= rules.fewestLostPackets else { continue }
            worst = min(worst, rules.loss.gradeOfLess(Self.lowerBound(lost, expected, rules.significance)))
        }
        return worst
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
