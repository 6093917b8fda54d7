// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether delay variation alone holds congestion control back.
///
/// Delay-based congestion control takes a delay that rises for a queue. On a path whose delay varies by itself (a radio
/// that schedules, that repeats frames, that hands over) it backs off again and again though nothing queues for long.
struct DelayVariation: Sendable {
    private var jitters: [(time: Double, value: Double)] = []
    private var queues: [(time: Double, isThere: Bool)] = []

    /// Takes a tick.
    mutating func handle(_ input: CongestionClassifier.Input, at time: Double, _ rules: ConditionRules) {
        if let jitter = input.jitter { jitters.append((time, jitter)) }
        if input.queue.risesNow || input.queue.isDrained { queues.append((time, input.queue.risesNow)) }
        let oldest = time - rules.delayVariationWindow * 1000
        jitters.removeAll { $0.time < oldest }
        queues.removeAll { $0.time < oldest }
    }

    /// Whether the delay varies enough for that, and no queue stands.
    func isJittery(_ rules: ConditionRules) -> Bool {
        guard jitters.count >= 3 else { return false }
        let high = jitters.count { $0.value >= rules.delayVariation }
        let queued = queues.count { $0.isThere }
        return 2 * high >= jitters.count
            && Double(queued) < rules.queueingMajority * Double(max(queues.count, 1))
    }
}
