// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Judges the leaves of the network quality level of one medium of a stream, in its direction.
struct LevelJudge: Sendable {
    /// What a tick brings; what it does not measure keeps its level.
    struct Input: Sendable {
        var time: Double
        var verdict: DirectionVerdict
        var roundTripTime: Double?
        var jitter: Double?
        var losses: [LossSample]
        /// bps; `nil` for audio, whose bandwidth is not judged.
        var available: Double?
        var actual: Double?
    }

    private let rules: LevelRules
    private let lossRules: ConditionRules
    private let jitterLimits: GradeLimits
    private var roundTripTime = GradeBelief()
    private var jitter = GradeBelief()
    private var coverage = GradeBelief()
    private var loss = LossGrader()
    private var wasOutage = false
    private var figures: (roundTripTime: Double?, jitter: Double?)

    init(_ configuration: QualityConfiguration, isVideo: Bool) {
        rules = configuration.level
        var lossRules = configuration.condition
        lossRules.loss = rules.loss
        lossRules.bandDistance = rules.bandDistance
        self.lossRules = lossRules
        jitterLimits = isVideo ? rules.jitter.scaled(by: rules.videoJitterFactor) : rules.jitter
    }

    /// Takes a tick.
    mutating func handle(_ input: Input) -> NetworkQualityDirectionStats {
        if let time = input.roundTripTime {
            believe(time, rules.roundTripTime, &roundTripTime, input.time, seldom: rules.seldom)
            figures.roundTripTime = time
        }
        if let value = input.jitter {
            believe(value, jitterLimits, &jitter, input.time, seldom: rules.seldomJitter)
            figures.jitter = value
        }
        if wasOutage, !input.verdict.isOutage {
            loss.exclude(until: input.time + lossRules.gapBooking * 1000)
        }
        wasOutage = input.verdict.isOutage
        guard !wasOutage else { return outage() }
        loss.handle(input.losses, at: input.time, lossRules)
        return NetworkQualityDirectionStats(
            bandwidth: bandwidth(input), latency: latency(), fractionLost: fractionLost())
    }

    /// A figure where less is better; to be better it must be beyond its limit by the band distance.
    private func believe(
        _ value: Double, _ limits: GradeLimits, _ belief: inout GradeBelief, _ time: Double, seldom: Double
    ) {
        var grade = limits.gradeOfLess(value)
        if let believed = belief.grade, grade > believed {
            grade = max(believed, limits.gradeOfLess(value / (1 - rules.bandDistance)))
        }
        belief.handle(grade, at: time, patience: rules.improvement, seldom: seldom)
    }

    private mutating func bandwidth(_ input: Input) -> NetworkQualityDirectionStats.Bandwidth? {
        guard let available = input.available, let believed = input.verdict.bandwidthGrade,
            let ratio = input.verdict.coverage
        else { return nil }
        let grade = believed == 5 ? 5 : rules.coverage.gradeOfMore(ratio)
        coverage.handle(
            grade, at: input.time, patience: rules.improvement, seldom: rules.seldom)
        return .init(level: .init(coverage.grade), actual: input.actual, available: available)
    }

    private func latency() -> NetworkQualityDirectionStats.Latency? {
        guard roundTripTime.grade != nil || jitter.grade != nil else { return nil }
        let level = NetworkQualityLevel.lowest([.init(roundTripTime.grade), .init(jitter.grade)])
        return .init(level: level, jitter: figures.jitter, rtt: figures.roundTripTime)
    }

    private func fractionLost() -> NetworkQualityDirectionStats.FractionLost? {
        loss.grade.map { .init(level: .init($0), fractionLost: loss.fraction) }
    }

    /// Nothing gets through: bad, whatever was measured before.
    private func outage() -> NetworkQualityDirectionStats {
        NetworkQualityDirectionStats(fractionLost: .init(level: .one, fractionLost: nil))
    }
}

extension NetworkQualityLevel {
    /// The level of a grade, `1...5`.
    init(_ grade: Int?) {
        self = grade.flatMap(NetworkQualityLevel.init(rawValue:)) ?? .unknown
    }
}
