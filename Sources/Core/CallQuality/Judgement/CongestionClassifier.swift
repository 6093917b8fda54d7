// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Distinguishes congestion from loss, and keeps the classification until it is over.
///
/// Queueing is the evidence for bandwidth. Congestion control lowers its estimate for losses too, so a low
/// estimate after loss is still the loss's until it has climbed again; a low estimate that nothing else
/// explains is bandwidth after a delay (ours). ``CauseTable`` has the rules.
struct CongestionClassifier: Sendable {
    /// What a tick says.
    struct Input: Sendable {
        var lossGrade: Int?
        /// Loss of the last two seconds or so, and of this tick, `0...1`; `nil` if nothing was expected.
        var recentLoss: Double?
        var newLoss: Double?
        var bandwidthGrade: Int?
        /// Estimate divided by demand; `nil` if one of them is unknown.
        var coverage: Double?
        var queue: QueueDelayDetector
        var estimate: Double?
        /// What got through, in bps; `nil` if unknown.
        var delivered: Double?
        /// Whether the leg's sender holds video back because it does not fit.
        var isSuppressed = false

        var isBandwidthLimited: Bool { (bandwidthGrade ?? 5) < 5 }
        var isLossy: Bool { (lossGrade ?? 5) < 5 }
    }

    private var cause = NetworkReason.none
    private var queuedAt = -Double.infinity
    /// Ticks since ``queuedAt`` whose measurements showed no queue.
    private var flatTicks = 0
    private var shortSince: Double?
    /// The estimates of the last two ticks.
    private var estimates: (last: Double?, before: Double?)
    /// The estimate since the loss has ended, and when it last climbed.
    private var stall: (estimate: Double, since: Double)?
    private var ceiling = CapacityEstimate()

    /// Handles a tick; returns the cause, and whether only the estimate still has to recover from it.
    mutating func handle(
        _ input: Input, at time: Double, _ rules: ConditionRules
    ) -> (cause: NetworkReason, isRecovering: Bool) {
        shortSince = input.isBandwidthLimited && (input.coverage ?? 1) < 1 ? shortSince ?? time : nil
        let isFull = noteQueue(input, at: time, rules)
        if input.isBandwidthLimited || (input.coverage ?? 1) < 1 || cause == .bandwidth || input.isLossy {
            ceiling.handle(input, isFull: isFull, at: time, rules)
        } else {
            ceiling.forget(input.estimate)
        }
        guard input.isBandwidthLimited || input.isLossy || input.isSuppressed else {
            cause = .none
            return (.none, false)
        }
        decide(input, at: time, rules)
        switch cause {
        case .bandwidth:
            // What was suppressed fits by now.
            return (cause, ceiling.isGone || input.isSuppressed && input.coverage ?? 0 >= 1)
        case .none:
            return (.unknown, false)
        default:
            return (cause, !input.isLossy)
        }
    }

    /// Notes that an outage ended: what is short now recovers from it.
    mutating func noteOutage() {
        cause = .connection
        queuedAt = -.infinity
    }

    /// Notes that what looked like a queue is a longer path, or jitter: congestion control was mistaken as
    /// well.
    mutating func noteNoQueue() {
        queuedAt = -.infinity
        if cause == .bandwidth { cause = .unknown }
    }

    /// Whether the path is full now: two measurements rose, or one while packets are lost or the estimate is
    /// short.
    private mutating func noteQueue(_ input: Input, at time: Double, _ rules: ConditionRules) -> Bool {
        let isSupported = input.isLossy || input.isBandwidthLimited || (input.coverage ?? 1) < 1
        let climbs = climbs(input, rules)
        guard input.queue.risesNow, input.queue.isQueueing || isSupported else {
            if input.queue.isDrained { flatTicks += 1 }
            return false
        }
        if !climbs {
            queuedAt = time
            flatTicks = 0
        }
        return true
    }

    /// Whether the estimate climbs: congestion control does not climb into a queue, so then the path merely
    /// has jitter.
    ///
    /// A round trip time may be a second old when it is reported. Where packets are lost as well, as they are
    /// when a queue overflows, an estimate that has fallen since and climbs again says nothing against it.
    private mutating func climbs(_ input: Input, _ rules: ConditionRules) -> Bool {
        guard let estimate = input.estimate else { return false }
        defer { estimates = (estimate, estimates.last) }
        guard let last = estimates.last else { return false }
        let overflows = input.recentLoss ?? 0 >= rules.loss.good
        return estimate > (overflows ? max(last, estimates.before ?? last) : last) * rules.risingEstimateRatio
    }

    /// Gathers the evidence; ``CauseTable`` decides.
    private mutating func decide(_ input: Input, at time: Double, _ rules: ConditionRules) {
        let hasQueued = time - queuedAt <= rules.queueingMemory * 1000
        let losesWithoutQueue =
            (input.recentLoss ?? 0) >= rules.loss.good && !hasQueued && flatTicks >= 2
        cause = CauseTable.cause(
            PathFindings(
                previous: cause,
                isLossy: input.isLossy,
                hasQueued: hasQueued,
                isQueueing: input.queue.isQueueing,
                isBelowDemand: input.isBandwidthLimited && (input.coverage ?? 1) < 1,
                isEstimateKnown: input.bandwidthGrade != nil,
                losesWithoutQueue: losesWithoutQueue,
                isSuppressed: input.isSuppressed,
                isPersistentlyLimited: shortSince.map { time - $0 >= rules.unexplainedShortfallDelay * 1000 }
                    ?? false,
                isStalled: isStalled(input, at: time, rules)))
    }

    /// Whether the loss has ended and the estimate stays where it is: it was not the loss that held it down.
    private mutating func isStalled(_ input: Input, at time: Double, _ rules: ConditionRules) -> Bool {
        guard cause == .packetLoss, !input.isLossy else {
            stall = nil
            return false
        }
        guard let estimate = input.estimate else { return false }
        guard let low = stall, estimate < low.estimate * rules.limitLiftedEstimateRatio else {
            stall = (estimate, time)
            return false
        }
        return time - low.since >= rules.stalledRecoveryTime * 1000
    }
}
