// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How much a limited path carries, and whether it carries more by now.
///
/// That nothing queues and nothing is lost does not mean that a limit is gone: congestion control stays just
/// below it. But an estimate above it, and more bits than the full path let through, come only when the limit
/// is gone.
struct CapacityEstimate: Sendable {
    /// Whether the limit is gone.
    private(set) var isGone = false

    /// Capacity of the path, estimated from what congestion control fell back to.
    private var limit: Double?
    private var lastEstimate: Double?
    /// Capacity by the newest decrease; it counts when the estimate does not keep falling as steeply.
    private var fallen: Double?
    /// The estimate from which it last fell after it had fallen before: it climbs above the capacity until the queue
    /// shows.
    private var ceiling: Double?
    private var highest: Double?
    /// Throughput of the saturated path.
    private var rate: Double?
    /// Throughput of the newest tick with a problem; it counts when the next one has one as well, because the
    /// tick in which a limit comes or goes let other things through, too.
    private var candidate: Double?
    private var wasFull = false
    private var wellSince: Double?
    /// How far the estimate has climbed since the limit is gone, and when.
    private var climbed: (estimate: Double, time: Double)?

    /// Takes a tick in which the estimate is short, or a lack of bandwidth to blame.
    mutating func handle(
        _ input: CongestionClassifier.Input, isFull: Bool, at time: Double, _ rules: ConditionRules
    ) {
        noteFall(input, rules)
        if isFull || (input.newLoss ?? 0) >= rules.loss.good {
            if let candidate { rate = max(rate ?? 0, candidate) }
            candidate = wasFull ? input.delivered : nil
            wasFull = true
            wellSince = nil
            isGone = false
            return
        }
        candidate = nil
        wasFull = false
        let since = wellSince ?? time
        wellSince = since
        noteStall(input, at: time, rules)
        guard !isGone, time - since >= rules.clearTime * 1000 else { return }
        let known = max(limit ?? 0, fallen ?? 0, rate ?? 0)
        let carries = rate != nil && input.delivered ?? 0 >= known * rules.limitLiftedThroughputRatio
        let least = max(known * rules.limitLiftedEstimateRatio, (ceiling ?? 0) * Self.beyond)
        let climbs = known > 0 && input.estimate ?? 0 >= least
        isGone = carries || climbs
        climbed = (input.estimate ?? 0, time)
    }

    /// What has climbed beyond the capacity and then stays short climbed for want of traffic, and the limit is there.
    private mutating func noteStall(
        _ input: CongestionClassifier.Input, at time: Double, _ rules: ConditionRules
    ) {
        guard isGone, let estimate = input.estimate, let highest = climbed, input.coverage ?? 1 < 1 else {
            return
        }
        if estimate > highest.estimate * Self.progress {
            climbed = (estimate, time)
        } else if time - highest.time >= rules.stalledRecoveryTime * 1000 {
            limit = max(limit ?? 0, highest.estimate)
            isGone = false
        }
    }

    /// Starts over, because nothing is short.
    mutating func forget(_ estimate: Double?) {
        self = CapacityEstimate()
        lastEstimate = estimate
    }

    /// What an estimate that climbs gains, as a factor.
    private static let progress = 1.02
    /// How far beyond the ceiling an estimate is that does not fall from there again, as a factor.
    private static let beyond = 1.05

    /// Congestion control backs off to a fixed share of the throughput, so its new estimate reveals that
    /// throughput.
    private mutating func noteFall(_ input: CongestionClassifier.Input, _ rules: ConditionRules) {
        defer { lastEstimate = input.estimate ?? lastEstimate }
        guard let estimate = input.estimate, let lastEstimate else { return }
        if let fallen, estimate >= lastEstimate * rules.steepDecreaseRatio { limit = max(limit ?? 0, fallen) }
        fallen = nil
        highest = highest.map { max($0, lastEstimate) }
        guard estimate < lastEstimate * rules.decreaseRatio, input.coverage ?? 0 < 1 else { return }
        fallen = estimate / rules.backoff
        ceiling = highest ?? ceiling
        highest = estimate
        isGone = false
    }
}
