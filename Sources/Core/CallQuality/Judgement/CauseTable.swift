// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Every rule that decides a cause, a line each: evidence on the right, the cause on the left.
///
/// There are two tables. The first determines what drives one direction of a path, and with it separates loss
/// from a lack of bandwidth; the second determines a stream's cause. Those who gather the evidence
/// (``CongestionClassifier``, ``DiagnosisJudge``) decides nothing.
enum CauseTable {
    /// A line of the first table.
    struct PathRule: Sendable {
        var cause: NetworkReason
        var applies: @Sendable (PathFindings) -> Bool

        init(_ cause: NetworkReason, applies: @escaping @Sendable (PathFindings) -> Bool) {
            self.cause = cause
            self.applies = applies
        }
    }

    /// A line of the second table.
    struct StreamRule: Sendable {
        var cause: Diagnosis.Cause
        var place: Place
        /// Whether the line counts only while none above it applies.
        var ifNoneAbove: Bool
        /// How bad it is; `nil` if it is not so.
        var severity: @Sendable (StreamEvidence) -> Diagnosis.Severity?

        init(
            _ cause: Diagnosis.Cause, _ place: Place = .nowhere, ifNoneAbove: Bool = false,
            severity: @escaping @Sendable (StreamEvidence) -> Diagnosis.Severity?
        ) {
            self.cause = cause
            self.place = place
            self.ifNoneAbove = ifNoneAbove
            self.severity = severity
        }
    }

    /// Where on the path a cause is.
    enum Place: Sendable {
        case nowhere, ownPath, publisherPath, bothDirections
        /// Where the publisher suffers from it, too; a router passes it on.
        case passedOn
    }
}

// MARK: Loss or bandwidth

extension CauseTable {
    /// The driver of a direction in which packets are lost, the estimate is too low, or video is suppressed:
    /// the first line that applies; if none does, it is what it was.
    ///
    /// Only a queue distinguishes loss from a lack of bandwidth
    /// (`Docs/decisions/0010-queues-and-ceilings.md`).
    static let path: [PathRule] = [
        // A queue, and less than what is wanted fits.
        PathRule(.bandwidth) { $0.hasQueued && $0.isBelowDemand },
        // A queue that overflows; an estimate that says otherwise is only slow to fall.
        PathRule(.bandwidth) { $0.hasQueued && $0.isLossy && $0.isQueueing },
        // The same where no one knows the estimate.
        PathRule(.bandwidth) { $0.hasQueued && $0.isLossy && !$0.isEstimateKnown },
        // Loss stays the queue's until it continues without one.
        PathRule(.bandwidth) { $0.isLossy && $0.previous == .bandwidth && !$0.losesWithoutQueue },
        // Loss that no queue explains.
        PathRule(.packetLoss) { $0.isLossy },
        // The leg's sender reports what does not fit.
        PathRule(.bandwidth) { $0.previous == .none && $0.isSuppressed },
        // An estimate that is short for long, and nothing else explains it.
        PathRule(.bandwidth) { $0.previous == .none && $0.isPersistentlyLimited },
        // The loss is over and the estimate stays where it is: it was not the loss that held it down.
        PathRule(.bandwidth) { $0.previous == .packetLoss && $0.isStalled },
    ]

    /// The cause by the first table.
    static func cause(_ evidence: PathFindings) -> NetworkReason {
        path.first { $0.applies(evidence) }?.cause ?? evidence.previous
    }
}

/// What is known of one direction of a path.
struct PathFindings: Sendable {
    /// What drove it in the tick before.
    var previous = NetworkReason.none
    /// Whether packets are lost.
    var isLossy = false
    /// Whether there is a queue, or was one a moment ago.
    var hasQueued = false
    /// Whether there is a queue now.
    var isQueueing = false
    /// Whether the estimate is short, and below what is wanted.
    var isBelowDemand = false
    /// Whether there is an estimate to judge.
    var isEstimateKnown = true
    /// Whether packets are lost over a flat round trip time.
    var losesWithoutQueue = false
    /// Whether the leg's sender holds video back because it does not fit.
    var isSuppressed = false
    /// Whether the estimate has been below what is wanted for long.
    var isPersistentlyLimited = false
    /// Whether the loss has ended and the estimate has not risen since.
    var isStalled = false
}

// MARK: The diagnosis

extension CauseTable {
    /// What is wrong with a stream: of the lines that apply the one with the highest severity, of equals the
    /// first.
    static let stream: [StreamRule] = [
        // The own path.
        StreamRule(.connection, .ownPath) { $0.path.isOutage ? .unusable : nil },
        StreamRule(.packetLoss, .ownPath) { $0.path.cause == .bandwidth ? nil : severity($0.path.lossGrade) },
        StreamRule(.bandwidth, .ownPath) {
            guard $0.path.cause == .bandwidth, !$0.path.isRecovering else { return nil }
            return severity(min($0.path.bandwidthGrade ?? 5, $0.path.lossGrade ?? 5))
        },
        // The publisher's path, while the own one is fine.
        StreamRule(.connection, .publisherPath, ifNoneAbove: true) { publisherSeverity($0, .connection) },
        StreamRule(.packetLoss, .publisherPath, ifNoneAbove: true) { publisherSeverity($0, .packetLoss) },
        StreamRule(.bandwidth, .publisherPath, ifNoneAbove: true) { publisherSeverity($0, .bandwidth) },
        StreamRule(.unknown, .publisherPath, ifNoneAbove: true) { publisherSeverity($0, .unknown) },
        // Media that are missing though all paths are well.
        StreamRule(.media, ifNoneAbove: true) { $0.symptoms.isMediaMissing ? .bad : nil },
        // Long or unsteady paths.
        StreamRule(.latency, .bothDirections) { timingSeverity($0.latencyGrade) },
        StreamRule(.jitter, .passedOn) { timingSeverity($0.jitterGrade) },
        // This device.
        StreamRule(.cpu) { $0.symptoms.isCPULimited ? .disturbing : nil },
        StreamRule(.device) { $0.symptoms.isDeviceSilent ? .bad : nil },
    ]

    /// The diagnosis by the second table, without its side, evidence and time.
    static func diagnosis(_ evidence: StreamEvidence) -> Diagnosis {
        var worst: (rule: StreamRule, severity: Diagnosis.Severity)?
        for rule in stream where worst == nil || !rule.ifNoneAbove {
            guard let severity = rule.severity(evidence), worst.map({ severity > $0.severity }) ?? true
            else { continue }
            worst = (rule, severity)
        }
        guard let worst else { return withoutProblem(evidence) }
        return Diagnosis(
            cause: worst.rule.cause, direction: direction(of: worst.rule.place, evidence),
            severity: worst.severity)
    }

    /// What there is to say where nothing is wrong.
    private static func withoutProblem(_ evidence: StreamEvidence) -> Diagnosis {
        if evidence.path.isRecovering { return Diagnosis(cause: .recovering, direction: evidence.direction) }
        if evidence.publisherCause == .recovering {
            return Diagnosis(cause: .recovering, direction: .uplink)
        }
        let isKnown = evidence.path.lossGrade != nil || evidence.path.isIdle == true
        return Diagnosis(cause: isKnown ? .none : .unknown)
    }
}

/// What is known of a stream.
struct StreamEvidence: Sendable {
    /// The direction of the stream, seen from this end.
    var direction: NetworkDirection
    /// The own path in that direction.
    var path: DirectionVerdict
    /// Grades of the round trip time and of jitter, `1...5`, where no queue explains them.
    var latencyGrade: Int?
    var jitterGrade: Int?
    var symptoms: Symptoms
    /// The publisher's uplink, as far as a subscriber knows it, and what the publisher's own diagnosis names.
    var publisherPath: TransportStats?
    var publisherCause: Diagnosis.Cause?
}

extension CauseTable {
    /// The severity of a condition's grade; `nil` for the best grade, and for none.
    private static func severity(_ grade: Int?) -> Diagnosis.Severity? {
        guard let grade, grade < 5 else { return nil }
        return Diagnosis.Severity(rawValue: min(max(5 - grade, 1), 4)) ?? .noticeable
    }

    /// The severity of a grade of latency or jitter: one step less than a condition's.
    private static func timingSeverity(_ grade: Int?) -> Diagnosis.Severity? {
        grade.flatMap { $0 <= 3 ? severity($0 + 1) : nil }
    }

    /// How bad the publisher's path is by that cause; what one only notices needs a cause that is known.
    private static func publisherSeverity(
        _ evidence: StreamEvidence, _ cause: Diagnosis.Cause
    ) -> Diagnosis.Severity? {
        guard let path = evidence.publisherPath, evidence.publisherCause != .recovering,
            Diagnosis.Cause(path.networkConditionReason) == cause
        else { return nil }
        let isNoticeable = path.networkCondition == .good && cause != .unknown
        return path.networkCondition.isBad || isNoticeable ? severity(path.networkCondition.rawValue) : nil
    }

    private static func direction(of place: Place, _ evidence: StreamEvidence) -> NetworkDirection? {
        switch place {
        case .nowhere: return nil
        case .ownPath: return evidence.direction
        case .publisherPath: return .uplink
        case .bothDirections: return .both
        case .passedOn:
            // Where packets keep their order jitter is a changing latency to the publisher.
            let isPassedOn = evidence.publisherCause == .jitter || evidence.publisherCause == .latency
            return isPassedOn ? .uplink : evidence.direction
        }
    }
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
