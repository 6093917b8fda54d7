// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Makes the one diagnosis of a stream out of what is known of its path and of itself.
struct DiagnosisJudge: Sendable {
    /// What a tick brings.
    struct Input: Sendable {
        var time: Double
        var verdict: DirectionVerdict
        var direction: NetworkDirection
        var figures: StreamFigures
        /// The side of a subscriber's problem; `nil` for publishers.
        var source: NetworkDegradationSource?
        /// The publisher's uplink, as far as a subscriber knows it, and what the publisher's own diagnosis
        /// names.
        var remote: TransportStats?
        var remoteCause: Diagnosis.Cause?
        var evidence: Diagnosis.Evidence
    }

    private let rules: LevelRules
    private var latency = DebouncedGrade()
    private var jitter = (audio: DebouncedGrade(), video: DebouncedGrade())
    private var current = Diagnosis()

    init(rules: LevelRules) { self.rules = rules }

    /// Takes a tick.
    mutating func handle(_ input: Input) -> Diagnosis {
        takeTiming(input)
        var new = find(input)
        new.evidence = new.cause == .none || new.cause == .unknown ? nil : input.evidence
        let isSame =
            new.cause == current.cause && new.direction == current.direction && new.side == current.side
        new.since = isSame ? current.since ?? input.time : input.time
        current = new
        return new
    }

    private mutating func takeTiming(_ input: Input) {
        if input.verdict.isOutage || input.verdict.cause == .bandwidth {
            // A queue makes both; what it made says nothing about the path without it.
            latency.forget()
            jitter = (DebouncedGrade(), DebouncedGrade())
            return
        }
        for time in input.figures.roundTripTimes {
            latency.handle(
                rules.roundTripTime.grade(lowerIsBetter: time), at: input.time,
                upgradeDelay: rules.upgradeDelay,
                sparseInterval: rules.sparseSampleInterval)
        }
        if let value = input.figures.audioJitter {
            jitter.audio.handle(
                rules.jitter.grade(lowerIsBetter: value), value, at: input.time,
                upgradeDelay: rules.upgradeDelay,
                sparseInterval: rules.sparseJitterInterval)
        }
        if let value = input.figures.videoJitter {
            let thresholds = rules.jitter.scaled(by: rules.videoJitterFactor)
            jitter.video.handle(
                thresholds.grade(lowerIsBetter: value), value, at: input.time,
                upgradeDelay: rules.upgradeDelay,
                sparseInterval: rules.sparseJitterInterval)
        }
    }

    /// Gathers the evidence; ``CauseTable`` decides.
    private func find(_ input: Input) -> Diagnosis {
        var found = CauseTable.diagnosis(
            StreamEvidence(
                direction: input.direction, path: input.verdict, latencyGrade: latency.grade,
                jitterGrade: jitterGrade(), symptoms: input.figures.symptoms, publisherPath: input.remote,
                publisherCause: input.remoteCause))
        found.side = input.source.map { side(of: found, $0) }
        return found
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

    /// A problem of the device is of the own side; one of the network, of the side that is to blame.
    private func side(
        of diagnosis: Diagnosis, _ source: NetworkDegradationSource
    ) -> NetworkDegradationSource {
        switch diagnosis.cause {
        case .cpu, .device: .local
        case .media: source == .none ? .remote : source
        case .jitter where diagnosis.direction == .uplink: .remote
        case .packetLoss, .bandwidth, .connection, .jitter, .latency:
            source == .none ? (diagnosis.direction == .uplink ? .remote : .local) : source
        case .recovering: diagnosis.direction == .uplink ? .remote : .local
        case .none: NetworkDegradationSource.none
        case .unknown: diagnosis.severity == nil ? .unknown : source
        }
    }
}
