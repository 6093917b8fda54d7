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
        /// The publisher's uplink, as far as a subscriber knows it.
        var remote: TransportStats?
        var evidence: Diagnosis.Evidence
    }

    private let rules: LevelRules
    private var latency = GradeBelief()
    private var jitter = (audio: GradeBelief(), video: GradeBelief())
    private var current = Diagnosis()

    init(rules: LevelRules) { self.rules = rules }

    /// Takes a tick.
    mutating func handle(_ input: Input) -> Diagnosis {
        if let time = input.figures.roundTripTime {
            latency.handle(rules.roundTripTime.gradeOfLess(time), at: input.time, patience: rules.improvement)
        }
        if let value = input.figures.audioJitter {
            jitter.audio.handle(rules.jitter.gradeOfLess(value), at: input.time, patience: rules.improvement)
        }
        if let value = input.figures.videoJitter {
            let limits = rules.jitter.scaled(by: rules.videoJitterFactor)
            jitter.video.handle(limits.gradeOfLess(value), at: input.time, patience: rules.improvement)
        }
        var new = find(input)
        new.evidence = new.cause == .none || new.cause == .unknown ? nil : input.evidence
        let isSame =
            new.cause == current.cause && new.direction == current.direction && new.side == current.side
        new.since = isSame ? current.since ?? input.time : input.time
        current = new
        return new
    }

    /// The worst of what was found; of equals the first.
    private func find(_ input: Input) -> Diagnosis {
        var candidates = network(input)
        if candidates.isEmpty, input.figures.isMediaMissing {
            candidates.append(Diagnosis(cause: .media, severity: .bad))
        }
        // A queue makes both; its cause is what has to be said.
        let isQueue = candidates.contains { $0.cause == .bandwidth || $0.cause == .connection }
        if !isQueue { candidates += timing(input) }
        if input.figures.isCPULimited { candidates.append(Diagnosis(cause: .cpu, severity: .disturbing)) }
        if input.figures.isDeviceSilent { candidates.append(Diagnosis(cause: .device, severity: .bad)) }
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
        let grade = min(jitter.audio.grade ?? 5, jitter.video.grade ?? 5)
        if grade <= 3 {
            found.append(Diagnosis(cause: .jitter, direction: input.direction, severity: severity(grade + 1)))
        }
        return found
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
        if found.isEmpty, let remote = input.remote, remote.networkCondition.isBad {
            let cause = Diagnosis.Cause(remote.networkConditionReason)
            found.append(
                Diagnosis(
                    cause: cause, direction: .uplink, severity: severity(remote.networkCondition.rawValue)))
        }
        return found
    }

    private func nothing(_ input: Input) -> Diagnosis {
        if input.verdict.isRecovering { return Diagnosis(cause: .recovering, direction: input.direction) }
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
