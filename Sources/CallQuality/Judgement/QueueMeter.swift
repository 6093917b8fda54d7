// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells queueing from a long path: the round trip time against its running minimum.
struct QueueMeter: Sendable {
    private var samples: [(time: Double, value: Double)] = []
    /// When a longer path was recognised; older samples say nothing about it.
    private var pathSince = -Double.infinity

    /// Whether the newest sample shows a queue.
    private(set) var isQueueing = false

    /// Takes a measurement, in seconds.
    mutating func handle(_ value: Double?, at time: Double, _ rules: ConditionRules) {
        let oldest = max(pathSince, time - rules.minimumRoundTripTime * 1000)
        if let first = samples.first, first.time < oldest { samples.removeAll { $0.time < oldest } }
        guard let value else {
            // A path that is silent for long says nothing any more.
            if let last = samples.last, time - last.time > rules.steadyTime * 1000 { isQueueing = false }
            return
        }
        samples.append((time, value))
        isQueueing = rise(value, rules) != nil
        if isQueueing, let rise = rise(value, rules), holdsStill(rise, at: time, rules) {
            pathSince = time - rules.steadyTime * 1000
            samples.removeAll { $0.time < pathSince }
            isQueueing = false
        }
    }

    /// Begins anew on another path.
    mutating func restart() { self = QueueMeter() }

    /// By how much a value is above the minimum, if that means queueing.
    private func rise(_ value: Double, _ rules: ConditionRules) -> Double? {
        var minimum = value
        for sample in samples { minimum = min(minimum, sample.value) }
        let rise = value - minimum
        return rise > max(rules.queueingTime, rules.queueingShare * minimum) ? rise : nil
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
