// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What is known of a stream when its cause is decided.
struct StreamEvidence: Sendable {
    /// The direction of the stream, seen from this end.
    var direction: NetworkDirection
    /// The own path in that direction.
    var path: DirectionVerdict
    /// The cause in the tick before.
    var previous = Diagnosis.Cause.unknown
    /// Grades of the round trip time and of jitter, `1...5`, where no queue explains them.
    var latencyGrade: Int?
    var jitterGrade: Int?
    /// Whether what is sent arrives in clumps (``UplinkStalls``).
    var arrivesInClumps = false
    /// The grade of the delay from mouth to ear, `1...5`, where paths that are well otherwise make most of it.
    var delayGrade: Int?
    /// The grade of the round trip time with a queue in it, `1...5`.
    var queueGrade: Int?
    var symptoms = Symptoms()
    /// What people notice at this end.
    var experience = Experience()
    /// What limits the encoder at this end.
    var encoder = EncoderLimit.none
    /// Whether all that is sent is audio with redundancy (RFC 2198).
    var isRedundant = false
    /// Whether the wanted layer is forwarded, fits, and comes much smaller than it should be.
    var isReducedBySender = false
    /// Frames that are shown, as a share of those that usually are in the same time; `nil` if unknown.
    var shownFrameRate: Double?
    /// What packets do that stall again and again while few are lost; `nil` if they do not.
    var stalling: Experience?
    /// What freezes do that come again and again though the path is well; `nil` if there are none.
    var stuttering: Experience?
    /// What gaps of audio do that come again and again though nothing is wrong with the path.
    var missing: Experience?
    /// What the jitter buffer of audio aims at because packets come unsteadily, in seconds; `nil` if that is as usual.
    var jitterDelay: Double?
    /// What share of this stream's packets never came to the server that passes it on, as others that come the same way
    /// show, `0...1`; `nil` if it is not known that some did not.
    var fractionLostBySender: Double?

    /// What people hear of gaps that this end's device made; `nil` if unknown.
    var playout: Experience?

    /// Whether what stalls was late when the server got it that passes it on: what others send comes in time, or the own path has
    /// been steady.
    var isLateFromSender = false

    /// How media is routed; `nil` if unknown.
    var routing: MediaRouting?
    /// The side that shows where connections are compared: by a relayed stream's publisher, or by the server.
    var comparedSide: NetworkDegradationSource?
    /// Whether what is missing here was lost before the server that passes the stream on.
    var isLossPassedOn = false
    /// The publisher's uplink, as far as a subscriber knows it, and what the publisher's own diagnosis names.
    var publisherPath: TransportStats?
    var publisherCause: Diagnosis.Cause?
    /// The grade of the publisher's own round trip time, `1...5`; `nil` if unknown.
    var publisherLatencyGrade: Int?

    /// Whether the media of several people stopped at once.
    var hasStoppedJointly = false

    /// The tracks of the stream, as far as they are known.
    var tracks: [MediaTrack] = []

    var rules = ExperienceRules()

    var isSubscriber: Bool { direction == .downlink }
}

/// What limits an encoder.
enum EncoderLimit: Sendable {
    case none, limitedByBandwidth
}

// MARK: How bad

extension StreamEvidence {
    /// How many times as much may be lost of audio that is sent twice.
    private static let redundancy = 4.0
    /// Share of a loss that is worth a word that is worth one still, once it was.
    private static let stillClear = 0.75

    /// How bad the own path's loss is: what is not repaired of it where that shows, else what usually is not.
    var lossSeverity: Diagnosis.Severity? {
        guard !isLossPassedOn, let grade = path.lossGrade, grade < 5 else { return nil }
        if isSubscriber, experience.isImpairmentKnown {
            // What little is lost and repaired no one notices.
            let least = experience.isWholeAudio ? rules.loss.good : rules.loss.excellent
            let isClear =
                (grade < 4 && !experience.isWholeAudio)
                || path.fractionLost ?? 0 >= least * (previous == .packetLoss ? Self.stillClear : 1)
            return experience.impairment(rules) ?? (isClear ? .noticeable : nil)
        }
        let loss = (path.fractionLost ?? 0) / (isRedundant ? Self.redundancy : 1)
        if isRedundant, loss < rules.loss.excellent { return nil }
        return Diagnosis.Severity(grade: min(rules.loss.grade(lowerIsBetter: loss), grade < 4 ? 4 : 5))
    }

    /// How bad it is that less fits than is wanted.
    var shortageSeverity: Diagnosis.Severity? {
        [
            path.bandwidthGrade.flatMap(Diagnosis.Severity.init(grade:)), lossSeverity,
            Self.timingSeverity(queueGrade), experience.reduction(rules),
            path.isHeldUp ? .noticeable : nil,
        ].compactMap(\.self).max()
    }

    /// How bad small or slow video is.
    var reductionSeverity: Diagnosis.Severity? { experience.reduction(rules) }

    /// How bad gaps are that the device made.
    var playoutSeverity: Diagnosis.Severity? { playout?.impairment(rules) }

    /// Whether less comes because packets stall and their sender takes that for a queue: nothing else shows a shortage.
    var isOnlyStalling: Bool { path.isInferred && stalling != nil && !path.hasQueued }

    /// How bad stalls are.
    var stallSeverity: Diagnosis.Severity? { stalling?.impairment(rules) }

    /// How bad it is that audio waits for late packets.
    var jitterDelaySeverity: Diagnosis.Severity? {
        jitterDelay.map { $0 >= JitterBuffering.disturbing ? .disturbing : .noticeable }
    }

    /// How bad it is that video freezes again and again.
    var stutterSeverity: Diagnosis.Severity? { stuttering?.impairment(rules) }

    /// How bad it is that audio is missing again and again.
    var gapSeverity: Diagnosis.Severity? { missing?.impairment(rules) }

    /// How bad a loss is that happened before the server, to this stream and not to others.
    var senderLossSeverity: Diagnosis.Severity? {
        guard let loss = fractionLostBySender else { return nil }
        guard experience.isImpairmentKnown else {
            return Diagnosis.Severity(grade: rules.loss.grade(lowerIsBetter: loss))
        }
        // Of what little is lost and repaired no one notices anything.
        return experience.impairment(rules) ?? (loss >= rules.loss.good ? .noticeable : nil)
    }

    /// How bad a long path is: by the own round trip time, and by all that lies between mouth and ear.
    var latencySeverity: Diagnosis.Severity? {
        [Self.timingSeverity(latencyGrade), delayGrade.flatMap(Diagnosis.Severity.init(grade:))]
            .compactMap(\.self).max()
    }

    /// The severity of a grade of latency or jitter: one step less than a condition's.
    static func timingSeverity(_ grade: Int?) -> Diagnosis.Severity? {
        grade.flatMap { $0 <= 3 ? Diagnosis.Severity(grade: $0 + 1) : nil }
    }

    /// How bad the publisher's path is by that cause; what one only notices needs a cause that is known.
    func publisherSeverity(_ cause: Diagnosis.Cause) -> Diagnosis.Severity? {
        guard let path = publisherPath, publisherCause != .recovering,
            publisherPathCause == cause
        else { return nil }
        let isNoticeable = path.networkCondition == .good && cause != .unknown
        guard path.networkCondition.isBad || isNoticeable else { return nil }
        return Diagnosis.Severity(grade: path.networkCondition.rawValue)
    }

    /// How bad the publisher's losses are: where they are of the whole path to this end, no worse than what shows here after repair.
    var publisherLossSeverity: Diagnosis.Severity? {
        guard let severity = publisherSeverity(.packetLoss) else { return nil }
        guard isUndivided(.packetLoss), experience.isImpairmentKnown else { return severity }
        return min(severity, experience.impairment(rules) ?? .noticeable)
    }

    /// How bad it is here that the publisher's processor has no time for its video; `nil` if none of that shows.
    var publisherProcessorSeverity: Diagnosis.Severity? {
        guard publisherCause == .cpu else { return nil }
        let video = Experience(pixels: experience.pixels, frameRate: shownFrameRate)
        return [video.reduction(rules), stallSeverity].compactMap(\.self).max()
    }

    /// Whether the publisher names a cause, and sends, but the condition of an uplink that no one estimates does not show it: what
    /// arrives says of that uplink that little is lost.
    func isOnlySaid(_ cause: Diagnosis.Cause) -> Bool {
        guard let path = publisherPath, publisherCause == cause else { return false }
        // Of who is muted nothing is wanted here either.
        return [.unknown, .excellent].contains(path.networkCondition)
            && path.connectionEstimatedBandwidth == nil && !path.isIdle && self.path.isIdle != true
    }
}

extension StreamEvidence {
    /// What drives the publisher's uplink; the reasons of a condition have no word for jitter and latency, nor for what its engine
    /// says.
    private var publisherPathCause: Diagnosis.Cause? {
        guard let reason = publisherPath?.networkConditionReason else { return nil }
        let cause = Diagnosis.Cause(reason)
        guard cause == .unknown, let known = publisherCause,
            [.bandwidth, .jitter, .latency].contains(known)
        else { return cause }
        return known
    }
}

// MARK: Where, and whose

extension StreamEvidence {
    /// The track that shows a cause; `nil` for causes of the whole path.
    func track(of cause: Diagnosis.Cause) -> MediaTrack? {
        let kind: MediaKind
        switch cause {
        case .media:
            guard let missing = symptoms.isMediaMissing ? symptoms.missingKind : .video else { return nil }
            kind = missing
        case .packetLoss:
            guard let lost = path.lostKind else { return nil }
            kind = lost
        case .cpu: kind = .video
        case .device: kind = symptoms.isCameraDead ? .video : .audio
        default: return nil
        }
        let ofKind = tracks.filter { $0.kind == kind }
        return ofKind.count == 1 ? ofKind[0] : nil
    }
}

extension StreamEvidence {
    func direction(of place: CauseTable.Place) -> NetworkDirection? {
        switch place {
        case .ownDevice, .publisherDevice, .sender, .unclear: nil
        case .ownPlayout: .downlink
        case .ownPath: isConnectionOut ? .both : direction
        case .publisherPath: .uplink
        case .farPath: routing == .routed ? .uplink : direction
        case .longerPath: .both
        case .passedOn: isPassedOn ? .uplink : direction
        }
    }

    /// Whether nothing comes over a connection of which no router is known to be the other end: what is sent and what is received
    /// take the same way, and none of its ends knows which of both is cut.
    private var isConnectionOut: Bool { path.isWholeOutage && routing != .routed }

    /// Whether packets were late before the router that passes them on.
    private var isPassedOn: Bool { publisherCause == .jitter || isLateFromSender }

    /// Whether packets that come in clumps were so before the router: all that comes from the publisher does, or its own uplink
    /// is known to do that.
    var isStalledBefore: Bool { isLateFromSender || routing == .routed && publisherCause == .jitter }

    /// Whether packets that come in clumps were so before the router, and the publisher's path is nothing but long: what is lost there
    /// and repeated comes late by a round trip.
    var isRepeatedLate: Bool { isStalledBefore && publisherCause == .latency }

    /// Whether all connections of the router that this one ends at are bad at once.
    private var isServerBad: Bool { routing == .routed && comparedSide == .server }

    /// The side to blame: that of the evidence, and not of whatever else is wrong.
    func side(of rule: CauseTable.StreamRule, _ found: [CauseTable.Found]) -> NetworkDegradationSource {
        if isServerBad, !rule.place.isOfEnd { return .server }
        return switch rule.place {
        case .ownDevice, .ownPlayout: .local
        case .publisherDevice: .remote
        case .sender: hasStoppedJointly ? .server : routing == .routed ? .remote : .bothOrUnclear
        case .unclear: .bothOrUnclear
        case .publisherPath:
            sideOfBoth(rule.cause, found) ?? (isUndivided(rule.cause) ? unroutedSide : .remote)
        case .farPath: routing == .routed ? .remote : unroutedSide
        case .ownPath: sideOfBoth(rule.cause, found) ?? ownSide
        case .passedOn: isPassedOn ? .remote : ownSide
        case .longerPath: longerSide
        }
    }

    /// Whose it is where the same cause is on the own path and on the publisher's: the one that is far worse; `nil` where
    /// it is not on both.
    private func sideOfBoth(_ cause: Diagnosis.Cause, _ found: [CauseTable.Found])
        -> NetworkDegradationSource?
    {
        func worst(_ place: CauseTable.Place) -> Int? {
            found.filter { $0.rule.cause == cause && $0.rule.place == place }.map(\.severity.rawValue).max()
        }
        guard let own = worst(.ownPath), let publisher = worst(.publisherPath) else { return nil }
        guard routing == .routed else { return unroutedSide }
        if publisher - own >= 2 { return .remote }
        return own - publisher >= 2 ? .local : .bothOrUnclear
    }

    /// Whether what the publisher knows of a cause is of the whole path to this end: its reports of loss come from here where no
    /// router is known to divide it, and so does the silence that it takes for an outage.
    private func isUndivided(_ cause: Diagnosis.Cause) -> Bool {
        routing != .routed && (cause == .connection || cause == .packetLoss)
    }

    /// A path that ends at a router is this end's own; of one that does not, or may not, only the publisher can tell
    /// whose end is bad, by comparing it with its others.
    var ownSide: NetworkDegradationSource { routing == .routed ? .local : unroutedSide }

    private var unroutedSide: NetworkDegradationSource {
        switch comparedSide {
        case .local?: .local
        case .remote?: .remote
        default: .bothOrUnclear
        }
    }

    /// The side with the longer path.
    private var longerSide: NetworkDegradationSource {
        guard routing == .routed else { return unroutedSide }
        guard let publisherLatencyGrade, publisherLatencyGrade <= 3 else {
            // Neither may be long, and both together are.
            return latencyGrade ?? 5 > 3 && publisherLatencyGrade != nil ? .bothOrUnclear : .local
        }
        return publisherLatencyGrade < latencyGrade ?? 5 ? .remote : .bothOrUnclear
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
