// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

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
        /// Whether one kind of media alone is lost.
        var isLossSelective = false
        var bandwidthGrade: Int?
        /// Estimate divided by demand; `nil` if one of them is unknown.
        var coverage: Double?
        var queue: QueueDelayDetector
        var estimate: Double?
        /// Whether what gets through stands for an estimate that no one reports.
        var isEstimateInferred = false
        /// Whether packets wait in a queue that is worth a word, where no one estimates what the path carries: see ``PacketQueue``.
        var isHeldUp = false
        /// Whether packets were held up by much less than the round trips of this tick rose: see ``PacketQueue``.
        var isRiseDenied = false
        /// Whether it is this end that sends.
        var isSent = false
        /// Whether that sends far more media than is believed to fit: see ``EstimateUse/isOverdrawn(rate:estimate:)``.
        var isOverdrawn = false
        /// Whether that began with more than the path lets through.
        var isOverload = false
        /// Whether encoders make as much of video of the sizes that come as they ever do.
        var isWhole = false
        /// What got through, in bps; `nil` if unknown.
        var delivered: Double?
        /// Whether the leg's sender holds video back because it does not fit.
        var isSuppressed = false
        /// Whether the leg's sender sends a smaller layer than is wanted because of the network.
        var isReduced = false
        /// Whether the path repeats what it loses, and what follows waits: it is TCP.
        var isTCP = false
        /// Whether the sender adapts to congestion: one of audio alone has nothing to give up.
        var isAdaptive = true
        /// Jitter of media, in seconds; `nil` if unknown.
        var jitter: Double?
        /// Round trip times newly measured, in seconds, by who measures.
        var roundTripTimes: [Double?] = []
        /// See ``PacketTiming/Input``.
        var serializationDelay: Double?
        var audioJitter: Double?
        /// See ``ShownCapacity/Input``.
        var pathSeconds: [PathSecond] = []
        var demand: Double?

        var isBandwidthLimited: Bool { (bandwidthGrade ?? 5) < 5 }
        var isLossy: Bool { (lossGrade ?? 5) < 5 }
        /// Whether there is a queue that this flow alone does not make.
        var isStanding: Bool { queue.isStanding || isHeldUp }
        /// Whether what gets through shows no limit though it stays as it is, and there is nothing else to show one.
        var isAtRest: Bool { isEstimateInferred && isWhole }
    }

    private var cause = PathCause.none
    /// Whether a lack of bandwidth is presumed, because nothing else was seen.
    private var isPresumed = false
    private var queuedAt = -Double.infinity
    private var shortSince: Double?
    private var reducedSince: Double?
    /// When congestion control was last seen to be mistaken: its estimate needs time to climb.
    private var refutedAt = -Double.infinity
    private var lastEstimate: Double?
    private var lossySince: Double?
    /// The estimates of the last two ticks.
    private var estimates: (last: Double?, before: Double?)
    /// The estimate since the loss has ended, and when it last climbed.
    private var stall: (estimate: Double, since: Double)?
    /// Whether one kind of media alone was lost last.
    private var wasSelective = false
    private var ceiling = CapacityEstimate()
    /// Whether a queue stood, and since when it no longer does.
    private var stood: (isTrue: Bool, drainedSince: Double?, estimate: Double) = (false, nil, 0)
    /// Whether not all that was sent got through, and it was in a queue that the rest was.
    private var isOverloaded = false
    private var plateau = Plateau()
    /// When the estimate last fell to less than half at once, as delay makes it and loss does not.
    private var fellAt = -Double.infinity
    private var steadiness = DelayVariation()
    private var roundTrips = RoundTrips()
    private var backoff = UnfoundedBackoff()
    private var timing = PacketTiming()
    private var rebound = ProbeRebound()
    private var collapse = QuietCollapse()
    private var shown = ShownCapacity()
    private var independence = LossIndependence()
    private var climb = EstimateClimb()
    private var relapse = Relapse()
    /// Whether the estimate climbs steadily, and has not fallen from a limit twice: below that it always climbs.
    var isClimbing: Bool { climb.isSteady && !ceiling.isKnown }
    /// When an outage ended, in ms, and how long what was sent before takes to come back.
    private var outageAt = -Double.infinity
    private static let comeback = 30_000.0
    /// When as many packets were last lost as congestion control reacts to (2 %; draft-ietf-rmcat-gcc, 6), in ms, and for how
    /// long after that, or an outage, it does.
    private var disturbedAt = -Double.infinity
    private static let reactionLoss = 0.02
    private static let reaction = 3_000.0

    /// Handles a tick; returns the cause, and whether only the estimate still has to recover from it.
    mutating func handle(
        _ input: Input, at time: Double, _ rules: ConditionRules
    ) -> (cause: PathCause, isRecovering: Bool) {
        if let estimate = input.estimate, let lastEstimate, estimate < lastEstimate / 2 { fellAt = time }
        defer { lastEstimate = input.estimate ?? lastEstimate }
        if (input.recentLoss ?? 0) >= Self.reactionLoss { disturbedAt = time }
        shortSince = input.isBandwidthLimited && (input.coverage ?? 1) < 1 ? shortSince ?? time : nil
        reducedSince = input.isReduced ? reducedSince ?? time : nil
        let isFull = noteQueue(input, at: time, rules)
        if input.isBandwidthLimited || (input.coverage ?? 1) < 1 || cause == .bandwidth || input.isLossy {
            ceiling.handle(input, isFull: isFull, at: time, rules)
        } else {
            ceiling.forget(input, at: time)
        }
        steadiness.handle(input, at: time, rules)
        independence.handle(input, at: time, rules)
        // Where there is no estimate, what is sent after an outage is what congestion control allows by then.
        let isBack = input.isSent && time - outageAt <= Self.comeback
        climb.handle(input.estimate ?? (isBack ? input.delivered : nil), at: time)
        roundTrips.handle(input.roundTripTimes, at: time)
        backoff.handle(
            UnfoundedBackoff.Input(
                roundTrips: roundTrips,
                // What arrives varies by itself; what is sent is what congestion control allows.
                estimate: input.isEstimateInferred && !input.isSent ? nil : input.estimate,
                jitter: input.jitter,
                isWell: input.coverage.map { $0 >= 1 && !input.isBandwidthLimited && !input.isLossy },
                isLossy: (input.recentLoss ?? 0) >= rules.loss.good),
            at: time, rules)
        timing.handle(
            PacketTiming.Input(
                serializationDelay: input.serializationDelay, audioJitter: input.audioJitter),
            at: time)
        rebound.handle(input, at: time, rules)
        collapse.handle(input, roundTrips, at: time, rules)
        shown.handle(
            ShownCapacity.Input(
                pathSeconds: input.pathSeconds, demand: input.demand,
                estimate: input.isEstimateInferred ? nil : input.estimate,
                isLossy: (input.recentLoss ?? 0) >= Self.reactionLoss), at: time, rules)
        noteStanding(input, at: time)
        guard
            input.isBandwidthLimited || input.isLossy || input.isSuppressed || input.isReduced
                || input.isStanding
                // The grade takes its time; what was cut off is well once the estimate is back.
                || cause == .connection && (input.coverage ?? 1) < 1
        else {
            cause = .none
            wasSelective = false
            relapse.end()
            return (.none, false)
        }
        decide(input, at: time, rules)
        switch cause {
        case .bandwidth:
            // What was suppressed fits by now.
            let isHeldBack = input.isSuppressed || input.isReduced
            let isGone = ceiling.isGone || isHeldBack && input.coverage ?? 0 >= 1
            let isOver = (isGone || hasDrained(input, at: time, rules)) && !input.isStanding
            return (cause, relapse.believes(isOver, at: time))
        case .jitter:
            relapse.end()
            return (cause, hasRecoveredFromJitter(input, at: time, rules))
        case .none:
            return (.unknown, false)
        default:
            relapse.end()
            return (cause, !input.isLossy)
        }
    }

    /// A queue of another's that is gone has taken its share with it.
    private mutating func noteStanding(_ input: Input, at time: Double) {
        if input.isStanding { stood = (true, nil, 0) }
        guard stood.isTrue, !input.isStanding else { return }
        if input.queue.risesNow {
            stood.drainedSince = nil
        } else if input.queue.isDrained, stood.drainedSince == nil {
            stood.drainedSince = time
            stood.estimate = input.estimate ?? 0
        }
        if !input.isBandwidthLimited, (input.coverage ?? 1) >= 1 { stood = (false, nil, 0) }
    }

    /// Whether such a queue is gone, and the estimate climbs by more than it does below the capacity of a path.
    private func hasDrained(_ input: Input, at time: Double, _ rules: ConditionRules) -> Bool {
        guard let since = stood.drainedSince, time - since >= 2 * rules.clearTime * 1000 else { return false }
        return input.estimate ?? 0 >= stood.estimate * rules.limitLiftedThroughputRatio
    }

    /// Starts over on another path.
    mutating func restart(at time: Double) {
        self = CongestionClassifier()
        shown.forgetPath(at: time)
    }

    /// Notes that an outage ended: what is short now recovers from it.
    mutating func noteOutage(at time: Double) {
        cause = .connection
        wasSelective = false
        outageAt = time
        relapse = Relapse()
        queuedAt = -.infinity
        ceiling = CapacityEstimate()
        backoff.forgetFalls()
        rebound.forgetPath()
        collapse.forgetPath()
        shown.forgetPath(at: time)
    }

    /// Notes that what was lost was not this path's, nor what is missing since, if nothing else shows a lack of bandwidth.
    ///
    /// - Returns: Whether nothing else shows it: what less comes is not this path's either.
    mutating func noteNoLoss(isShortageInferred: Bool) -> Bool {
        let isUnsupported = queuedAt == -.infinity
        if cause == .packetLoss || cause == .bandwidth && isShortageInferred && isUnsupported {
            cause = .none
        }
        return isUnsupported
    }

    /// Notes that what looked like a queue is a longer path or jitter, and congestion control was mistaken as well; or that
    /// it is the other direction's.
    mutating func noteNoQueue(_ reason: QueueDelayDetector.Refutation, at time: Double) {
        // A longer path makes the estimate fall once.
        if reason != .jitter, cause == .bandwidth, ceiling.isEstablished(at: time) { return }
        queuedAt = -.infinity
        // Of what is the other direction's, this one's congestion control was not mistaken.
        if reason != .otherDirection { refutedAt = time }
        // Jitter leaves the path, and what is usual on it, as it is.
        if reason == .longerPath {
            backoff.forgetPath()
            rebound.forgetPath()
            collapse.forgetPath()
            shown.forgetPath(at: time)
            roundTrips.forgetPath()
            isOverloaded = false
        }
        if cause == .bandwidth { cause = .unknown }
    }

    /// Whether the path is full now: two measurements rose, or one while packets are lost or the estimate is
    /// short, and a media router does not see them pass.
    private mutating func noteQueue(_ input: Input, at time: Double, _ rules: ConditionRules) -> Bool {
        let isSupported = input.isLossy || input.isBandwidthLimited || (input.coverage ?? 1) < 1
        let climbs = climbs(input, rules)
        guard input.queue.risesNow, input.queue.isQueueing || isSupported && !input.isRiseDenied else {
            return false
        }
        if !climbs { queuedAt = time }
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
        // While much more is sent than that a queue fills, or has yet to drain, whatever the estimate does.
        if input.isOverdrawn { return false }
        let overflows = input.recentLoss ?? 0 >= rules.loss.good
        return estimate > (overflows ? max(last, estimates.before ?? last) : last) * rules.risingEstimateRatio
    }

    /// Gathers the evidence; ``CauseTable`` decides.
    private mutating func decide(_ input: Input, at time: Double, _ rules: ConditionRules) {
        if let queue = backoff.clearQueue(rules), !steadiness.isJittery(rules) {
            queuedAt = max(queuedAt, queue)
        }
        let hasQueued = time - queuedAt <= rules.queueingMemory * 1000
        noteOverload(input, at: time, rules)
        let losesWithoutQueue = (input.recentLoss ?? 0) >= rules.loss.good && input.queue.isSpared
        let shortFor = shortSince.map { (time - $0) / 1000 } ?? 0
        let isLasting = shortFor >= rules.unexplainedShortfallDelay
        let reducedFor = reducedSince.map { (time - $0) / 1000 } ?? 0
        let isMistaken = isMistaken(input, at: time, rules)
        let hasStalled = isStalled(input, at: time, rules), wasBandwidth = cause == .bandwidth
        cause = CauseTable.cause(
            PathFindings(
                previous: cause,
                isPresumed: isPresumed,
                isLossy: input.isLossy,
                hasQueued: hasQueued,
                isQueueing: input.queue.isQueueing,
                isOverflowing: input.queue.isOverflowing
                    || hasQueued && time - fellAt <= rules.queueingMemory * 1000,
                isStanding: input.isStanding,
                isJittery: steadiness.isJittery(rules) && !hasSteadyLimit(input, at: time),
                isHeadOfLineBlocked: input.isTCP
                    && mayBeBlocked(input, hasQueued: hasQueued, at: time, rules),
                isUnfounded: isUnfounded(input, at: time, rules),
                carriesMore: carriesMore(input, hasStalled: hasStalled),
                // What is a little short for a moment no one sees.
                isBelowDemand: input.isBandwidthLimited && (input.coverage ?? 1) < 1
                    && (isLasting || input.bandwidthGrade ?? 5 <= 3),
                isReduced: input.isReduced,
                losesWithoutQueue: losesWithoutQueue,
                isIndependent: independence.isShown,
                isSelective: input.isLossSelective,
                isUnanswered: isUnanswered(input, at: time, rules),
                isSuppressed: input.isSuppressed,
                isPersistentlyLimited: isLasting || reducedFor >= rules.unexplainedShortfallDelay,
                isMistaken: isMistaken,
                isOverloaded: isOverloaded && !ceiling.isGone,
                isClimbing: isClimbing
                    || cause == .jitter && backoff.hasEnded(at: time, rules) && !hasStalled,
                isStalled: cause != .jitter && hasStalled))
        isPresumed = cause == .bandwidth && !hasQueued && (isPresumed || !wasBandwidth)
    }

    /// Whether congestion control backs off from queues that are not there.
    private func isUnfounded(_ input: Input, at time: Double, _ rules: ConditionRules) -> Bool {
        // An estimate that has fallen as low as it falls stays there as it would at a limit, and falls no more.
        if timing.isTooSteady(roundTrips, rules), !input.queue.isQueueing { return true }
        // What got through once gets through again.
        if !isOverloaded, collapse.isShown { return true }
        if !input.queue.isQueueing {
            if rebound.isShown(roundTrips, at: time, rules) { return true }
            // By itself it may be the small queue of a limit.
            if !isOverloaded, backoff.fallsOftenWithoutQueue(rules), timing.isSteadier || backoff.hasSpikes {
                return true
            }
        }
        // What was so says nothing of a queue that is there now.
        guard !isOverloaded, !(input.queue.isQueueing && backoff.hasEnded(at: time, rules)) else {
            return false
        }
        return backoff.isUnfounded(rules) && (backoff.varies(rules) || steadiness.isJittery(rules))
    }

    /// Whether packets show that the path carries more, and it is neither from losses nor an outage that the estimate climbs
    /// back: then it falls no further.
    private func carriesMore(_ input: Input, hasStalled: Bool) -> Bool {
        guard !isClimbing, (input.recentLoss ?? 0) < Self.reactionLoss, shown.isMore else { return false }
        return cause != .packetLoss && cause != .connection || hasStalled
            || shown.hasFallen(since: max(disturbedAt, outageAt) + Self.reaction)
    }

    /// Whether jitter holds congestion control back no more, and only the estimate has to climb.
    private func hasRecoveredFromJitter(
        _ input: Input, at time: Double, _ rules: ConditionRules
    ) -> Bool {
        // What arrives does not show when its sender backs off.
        if input.isEstimateInferred, !input.isSent { return isClimbing }
        // While video is withheld congestion control has nothing to back off from.
        if input.isSuppressed { return false }
        return backoff.hasEnded(at: time, rules) && !timing.isTooSteady(roundTrips, rules)
            && !rebound.isShown(roundTrips, at: time, rules) && !collapse.isShown
            && !(shown.isMore && !isClimbing)
    }

    /// Whether what TCP repeats explains that congestion control backs off: no queue stands, and no limit shows.
    private func mayBeBlocked(
        _ input: Input, hasQueued: Bool, at time: Double, _ rules: ConditionRules
    ) -> Bool {
        let hasMoved = hasQueued || steadiness.isJittery(rules) || !backoff.hasEnded(at: time, rules)
        let hasLimit = hasQueued && hasSteadyLimit(input, at: time) || isOverloaded && !ceiling.isGone
        return hasMoved && !hasLimit && !input.isStanding
    }

    /// Whether the estimate falls again and again from one height while media come steadily: there is a limit, and the queue
    /// before it is what makes the round trip times vary.
    private func hasSteadyLimit(_ input: Input, at time: Double) -> Bool {
        !input.isEstimateInferred && ceiling.isEstablished(at: time)
            && input.jitter.map { $0 < Self.steadyJitter } ?? false
    }

    /// Most jitter of media that wait in a steady queue, in seconds.
    private static let steadyJitter = 0.015

    /// Loss makes the estimate fall as far; without a queue it is that, unless the estimate stays where it fell to.
    private mutating func noteOverload(_ input: Input, at now: Double, _ rules: ConditionRules) {
        guard let time = ceiling.overloadedAt else {
            isOverloaded = input.isOverload
            return
        }
        plateau.handle(input.estimate, isLossy: input.isLossy, since: time, at: now)
        if abs(time - queuedAt) <= rules.queueingMemory * 1000 || plateau.isLong { isOverloaded = true }
    }

    /// Whether what looked like a queue was none, and the estimate has not had the time to climb, or climbs still.
    private mutating func isMistaken(_ input: Input, at time: Double, _ rules: ConditionRules) -> Bool {
        guard time - refutedAt < rules.stalledRecoveryTime * 1000 else { return false }
        if let estimate = input.estimate, let lastEstimate,
            estimate > lastEstimate * rules.risingEstimateRatio
        {
            refutedAt = time
        }
        return true
    }

    /// Whether packets have been lost for longer than congestion control takes to react to a queue, and it has not.
    private mutating func isUnanswered(_ input: Input, at time: Double, _ rules: ConditionRules) -> Bool {
        guard input.isLossy, input.isAdaptive, (input.coverage ?? 1) >= 1 else {
            lossySince = nil
            return false
        }
        let since = lossySince ?? time
        lossySince = since
        return time - since >= rules.unexplainedShortfallDelay * 1000
    }

    /// Whether the loss has ended and the estimate stays where it is: it was not the loss that held it down.
    private mutating func isStalled(_ input: Input, at time: Double, _ rules: ConditionRules) -> Bool {
        if input.isLossy { wasSelective = input.isLossSelective }
        guard [.packetLoss, .connection, .jitter].contains(cause), !input.isLossy else {
            stall = nil
            return false
        }
        guard let estimate = input.estimate else { return false }
        // Where one kind alone was lost, its sender may have given it up; what comes of the other shows no limit.
        if input.isEstimateInferred, wasSelective { return false }
        if input.isAtRest {
            stall = nil
            return false
        }
        guard let low = stall, estimate < low.estimate * rules.limitLiftedEstimateRatio else {
            stall = (estimate, time)
            return false
        }
        return time - low.since >= rules.stalledRecoveryTime * 1000
    }
}
