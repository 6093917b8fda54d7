// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Makes the one diagnosis of a stream out of what is known of its path and of itself.
struct DiagnosisJudge: Sendable {
    /// What a tick brings.
    struct Input: Sendable {
        var tick: Tick
        var figures: StreamFigures
        /// What is known, without the grades that are judged here.
        var evidence: StreamEvidence
        /// The publisher's own round trip time, in seconds; `nil` if unknown.
        var publisherRoundTripTime: Double?
        /// How long audio takes from mouth to ear; `nil` if unknown, or if more than its length is wrong with a path.
        var delay: MouthToEarDelay?
        /// The figures that the diagnosis rests on.
        var shown: Diagnosis.Evidence
    }

    private let rules: LevelRules
    private var latency = DebouncedGrade()
    private var delay = DebouncedGrade()
    private var jitter = (audio: DebouncedGrade(), video: DebouncedGrade())
    private var stalls = UplinkStalls()
    private var current = Diagnosis()

    init(rules: LevelRules) { self.rules = rules }

    /// Takes a tick.
    mutating func handle(_ input: Input) -> Diagnosis {
        takeTiming(input)
        var new = find(input)
        new.evidence = new.cause == .none || new.cause == .unknown ? nil : input.shown
        let isSame =
            new.cause == current.cause && new.direction == current.direction && new.side == current.side
        new.since = isSame ? current.since ?? input.tick.stamp : input.tick.stamp
        current = new
        return new
    }

    private mutating func takeTiming(_ input: Input) {
        if input.evidence.path.isOutage || input.evidence.path.cause == .bandwidth {
            // A queue makes both; what it made says nothing about the path without it.
            latency.forget()
            delay.forget()
            jitter = (DebouncedGrade(), DebouncedGrade())
            stalls.forget()
            return
        }
        if !input.evidence.isSubscriber {
            stalls.handle(
                roundTripTimes: input.figures.newestRoundTripTimes,
                audioJitter: input.figures.audioJitter, videoJitter: input.figures.videoJitter,
                pathSeconds: input.evidence.path.pathSeconds, at: input.tick.time)
        }
        // Two kinds of measurement in one tick may meet the same spike.
        if input.evidence.path.queuesElsewhere {
            latency.forget()
        } else if let time = input.figures.roundTripTimes.min() {
            latency.handle(
                grade(time, by: rules.roundTripTime, than: latency.grade), at: input.tick.time,
                upgradeDelay: rules.upgradeDelay,
                sparseInterval: rules.sparseJitterInterval)
        }
        if let value = Self.pathDelay(input) {
            delay.handle(
                grade(value, by: input.evidence.rules.mouthToEarDelay, than: delay.grade),
                at: input.tick.time, upgradeDelay: rules.upgradeDelay,
                sparseInterval: rules.sparseJitterInterval)
        }
        if let value = input.figures.audioJitter {
            jitter.audio.handle(
                grade(value, by: rules.jitter, than: jitter.audio.grade), value, at: input.tick.time,
                upgradeDelay: rules.upgradeDelay,
                sparseInterval: rules.sparseJitterInterval)
        }
        if let value = input.figures.videoJitter {
            let thresholds = rules.jitter.scaled(by: rules.videoJitterFactor)
            jitter.video.handle(
                grade(value, by: thresholds, than: jitter.video.grade), value, at: input.tick.time,
                upgradeDelay: rules.upgradeDelay,
                sparseInterval: rules.sparseJitterInterval)
        }
    }

    /// The delay from mouth to ear, where paths make most of it; buffers that are long have a reason of their own.
    private static func pathDelay(_ input: Input) -> Double? {
        guard let delay = input.delay, delay.paths * 2 >= delay.total,
            !input.evidence.path.queuesElsewhere
        else { return nil }
        return delay.total
    }

    /// The grade of a figure; a better one than the accepted grade only if it is clearly better.
    private func grade(_ value: Double, by thresholds: GradeThresholds, than accepted: Int?) -> Int {
        let grade = thresholds.grade(lowerIsBetter: value)
        guard let accepted, grade > accepted else { return grade }
        return max(accepted, thresholds.grade(lowerIsBetter: value / (1 - rules.hysteresis)))
    }

    /// Gathers the evidence; ``CauseTable`` decides.
    private func find(_ input: Input) -> Diagnosis {
        var evidence = input.evidence
        evidence.previous = current.cause
        evidence.latencyGrade = latency.grade
        evidence.delayGrade = Self.pathDelay(input) == nil ? nil : delay.grade
        evidence.jitterGrade = jitterGrade()
        evidence.arrivesInClumps = stalls.isTrue
        let queued =
            evidence.path.cause == .bandwidth
            ? input.figures.newestRoundTripTimes.compactMap(\.self).max() : nil
        evidence.queueGrade = queued.map { rules.roundTripTime.grade(lowerIsBetter: $0) }
        evidence.publisherLatencyGrade = input.publisherRoundTripTime.map {
            rules.roundTripTime.grade(lowerIsBetter: $0)
        }
        return CauseTable.diagnosis(evidence)
    }

    /// The worse of both media's; but RTCP reports audio every five seconds only, and when video is fine
    /// since, so is the path.
    ///
    /// Video that is no longer reported does not count beside audio.
    private func jitterGrade() -> Int {
        guard let audio = jitter.audio.grade else { return jitter.video.grade ?? 5 }
        guard let video = jitter.video.grade else { return audio }
        let lag = (jitter.video.lastSample ?? 0) - (jitter.audio.lastSample ?? 0)
        if lag <= -rules.upgradeDelay * 1000 { return audio }
        return video == 5 && lag >= rules.upgradeDelay * 1000 ? 5 : min(audio, video)
    }
}
