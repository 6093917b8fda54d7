// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Judges one direction of a transport: its network condition and what drives it.
struct ConditionJudge: Sendable {
    /// What a tick says about the direction.
    struct Input: Sendable {
        var tick: Tick
        var samples: [LossSample]
        /// The kind of media that alone is lost; `nil` if both are or none is.
        var lostKind: MediaKind?
        var bandwidth: BandwidthGrader.Input
        /// Round trip times measured since the last tick, in seconds: of the pair, by RTCP, by the leg's
        /// sender.
        var pairRoundTripTime: Double?
        var mediaRoundTripTime: Double?
        var legRoundTripTime: Double?
        /// Jitter of media, in seconds; `nil` if unknown.
        var jitter: Double?
        /// See ``PacketTiming/Input``.
        var serializationDelay: Double?
        var audioJitter: Double?
        /// What its packets have shown the other end of the path since the last tick, oldest first.
        var pathSeconds: [PathSecond] = []
        /// Whether packets pass freely while round trip times rise.
        var isFree = false
        /// What went the direction, in bps; `nil` if unknown.
        var rate: Double?
        /// What of it was media for the first time, in bps; `nil` if unknown.
        ///
        /// Congestion control fills its probes with repetitions.
        var mediaRate: Double?
        /// Whether the leg's sender holds video back because it does not fit.
        var isSuppressed = false
        /// Whether the leg's sender sends a smaller layer than is wanted because of the network.
        var isReduced = false
        /// Whether it is this end that sends.
        var isSent = false
        /// Whether it sends far more media than its congestion control believes to fit.
        var isOverdrawn = false
        /// Whether the path is TCP, which repeats what it loses.
        var isTCP = false
        /// Whether the sender adapts to congestion: one of audio alone has nothing to give up.
        var isAdaptive = true
        /// Whether packets of video went the direction.
        var hasVideo = false
        /// Whether bytes came on the selected pair; `nil` if unknown.
        var arrived: Bool?
        /// Whether they should.
        var isExpected: Bool
        /// How long nothing may come while it is not known what is usual, in seconds.
        var usualSilence: Double = 0
        /// How long nothing may come in any case, in seconds.
        var leastSilence: Double = 0
        var isConnected: Bool?
        /// Sizes of all video that goes the direction; `nil` if unknown.
        var sizes: VideoSizes?
        /// Whether the path is another one than before.
        var hasPathChanged: Bool
    }

    private var loss = LossGrader()
    private var bandwidth = BandwidthGrader()
    private var queue = QueueDelayDetector()
    private var heldUp = HeldUp()
    private var packetQueue = PacketQueue()
    private var steadyPath = SteadyPath()
    private var outage = OutageDetector()
    private var cause = CongestionClassifier()
    private var throughput = ThroughputShortage()
    private var demand: Double?
    private var jitter: Double?
    /// Whether what is wanted has been sent: what is less at the start is a beginning.
    private var hasSentWanted = false
    /// When video last went the direction, in ms, and how long it may pause.
    private var videoAt = -Double.infinity
    private static let videoPause = 5_000.0
    /// When it last queued, in ms, and for how long that counts, two reports at least: a queue fills and drains.
    private var queueingAt = -Double.infinity
    private static let queueMemory = 3_000.0
    private var interval = UsualInterval()
    /// The highest estimate of late; it fades.
    private var highest = 0.0
    /// Whether congestion control has given nothing up of late.
    private var isUnanswered = false

    /// What is left of the highest estimate after a tick, and the share of it below which something was given up.
    private static let fading = 0.99
    private static let whole = 0.95

    /// Takes a tick.
    mutating func handle(_ input: Input, _ rules: ConditionRules) -> DirectionVerdict {
        if input.hasPathChanged { restart(at: input.tick.time) }
        var input = input
        let rules = rules.forReports(every: interval.handle(input.tick.interval))
        noteDemand(input.bandwidth.demand, rules)
        jitter = input.jitter ?? jitter
        if input.bandwidth.isWantedSent == true { hasSentWanted = true }
        if input.hasVideo { videoAt = input.tick.time }
        heldUp.handle(input.pathSeconds, jitter: jitter, at: input.tick.time)
        steadyPath.handle(input.pathSeconds, at: input.tick.time)
        queue.handle(
            QueueDelayDetector.Input(
                pair: input.pairRoundTripTime, media: input.mediaRoundTripTime, leg: input.legRoundTripTime,
                jitter: jitter, isLossy: (loss.grade ?? 5) < 5, isUnanswered: isUnanswered,
                isHeldUp: heldUp.isSeen, isMoving: heldUp.isMoving, isFree: input.isFree),
            at: input.tick.time, rules)
        if let reason = queue.refutation { cause.noteNoQueue(reason, at: input.tick.time) }
        packetQueue.handle(
            input.pathSeconds, rise: queue.rise, hasRisen: queue.risesNow, at: input.tick.time)
        let hasEnded = outage.handle(
            arrived: input.arrived, isExpected: input.isExpected, isConnected: input.isConnected,
            prior: input.usualSilence, least: input.leastSilence, at: input.tick, rules)
        if hasEnded {
            loss.exclude(until: input.tick.time + rules.outageAccountingGrace * 1000)
            cause.noteOutage(at: input.tick.time)
        }
        let isOutage = outage.since != nil
        if !isOutage { loss.handle(input.samples, at: input.tick.time, rules) }
        noteAnswer(input.bandwidth.estimate)
        substituteEstimate(&input.bandwidth, input, rules)
        if input.bandwidth.estimate == nil { isUnanswered = throughput.isAsUsual }
        var figures = input.bandwidth
        figures.isQueueing = queue.isQueueing
        figures.hasLoss = (loss.grade ?? 5) < 5
        if !isOutage { bandwidth.handle(figures, at: input.tick.time, rules) }
        return verdict(input, figures, isOutage: isOutage, rules)
    }

    /// Holds no losses so far against the path, nor that less came for them: they were not its own.
    mutating func forgetLoss() {
        loss.forgetLosses()
        if cause.noteNoLoss(isShortageInferred: throughput.heldDown != nil) {
            throughput = ThroughputShortage()
        }
    }

    private mutating func noteAnswer(_ estimate: Double?) {
        highest = max(estimate ?? 0, highest * Self.fading)
        isUnanswered = estimate.map { $0 >= highest * Self.whole } ?? false
    }

    /// Where no estimate is reported, what gets through stands for it while it is held down.
    private mutating func substituteEstimate(
        _ figures: inout BandwidthGrader.Input, _ input: Input, _ rules: ConditionRules
    ) {
        guard figures.estimate == nil, figures.demand ?? 1 > 0 else {
            throughput = ThroughputShortage()
            return
        }
        // Audio alone needs more and less by itself, and its sender does not answer losses: a queue shows what does not fit.
        let adapts = input.tick.time - videoAt <= Self.videoPause
        let hasLost = adapts && (loss.newFraction ?? 0) >= rules.loss.good
        throughput.handle(
            ThroughputShortage.Input(
                rate: input.mediaRate,
                isTroubled: queue.risesNow || hasLost || adapts && (loss.grade ?? 5) < 5, hasLost: hasLost,
                jitter: input.jitter, pixels: input.sizes?.pixels,
                isWhole: input.sizes?.areFilled(by: input.mediaRate) ?? false),
            at: input.tick.time, rules)
        guard let heldDown = throughput.heldDown else {
            // The engine says that it is held down, and what it makes of that is all that is known.
            if figures.isLimited == true, let rate = input.mediaRate, let demand = figures.demand,
                rate < demand
            {
                figures.estimate = rate
                figures.isInferred = true
            }
            return
        }
        figures.estimate = heldDown.estimate
        figures.isInferred = true
        figures.demand = min(heldDown.demand, figures.demand ?? .infinity)
        figures.isLimited = true
    }

    /// The demand has risen, as after an unmute: the estimate has to climb first.
    private mutating func noteDemand(_ new: Double?, _ rules: ConditionRules) {
        if let new, let demand, new > demand * rules.demandRise { bandwidth.restart() }
        demand = new ?? demand
    }

    private mutating func restart(at time: Double) {
        loss.restart()
        bandwidth.restart()
        queue.restart()
        heldUp = HeldUp()
        packetQueue = PacketQueue()
        steadyPath = SteadyPath()
        outage.restart()
        throughput = ThroughputShortage()
        cause.restart(at: time)
        jitter = nil
    }

    private mutating func verdict(
        _ input: Input, _ figures: BandwidthGrader.Input, isOutage: Bool, _ rules: ConditionRules
    ) -> DirectionVerdict {
        var result = DirectionVerdict()
        result.lossGrade = loss.grade
        result.bandwidthGrade = bandwidth.grade
        result.fractionLost = loss.fraction
        result.coverage = bandwidth.coverage
        result.isQueueing = figures.isQueueing
        result.isHeldUp = isHeldUp
        result.isSteady = steadyPath.isShown
        result.pathSeconds = input.pathSeconds
        if figures.isQueueing { queueingAt = input.tick.time }
        let memory = max(Self.queueMemory, 2000 * (input.tick.interval ?? 0))
        result.hasQueued = input.tick.time - queueingAt <= memory
        result.isIdle = figures.demand.map { $0 <= 0 }
        result.isOutage = isOutage
        result.isWholeOutage = isOutage && outage.isWhole
        guard !isOutage else {
            result.condition = .critical
            result.reason = .connection
            result.cause = .connection
            return result
        }
        let found = cause.handle(
            CongestionClassifier.Input(
                lossGrade: loss.grade, recentLoss: loss.recentFraction(at: input.tick.time, rules),
                newLoss: loss.newFraction, isLossSelective: input.lostKind != nil,
                bandwidthGrade: bandwidth.grade, coverage: bandwidth.coverage,
                queue: queue, estimate: figures.estimate,
                isEstimateInferred: figures.isInferred,
                isHeldUp: packetQueue.delay != nil && (figures.estimate == nil || figures.isInferred),
                isRiseDenied: packetQueue.deniesRise, isSent: input.isSent,
                isOverdrawn: input.isOverdrawn, isOverload: throughput.isOverload,
                isWhole: input.sizes?.areFilled(by: input.mediaRate) ?? false, delivered: input.rate,
                isSuppressed: input.isSuppressed, isReduced: input.isReduced && hasSentWanted,
                isTCP: input.isTCP, isAdaptive: input.isAdaptive, jitter: jitter,
                roundTripTimes: [
                    input.pairRoundTripTime, input.mediaRoundTripTime, input.legRoundTripTime,
                ],
                serializationDelay: input.serializationDelay, audioJitter: input.audioJitter,
                pathSeconds: input.pathSeconds, demand: figures.demand),
            at: input.tick.time, rules)
        result.cause = found.cause
        result.isInferred = throughput.heldDown != nil
        result.isRecovering = found.isRecovering
        result.isClimbing = cause.isClimbing
        result.condition = condition(isIdle: result.isIdle == true)
        result.reason = Self.reason(result.condition, found.cause)
        return result
    }

    /// Whether all packets are held up for so long that it is worth a word.
    private var isHeldUp: Bool {
        packetQueue.delay != nil || !packetQueue.isRefuted && heldUp.delay ?? 0 >= PacketQueue.long.begins
    }

    /// The lower sub-score.
    ///
    /// While only the loss is known it counts if it is bad, since the other could only lower it, or if the
    /// other will not be known.
    private func condition(isIdle: Bool) -> NetworkCondition {
        let grade: Int? =
            switch (loss.grade, bandwidth.grade) {
            case (let loss?, let bandwidth?): min(loss, bandwidth)
            case (let loss?, nil): loss <= 3 || bandwidth.isUnjudgeable ? loss : nil
            case (nil, let bandwidth?): bandwidth <= 3 ? bandwidth : nil
            case (nil, nil): nil
            }
        return isIdle ? .unknown : grade.flatMap(NetworkCondition.init) ?? .unknown
    }

    private static func reason(_ condition: NetworkCondition, _ cause: PathCause) -> NetworkReason {
        switch condition {
        case .unknown: .unknown
        case .excellent: .none
        default: NetworkReason(cause)
        }
    }
}

extension NetworkReason {
    /// The reason of a condition; Vonage's words have none for jitter.
    fileprivate init(_ cause: PathCause) {
        self =
            switch cause {
            case .none: .none
            case .packetLoss: .packetLoss
            case .bandwidth: .bandwidth
            case .connection: .connection
            case .jitter, .unknown: .unknown
            }
    }
}
