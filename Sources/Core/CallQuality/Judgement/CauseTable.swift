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
        var cause: PathCause
        var applies: @Sendable (PathFindings) -> Bool

        init(_ cause: PathCause, applies: @escaping @Sendable (PathFindings) -> Bool) {
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
        /// How sure the line is.
        var confidence: Diagnosis.Confidence
        /// How bad it is; `nil` if it is not so.
        var severity: @Sendable (StreamEvidence) -> Diagnosis.Severity?

        init(
            _ cause: Diagnosis.Cause, _ place: Place, ifNoneAbove: Bool = false,
            _ confidence: Diagnosis.Confidence = .high,
            severity: @escaping @Sendable (StreamEvidence) -> Diagnosis.Severity?
        ) {
            self.cause = cause
            self.place = place
            self.ifNoneAbove = ifNoneAbove
            self.confidence = confidence
            self.severity = severity
        }
    }

    /// A line that applies.
    struct Found {
        var rule: StreamRule
        var severity: Diagnosis.Severity
    }

    /// Where a cause is: that decides the direction and the side.
    enum Place: Sendable {
        /// The own path, in the direction of the stream.
        case ownPath
        /// The publisher's uplink.
        case publisherPath
        /// What lies before the own path as far as a router divides it; else the path of both.
        case farPath
        /// The longer of both paths; a round trip time has no direction.
        case longerPath
        /// Where the publisher suffers from it, too; a router passes it on.
        case passedOn
        /// This device.
        case ownDevice
        /// The publisher's device.
        case publisherDevice
        /// What plays on it.
        case ownPlayout
        /// Whoever should send what is missing.
        case sender
        /// Either end, or a server between them: nothing tells.
        case unclear

        /// Whether it is not on the path, of which a server may spoil all at once.
        var isOfEnd: Bool {
            switch self {
            case .ownDevice, .publisherDevice, .ownPlayout, .sender, .unclear: true
            case .ownPath, .publisherPath, .farPath, .longerPath, .passedOn: false
            }
        }
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
        // Congestion control backs off from a queue that is not there: the delay varies.
        PathRule(.jitter) {
            $0.isUnfounded && ($0.isBelowDemand || $0.isReduced) && !$0.isLossy && !$0.isStanding
        },
        // Its packets show that the path carries more, and what little is lost is no reason for congestion control.
        PathRule(.jitter) { $0.carriesMore && ($0.isBelowDemand || $0.isReduced) && !$0.isStanding },
        // Of what goes by TCP nothing is lost; what follows a loss waits, and congestion control takes that for a queue.
        PathRule(.jitter) {
            $0.isHeadOfLineBlocked && ($0.isBelowDemand || $0.isReduced) && !$0.isLossy
                && $0.previous.mayBeOther
        },
        // As much is lost of much less than got through before: no queue of this flow's own is it.
        PathRule(.packetLoss) { $0.isLossy && $0.isIndependent && !$0.isQueueing && !$0.isStanding },
        // A queue loses audio and video alike; where none was seen, what takes one of them is not one.
        PathRule(.packetLoss) { $0.isLossy && $0.isSelective && !$0.hasQueued },
        // A queue, and less than what is wanted fits; losses beside it are its overflow, or the queue is a spike.
        PathRule(.bandwidth) { $0.hasQueued && $0.isBelowDemand && $0.isLossy && $0.isOverflowing },
        // The same without losses; after losses the estimate has to climb first.
        PathRule(.bandwidth) {
            $0.hasQueued && $0.isBelowDemand && !$0.isLossy && ($0.previous != .packetLoss || $0.isQueueing)
        },
        // What was sent did not all get through, and less does since.
        PathRule(.bandwidth) { $0.isOverloaded && $0.isBelowDemand && !$0.isLossy },
        // A queue that overflows; an estimate that says otherwise is only slow to fall.
        PathRule(.bandwidth) {
            $0.hasQueued && $0.isLossy && $0.isQueueing && $0.isOverflowing && !$0.isUnanswered
        },
        // Loss stays the queue's until it continues without one.
        PathRule(.bandwidth) {
            $0.isLossy && $0.previous == .bandwidth && !$0.losesWithoutQueue && !$0.isUnanswered
        },
        // Loss that no queue explains.
        PathRule(.packetLoss) { $0.isLossy },
        // A queue that stands: another flow fills it, and what is ours waits in it.
        PathRule(.bandwidth) { $0.isStanding },
        // Congestion control is held back, and nothing queues: the delay varies.
        PathRule(.jitter) {
            ($0.previous.mayBeOther || $0.isPresumed) && $0.isPersistentlyLimited && $0.isJittery
        },
        // While video is withheld nothing shows what the path carries: what was mistaken when it was is so still.
        PathRule(.jitter) { $0.previous == .jitter && $0.isSuppressed && !$0.hasQueued },
        // The leg's sender reports what does not fit.
        PathRule(.bandwidth) { $0.previous.mayBeOther && $0.isSuppressed },
        // An estimate that is short for long, and nothing else explains it.
        PathRule(.bandwidth) {
            $0.previous.mayBeOther && $0.isPersistentlyLimited && !$0.isMistaken && !$0.isClimbing
        },
        // The loss or the outage is over and the estimate stays where it is: it was not that which held it down.
        PathRule(.bandwidth) { $0.isStalled },
    ]

    /// The cause by the first table.
    static func cause(_ evidence: PathFindings) -> PathCause {
        path.first { $0.applies(evidence) }?.cause ?? evidence.previous
    }
}

/// What drives one direction of a path.
enum PathCause: Sendable {
    case none, packetLoss, bandwidth, jitter, connection, unknown

    /// Whether nothing better was known than that it may be something else.
    var mayBeOther: Bool { self == .none || self == .unknown || self == .jitter }
}

/// What is known of one direction of a path.
struct PathFindings: Sendable {
    /// What drove it in the tick before.
    var previous = PathCause.none
    /// Whether it was taken for a lack of bandwidth though no queue has been seen.
    var isPresumed = false
    /// Whether packets are lost.
    var isLossy = false
    /// Whether there is a queue, or was one a moment ago.
    var hasQueued = false
    /// Whether there is a queue now.
    var isQueueing = false
    /// Whether it is the queue that loses what is lost.
    var isOverflowing = false
    /// Whether there has been a queue for long.
    var isStanding = false
    /// Whether the delay varies, and nothing queues for long.
    var isJittery = false
    /// Whether packets may wait for those before them that are repeated, as they do in TCP (head-of-line blocking): the delay
    /// moves or congestion control backs off, and neither does a queue stand nor a limit show.
    var isHeadOfLineBlocked = false
    /// Whether congestion control backs off without a queue.
    var isUnfounded = false
    /// Whether packets show that the path carries more than congestion control believes, and no loss explains that.
    var carriesMore = false
    /// Whether the estimate is short, and below what is wanted.
    var isBelowDemand = false
    /// Whether the sender of a leg sends a smaller layer than is wanted.
    var isReduced = false
    /// Whether packets are lost over a flat round trip time.
    var losesWithoutQueue = false
    /// Whether much less is sent than got through before, and packets are lost all the same.
    var isIndependent = false
    /// Whether audio or video alone is lost.
    var isSelective = false
    /// Whether congestion control does not react to the losses, as it does to a queue's.
    var isUnanswered = false
    /// Whether the leg's sender holds video back because it does not fit.
    var isSuppressed = false
    /// Whether the estimate has been below what is wanted for long.
    var isPersistentlyLimited = false
    /// Whether what looked like a queue was none a moment ago: the estimate needs time to climb.
    var isMistaken = false
    /// Whether the estimate fell to much less than was sent, and has not climbed above that since.
    var isOverloaded = false
    /// Whether the estimate rises steadily, or the delay no longer varies and it rises.
    var isClimbing = false
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
        StreamRule(.packetLoss, .ownPath) { $0.path.cause == .bandwidth ? nil : $0.lossSeverity },
        StreamRule(.bandwidth, .ownPath) {
            $0.path.cause == .bandwidth && !$0.path.isRecovering && !$0.isOnlyStalling
                ? $0.shortageSeverity : nil
        },
        // Congestion control takes a delay that varies for a queue.
        StreamRule(.jitter, .ownPath, .medium) {
            $0.path.cause == .jitter && !$0.path.isRecovering ? $0.shortageSeverity : nil
        },
        // Its engine says that bandwidth limits the encoder, and what is sent is smaller or slower than it could be.
        StreamRule(.bandwidth, .ownPath, ifNoneAbove: true, .medium) {
            $0.encoder == .limitedByBandwidth ? max($0.reductionSeverity ?? .noticeable, .noticeable) : nil
        },
        // The publisher's path.
        StreamRule(.connection, .publisherPath) { $0.publisherSeverity(.connection) },
        StreamRule(.packetLoss, .publisherPath) { $0.publisherLossSeverity },
        // Of several that come the same way this one alone has losses: they were there when the server got it.
        StreamRule(.packetLoss, .publisherPath, ifNoneAbove: true, .medium) { $0.senderLossSeverity },
        StreamRule(.bandwidth, .publisherPath) { $0.publisherSeverity(.bandwidth) },
        StreamRule(.jitter, .publisherPath, .medium) { $0.publisherSeverity(.jitter) },
        StreamRule(.latency, .publisherPath, .medium) { $0.publisherSeverity(.latency) },
        StreamRule(.unknown, .publisherPath, ifNoneAbove: true, .low) { $0.publisherSeverity(.unknown) },
        // Firefox estimates nothing, and no condition comes with what its publisher says.
        StreamRule(.bandwidth, .publisherPath, ifNoneAbove: true, .medium) {
            $0.isOnlySaid(.bandwidth) ? .noticeable : nil
        },
        StreamRule(.jitter, .publisherPath, ifNoneAbove: true, .medium) {
            $0.isOnlySaid(.jitter) ? .noticeable : nil
        },
        // The wanted layer is forwarded, the own path has room for it, and the video in it is small; or a peer sends it smaller
        // than before, in fewer bits.
        StreamRule(.bandwidth, .farPath, ifNoneAbove: true, .low) {
            $0.isReducedBySender ? $0.reductionSeverity : nil
        },
        // Media that are missing though all paths are well.
        StreamRule(.media, .sender, ifNoneAbove: true) {
            $0.symptoms.isMediaMissing && !$0.symptoms.isMissingAtSource ? .bad : nil
        },
        // The publisher's encoder has no time for its frames: they are few, and come when they are ready.
        StreamRule(.cpu, .publisherDevice, .medium) { $0.publisherProcessorSeverity },
        // Packets that come late in clumps freeze video though none is lost; long or unsteady paths.
        StreamRule(.jitter, .ownPath, .medium) { $0.isStalledBefore ? nil : $0.stallSeverity },
        StreamRule(.jitter, .publisherPath, .medium) {
            $0.isStalledBefore && !$0.isRepeatedLate ? $0.stallSeverity : nil
        },
        StreamRule(.latency, .publisherPath, .medium) { $0.isRepeatedLate ? $0.stallSeverity : nil },
        StreamRule(.latency, .longerPath) {
            // Packets that stall make their round trips long.
            $0.stallSeverity == nil ? $0.latencySeverity : nil
        },
        StreamRule(.jitter, .passedOn) { StreamEvidence.timingSeverity($0.jitterGrade) },
        StreamRule(.jitter, .passedOn, ifNoneAbove: true, .medium) { $0.arrivesInClumps ? .noticeable : nil },
        // The jitter buffer holds audio back, so that what comes late is still in time.
        StreamRule(.jitter, .passedOn, ifNoneAbove: true, .medium) { $0.jitterDelaySeverity },
        // This device.
        StreamRule(.cpu, .ownDevice) {
            $0.symptoms.isCPULimited ? max($0.reductionSeverity ?? .noticeable, .disturbing) : nil
        },
        StreamRule(.device, .ownDevice) { $0.symptoms.isDeviceSilent ? .bad : nil },
        StreamRule(.device, .ownPlayout) { $0.playoutSeverity },
        // Lips that do not match the voice: a sender's clock, a server's, or a receiver that does not keep up.
        StreamRule(.outOfSync, .unclear, ifNoneAbove: true, .medium) {
            $0.symptoms.isOutOfSync ? .disturbing : nil
        },
        // Video that stops and resumes, again and again, and nothing above says why.
        StreamRule(.media, .sender, ifNoneAbove: true, .medium) { $0.stutterSeverity },
        // Audio that is missing again and again and was not sent, or was lost before the server.
        StreamRule(.media, .sender, ifNoneAbove: true, .medium) { $0.gapSeverity },
    ]

    /// The diagnosis by the second table, without its evidence and time.
    static func diagnosis(_ evidence: StreamEvidence) -> Diagnosis {
        var found: [Found] = []
        for rule in stream where found.isEmpty || !rule.ifNoneAbove {
            if let severity = rule.severity(evidence) { found.append(Found(rule: rule, severity: severity)) }
        }
        guard let most = found.map(\.severity).max(), let worst = found.first(where: { $0.severity == most })
        else { return withoutProblem(evidence) }
        let others = found.filter { $0.rule.cause != worst.rule.cause }
        let second = others.max { $0.severity < $1.severity }
        // Another cause that explains as much makes either less sure, and so does what is inferred.
        let isRivalled = second?.severity == worst.severity && worst.rule.confidence == .high
        let isInferred =
            evidence.path.isInferred && worst.rule.place == .ownPath && worst.rule.cause == .bandwidth
        let side = evidence.side(of: worst.rule, found)
        return Diagnosis(
            cause: worst.rule.cause, direction: evidence.direction(of: worst.rule.place),
            side: evidence.isSubscriber || side == .server ? side : nil,
            severity: worst.severity,
            confidence: isInferred ? .low : isRivalled ? .medium : worst.rule.confidence,
            runnerUp: second?.rule.cause,
            track: evidence.track(of: worst.rule.cause))
    }

    /// What there is to say where nothing is wrong.
    private static func withoutProblem(_ evidence: StreamEvidence) -> Diagnosis {
        let isSubscriber = evidence.isSubscriber
        if evidence.path.isRecovering {
            let side = isSubscriber ? evidence.ownSide : nil
            return Diagnosis(cause: .recovering, direction: evidence.direction, side: side)
        }
        if evidence.publisherCause == .recovering {
            return Diagnosis(cause: .recovering, direction: .uplink, side: isSubscriber ? .remote : nil)
        }
        // Loss in a path that carries nothing is not known, and neither missed.
        let isKnown = evidence.path.lossGrade != nil || evidence.path.isIdle == true
        return Diagnosis(
            cause: isKnown ? .none : .unknown,
            side: isSubscriber ? (isKnown ? NetworkDegradationSource.none : .unknown) : nil)
    }
}
