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
    /// When the estimate last fell to much less than was sent: not all of it got through; `nil` if it has not since
    /// nothing was short.
    ///
    /// A delay that varies makes it fall too, but to a share of what was sent, because all of that arrived.
    private(set) var overloadedAt: Double?

    /// Capacity of the path, estimated from what congestion control fell back to: the highest of its last three falls,
    /// since the first ones may have been under way to it.
    private var limit: Double? { limits.max() }
    private var limits: [Double] = []
    /// When it was last seen.
    private var limitSeenAt = -Double.infinity
    private var lastEstimate: Double?
    /// Capacity by the newest decrease; it counts when the estimate does not keep falling as steeply.
    private var fallen: Double?
    /// The estimate from which it last fell after it had fallen before: it climbs above the capacity until the queue
    /// shows.
    private var ceiling: Double?
    /// The highest estimate since the last fall, and when it last gained on that.
    private var peak: (estimate: Double, time: Double)?
    /// Throughput of the saturated path.
    private var rate: Double?
    /// What went over the path in the last seconds, in bps.
    private var sent: [(time: Double, rate: Double)] = []
    /// Throughput of the newest tick with a problem; it counts when the next one has one as well, because the
    /// tick in which a limit comes or goes let other things through, too.
    private var candidate: Double?
    private var wasFull = false
    private var wellSince: Double?
    /// When encoders last made all that they make of their sizes, where nothing but what gets through shows a limit.
    private var restedAt = -Double.infinity

    /// Whether the estimate has fallen from a limit more than once, and that is not gone.
    var isKnown: Bool { !isGone && limits.count >= 2 }

    /// Whether the estimate fell again and again from about the same height, lately as well.
    func isEstablished(at time: Double) -> Bool {
        guard !isGone, limits.count == 3, let low = limits.min(), let high = limits.max() else {
            return false
        }
        return high <= low * Self.sameHeight && time - limitSeenAt <= Self.recent
    }

    /// Takes a tick in which the estimate is short, or a lack of bandwidth to blame.
    mutating func handle(
        _ input: CongestionClassifier.Input, isFull: Bool, at time: Double, _ rules: ConditionRules
    ) {
        noteFall(input, at: time, rules)
        notePeak(input.estimate, at: time)
        noteSent(input.delivered, at: time)
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
    }

    /// What has climbed beyond the capacity and then stays short climbed for want of traffic, and the limit is there.
    private mutating func noteStall(
        _ input: CongestionClassifier.Input, at time: Double, _ rules: ConditionRules
    ) {
        if input.isAtRest { restedAt = time }
        guard isGone, let peak, input.coverage ?? 1 < 1 else { return }
        let since = max(peak.time, (wellSince ?? time) + rules.clearTime * 1000, restedAt)
        guard time - since >= rules.stalledRecoveryTime * 1000 else { return }
        noteLimit(max(limit ?? 0, peak.estimate))
        isGone = false
    }

    private mutating func noteLimit(_ limit: Double) { limits = limits.suffix(2) + [limit] }

    private mutating func notePeak(_ estimate: Double?, at time: Double) {
        guard let estimate, estimate > (peak?.estimate ?? 0) * Self.progress else { return }
        peak = (estimate, time)
    }

    /// Starts over, because nothing is short.
    mutating func forget(_ input: CongestionClassifier.Input, at time: Double) {
        let sent = sent
        self = CapacityEstimate()
        self.sent = sent
        lastEstimate = input.estimate
        noteSent(input.delivered, at: time)
    }

    private mutating func noteSent(_ rate: Double?, at time: Double) {
        sent.removeAll { $0.time < time - Self.before }
        if let rate { sent.append((time, rate)) }
    }

    /// How much the heights differ from which an estimate falls at one limit, as a factor, and how long ago the last one
    /// may be, in ms.
    private static let sameHeight = 1.15
    private static let recent = 15_000.0
    /// What an estimate that climbs gains, as a factor.
    private static let progress = 1.02
    /// Milliseconds before a fall in which what was sent filled the path.
    private static let before = 4_000.0
    /// Share of what was sent, less what was lost, below which not all of the rest got through either.
    private static let overload = 0.65
    /// How far beyond the ceiling an estimate is that does not fall from there again, as a factor.
    private static let beyond = 1.12

    /// Congestion control backs off to a fixed share of the throughput, so its new estimate reveals that
    /// throughput.
    private mutating func noteFall(
        _ input: CongestionClassifier.Input, at time: Double, _ rules: ConditionRules
    ) {
        defer { lastEstimate = input.estimate ?? lastEstimate }
        guard let estimate = input.estimate, let lastEstimate else { return }
        // What it fell from the first time was before the limit.
        let isFirst = limit == nil && fallen == nil
        if let fallen, estimate >= lastEstimate * rules.steepDecreaseRatio {
            noteLimit(fallen)
            limitSeenAt = time
        }
        fallen = nil
        guard estimate < lastEstimate * rules.decreaseRatio, input.coverage ?? 0 < 1 else { return }
        let arrived = estimate / rules.backoff
        fallen = arrived
        let expected = sent.isEmpty ? 0 : sent.reduce(0) { $0 + $1.rate } / Double(sent.count)
        if !input.isEstimateInferred, arrived < Self.overload * expected * (1 - (input.recentLoss ?? 0)) {
            overloadedAt = time
            // What was sent before filled a queue.
            rate = rate.map { min($0, arrived) }
        }
        if !isFirst { ceiling = peak?.estimate ?? ceiling }
        peak = (estimate, time)
        isGone = false
    }
}
