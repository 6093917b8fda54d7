// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Judges the leaves of the network quality level of one medium of a stream, in its direction.
struct LevelJudge: Sendable {
    /// Measurements of a tick; a leaf without one keeps its level.
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
    private let jitterThresholds: GradeThresholds
    private var roundTripTime = DebouncedGrade()
    private var jitter = DebouncedGrade()
    private var coverage = DebouncedGrade()
    private var loss = LossGrader()
    private var wasOutage = false
    private var figures: (roundTripTime: Double?, jitter: Double?)

    init(_ configuration: QualityConfiguration, isVideo: Bool) {
        rules = configuration.level
        var lossRules = configuration.condition
        lossRules.loss = rules.loss
        lossRules.hysteresis = rules.hysteresis
        self.lossRules = lossRules
        jitterThresholds = isVideo ? rules.jitter.scaled(by: rules.videoJitterFactor) : rules.jitter
    }

    /// Takes a tick.
    mutating func handle(_ input: Input) -> NetworkQualityDirectionStats {
        if let time = input.roundTripTime {
            believe(
                time, rules.roundTripTime, &roundTripTime, input.time,
                sparseInterval: rules.sparseSampleInterval)
            figures.roundTripTime = time
        }
        if let value = input.jitter {
            believe(value, jitterThresholds, &jitter, input.time, sparseInterval: rules.sparseJitterInterval)
            figures.jitter = value
        }
        if wasOutage, !input.verdict.isOutage {
            loss.exclude(until: input.time + lossRules.outageAccountingGrace * 1000)
        }
        wasOutage = input.verdict.isOutage
        guard !wasOutage else { return outage() }
        loss.handle(input.losses, at: input.time, lossRules)
        return NetworkQualityDirectionStats(
            bandwidth: bandwidth(input), latency: latency(), fractionLost: fractionLost())
    }

    /// A figure where less is better; to be better it must be beyond its limit by the band distance.
    private func believe(
        _ value: Double, _ thresholds: GradeThresholds, _ belief: inout DebouncedGrade, _ time: Double,
        sparseInterval: Double
    ) {
        var grade = thresholds.grade(lowerIsBetter: value)
        if let believed = belief.grade, grade > believed {
            grade = max(believed, thresholds.grade(lowerIsBetter: value / (1 - rules.hysteresis)))
        }
        belief.handle(grade, at: time, upgradeDelay: rules.upgradeDelay, sparseInterval: sparseInterval)
    }

    private mutating func bandwidth(_ input: Input) -> NetworkQualityDirectionStats.Bandwidth? {
        guard let available = input.available, let believed = input.verdict.bandwidthGrade,
            let ratio = input.verdict.coverage
        else { return nil }
        let grade = believed == 5 ? 5 : rules.coverage.grade(higherIsBetter: ratio)
        coverage.handle(
            grade, at: input.time, upgradeDelay: rules.upgradeDelay,
            sparseInterval: rules.sparseSampleInterval)
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

    /// No packets arrive: bad, whatever was measured before.
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
