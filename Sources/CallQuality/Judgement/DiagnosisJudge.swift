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
        /// Whose side a subscriber's trouble is; `nil` for publishers.
        var source: NetworkDegradationSource?
        /// The publisher's uplink, as far as a subscriber knows it, and what the publisher's own diagnosis names.
        var remote: TransportStats?
        var remoteCause: Diagnosis.Cause?
        var evidence: Diagnosis.Evidence
    }

    private let rules: LevelRules
    private var latency = GradeBelief()
    private var jitter = (audio: GradeBelief(), video: GradeBelief())
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
            jitter = (GradeBelief(), GradeBelief())
            return
        }
        for time in input.figures.roundTripTimes {
            latency.handle(
                rules.roundTripTime.gradeOfLess(time), at: input.time, patience: rules.improvement,
                seldom: rules.seldom)
        }
        if let value = input.figures.audioJitter {
            jitter.audio.handle(
                rules.jitter.gradeOfLess(value), value, at: input.time, patience: rules.improvement,
                seldom: rules.seldomJitter)
        }
        if let value = input.figures.videoJitter {
            let limits = rules.jitter.scaled(by: rules.videoJitterFactor)
            jitter.video.handle(
                limits.gradeOfLess(value), value, at: input.time, patience: rules.improvement,
                seldom: rules.seldomJitter)
        }
    }

    /// The worst of what was found; of equals the first.
    private func find(_ input: Input) -> Diagnosis {
        var candidates = network(input)
        if candidates.isEmpty, input.figures.symptoms.isMediaMissing {
            candidates.append(Diagnosis(cause: .media, severity: .bad))
        }
        candidates += timing(input)
        if input.figures.symptoms.isCPULimited { candidates.append(Diagnosis(cause: .cpu, severity: .disturbing)) }
        if input.figures.symptoms.isDeviceSilent { candidates.append(Diagnosis(cause: .device, severity: .bad)) }
        var worst: Diagnosis?
        for candidate in candidates where worst == nil || candidate.weight > worst?.weight ?? 0 {
            worst = candidate
        }
        guard var worst else { return nothing(input) }
        worst.side = input.source.map { side(of: worst, $0) }
        return worst
    }

    /// Long or irregular ways.
    private func timing(_ input: Input) -> [Diagnosis] {
        var found: [Diagnosis] = []
        if let grade = latency.grade, grade <= 3 {
            found.append(Diagnosis(cause: .latency, direction: .both, severity: severity(grade + 1)))
        }
        let grade = jitterGrade()
        if grade <= 3 {
            // A router passes the publisher's jitter on; where packets keep their order it is a changing latency there.
            let isPassedOn = input.remoteCause == .jitter || input.remoteCause == .latency
            let direction = isPassedOn ? .uplink : input.direction
            found.append(Diagnosis(cause: .jitter, direction: direction, severity: severity(grade + 1)))
        }
        return found
    }

    /// The worse of both media's; but RTCP tells of audio every five seconds only, and when video is well
    /// since, so is the path.
    ///
    /// Video that nobody tells of any more says nothing beside audio.
    private func jitterGrade() -> Int {
        guard let audio = jitter.audio.grade else { return jitter.video.grade ?? 5 }
        guard let video = jitter.video.grade else { return audio }
        let lag = (jitter.video.lastSample ?? 0) - (jitter.audio.lastSample ?? 0)
        if lag <= -rules.improvement * 1000 { return audio }
        return video == 5 && lag >= rules.improvement * 1000 ? 5 : min(audio, video)
    }

    /// What the own path suffers from, else what the publisher's does.
    private func network(_ input: Input) -> [Diagnosis] {
        let verdict = input.verdict
        if verdict.isOutage {
            return [Diagnosis(cause: .connection, direction: input.direction, severity: .unusable)]
        }
        var found: [Diagnosis] = []
        if let grade = verdict.lossGrade, grade < 5, verdict.cause != .bandwidth {
            found.append(Diagnosis(cause: .packetLoss, direction: input.direction, severity: severity(grade)))
        }
        let grade = min(verdict.bandwidthGrade ?? 5, verdict.lossGrade ?? 5)
        if grade < 5, verdict.cause == .bandwidth, !verdict.isRecovering {
            found.append(Diagnosis(cause: .bandwidth, direction: input.direction, severity: severity(grade)))
        }
        if found.isEmpty, let remote = input.remote, input.remoteCause != .recovering,
            let trouble = publisherTrouble(remote)
        {
            found.append(trouble)
        }
        return found
    }

    /// What the publisher's path suffers from; what one only notices needs a reason that is known.
    private func publisherTrouble(_ remote: TransportStats) -> Diagnosis? {
        let cause = Diagnosis.Cause(remote.networkConditionReason)
        let isNoticeable = remote.networkCondition == .good && cause != .unknown
        guard remote.networkCondition.isBad || isNoticeable else { return nil }
        return Diagnosis(
            cause: cause, direction: .uplink, severity: severity(remote.networkCondition.rawValue))
    }

    private func nothing(_ input: Input) -> Diagnosis {
        if input.verdict.isRecovering {
            let side: NetworkDegradationSource? = input.source.map { _ in .local }
            return Diagnosis(cause: .recovering, direction: input.direction, side: side)
        }
        if input.remoteCause == .recovering {
            return Diagnosis(cause: .recovering, direction: .uplink, side: .remote)
        }
        let isKnown = input.verdict.lossGrade != nil || input.verdict.isIdle == true
        let side: NetworkDegradationSource? =
            input.source == nil ? nil : isKnown ? NetworkDegradationSource.none : .unknown
        return Diagnosis(cause: isKnown ? .none : .unknown, side: side)
    }

    /// Trouble of the device is the own side; of the network, the side that is to blame.
    private func side(
        of diagnosis: Diagnosis, _ source: NetworkDegradationSource
    ) -> NetworkDegradationSource {
        switch diagnosis.cause {
        case .cpu, .device: .local
        case .media: source == .none ? .remote : source
        case .jitter where diagnosis.direction == .uplink: .remote
        case .packetLoss, .bandwidth, .connection, .jitter, .latency:
            source == .none ? (diagnosis.direction == .uplink ? .remote : .local) : source
        default: source
        }
    }

    private func severity(_ grade: Int) -> Diagnosis.Severity {
        Diagnosis.Severity(rawValue: min(max(5 - grade, 1), 4)) ?? .noticeable
    }
}

extension Diagnosis {
    fileprivate var weight: Int { severity?.rawValue ?? 0 }
}

extension Diagnosis.Cause {
    fileprivate init(_ reason: NetworkReason) {
        self =
            switch reason {
            case .bandwidth: .bandwidth
            case .packetLoss: .packetLoss
            case .connection: .connection
            case .none, .unknown, .networkConditionChange: .unknown
            }
    }
}
