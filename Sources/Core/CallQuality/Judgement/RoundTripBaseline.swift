// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells queueing from a long path: the round trip time against its running minimum.
struct RoundTripBaseline: Sendable {
    /// What a measurement says.
    enum Verdict: Sendable, Equatable {
        /// Nothing: there was none.
        case none
        /// There is no queue.
        case flat
        /// It is above its minimum by this many seconds, as much as a queue.
        case risen(Double)
        /// What rose is a longer path.
        case longerPath
    }

    private var samples: [(time: Double, value: Double)] = []
    /// When a longer path was recognised; older samples say nothing about it.
    private var pathSince = -Double.infinity

    /// Takes a measurement and the jitter of media, in seconds: a path that jitters has no queue for that.
    mutating func handle(
        _ value: Double?, jitter: Double?, isLossy: Bool, at time: Double, _ rules: ConditionRules
    ) -> Verdict {
        let oldest = max(pathSince, time - rules.minimumRoundTripTime * 1000)
        if let first = samples.first, first.time < oldest { samples.removeAll { $0.time < oldest } }
        guard let value else { return .none }
        samples.append((time, value))
        guard let rise = rise(value, jitter ?? 0, rules) else { return .flat }
        // A queue that is always full holds still too, but overflows.
        guard !isLossy, holdsStill(rise, at: time, rules) else { return .risen(rise) }
        forget(before: time - rules.steadyTime * 1000)
        return .longerPath
    }

    /// Forgets what was measured on a shorter path.
    mutating func forget(before time: Double) {
        pathSince = time
        samples.removeAll { $0.time < time }
    }

    /// How much a value is above the minimum, if that means queueing.
    private func rise(_ value: Double, _ jitter: Double, _ rules: ConditionRules) -> Double? {
        var minimum = value
        for sample in samples { minimum = min(minimum, sample.value) }
        let rise = value - minimum
        let least = max(rules.queueingTime, rules.queueingShare * minimum, rules.queueingJitter * jitter)
        return rise > least ? rise : nil
    }

    /// Whether the time rose once and has not moved since: queues swell and drain.
    private func holdsStill(_ rise: Double, at time: Double, _ rules: ConditionRules) -> Bool {
        var (low, high, count) = (Double.infinity, 0.0, 0)
        let begin = time - rules.steadyTime * 1000
        for sample in samples where sample.time >= begin {
            low = min(low, sample.value)
            high = max(high, sample.value)
            count += 1
        }
        let covers = samples.contains { $0.time < begin }
        return covers && count >= 3 && high - low <= rise * rules.steadyShare
    }
}
