// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Judges one direction of a transport: its network condition and what drives it.
struct ConditionJudge: Sendable {
    /// What a tick says about the direction.
    struct Input: Sendable {
        var time: Double
        var samples: [LossSample]
        var bandwidth: BandwidthGrader.Input
        /// Round trip times measured since the last tick, in seconds.
        var pairRoundTripTime: Double?
        var mediaRoundTripTime: Double?
        /// Jitter of media, in seconds; `nil` if unknown.
        var jitter: Double?
        /// Whether bytes came on the selected pair; `nil` if unknown.
        var arrived: Bool?
        /// Whether they should.
        var isDue: Bool
        var isConnected: Bool?
        /// Whether the path is another one than before.
        var hasPathChanged: Bool
    }

    private var loss = LossGrader()
    private var bandwidth = BandwidthGrader()
    private var queues = (pair: QueueMeter(), media: QueueMeter())
    private var outage = OutageDetector()
    private var cause = CauseLatch()
    private var demand: Double?
    private var jitter: Double?

    /// Takes a tick.
    mutating func handle(_ input: Input, _ rules: ConditionRules) -> DirectionVerdict {
        if input.hasPathChanged { restart() }
        noteDemand(input.bandwidth.demand)
        jitter = input.jitter ?? jitter
        let isLossy = (loss.grade ?? 5) < 5
        queues.pair.handle(input.pairRoundTripTime, jitter: jitter, isLossy: isLossy, at: input.time, rules)
        queues.media.handle(
            input.mediaRoundTripTime, jitter: jitter, isLossy: isLossy, at: input.time, rules)
        if queues.pair.hasFoundLongerPath || queues.media.hasFoundLongerPath { cause.noteLongerPath() }
        let hasEnded = outage.handle(
            arrived: input.arrived, isDue: input.isDue, isConnected: input.isConnected, at: input.time, rules)
        if hasEnded {
            loss.exclude(until: input.time + rules.gapBooking * 1000)
            cause.noteOutage()
        }
        let isOutage = outage.since != nil
        if !isOutage { loss.handle(input.samples, at: input.time, rules) }
        var figures = input.bandwidth
        figures.isQueueing = queues.pair.isQueueing || queues.media.isQueueing
        figures.hasLoss = (loss.grade ?? 5) < 5
        if !isOutage { bandwidth.handle(figures, at: input.time, rules) }
        return verdict(figures, isOutage: isOutage, at: input.time, rules)
    }

    /// More is wanted than a while ago, as after an unmute: the estimate has to climb first.
    private mutating func noteDemand(_ new: Double?) {
        if let new, let demand, new > demand * 1.5 { bandwidth.restart() }
        demand = new ?? demand
    }

    private mutating func restart() {
        loss.restart()
        bandwidth.restart()
        queues.pair.restart()
        queues.media.restart()
        outage.restart()
    }

    private mutating func verdict(
        _ figures: BandwidthGrader.Input, isOutage: Bool, at time: Double, _ rules: ConditionRules
    ) -> DirectionVerdict {
        var result = DirectionVerdict()
        result.lossGrade = loss.grade
        result.bandwidthGrade = bandwidth.grade
        result.fractionLost = loss.fraction
        result.coverage = bandwidth.coverage
        result.isQueueing = figures.isQueueing
        result.isIdle = figures.demand.map { $0 <= 0 }
        result.isOutage = isOutage
        guard !isOutage else {
            result.condition = .critical
            result.reason = .connection
            result.cause = .connection
            return result
        }
        let found = cause.handle(
            CauseLatch.Input(
                lossGrade: loss.grade, bandwidthGrade: bandwidth.grade, isQueueing: figures.isQueueing,
                estimate: figures.estimate),
            at: time, rules)
        result.cause = found.cause
        result.isRecovering = found.isRecovering
        result.condition = Self.condition(loss.grade, bandwidth.grade, isIdle: result.isIdle == true)
        result.reason = Self.reason(result.condition, found.cause)
        return result
    }

    /// The lower sub-score.
    ///
    /// While only the loss is known it counts if it is bad: the other could only lower it.
    private static func condition(_ loss: Int?, _ bandwidth: Int?, isIdle: Bool) -> NetworkCondition {
        let grade: Int? =
            switch (loss, bandwidth) {
            case (let loss?, let bandwidth?): min(loss, bandwidth)
            case (let loss?, nil): loss <= 3 ? loss : nil
            case (nil, let bandwidth?): bandwidth <= 3 ? bandwidth : nil
            case (nil, nil): nil
            }
        return isIdle ? .unknown : grade.flatMap(NetworkCondition.init) ?? .unknown
    }

    private static func reason(_ condition: NetworkCondition, _ cause: NetworkReason) -> NetworkReason {
        switch condition {
        case .unknown: .unknown
        case .excellent: .none
        default: cause
        }
    }
}
