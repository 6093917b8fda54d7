// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import CallQuality

/// The tables that decide causes: no line is dead, and each says what it says.
@Suite("The table of causes")
struct CauseTableTests {
    /// All that can be known of a direction.
    private static var paths: [PathFindings] {
        let flags: [WritableKeyPath<PathFindings, Bool>] = [
            \.isLossy, \.hasQueued, \.isQueueing, \.isOverflowing, \.isStanding, \.isJittery, \.isBelowDemand,
            \.losesWithoutQueue, \.isUnanswered, \.isSuppressed, \.isPersistentlyLimited, \.isStalled,
            \.isUnfounded, \.isOverloaded, \.isIndependent, \.isSelective,
        ]
        return [PathCause.none, .unknown, .bandwidth, .packetLoss, .connection, .jitter].flatMap { previous in
            (0..<1 << flags.count).map { bits in
                var evidence = PathFindings(previous: previous)
                for (index, flag) in flags.enumerated() {
                    evidence[keyPath: flag] = bits & 1 << index != 0
                }
                return evidence
            }
        }
    }

    @Test("Each line about a path decides somewhere, and without any the cause stays")
    func pathLines() {
        var decided = Set<Int>()
        var contradictions = 0
        // Each flag more would double what takes half a minute; the lines of these need few of the others.
        let blocked = PathFindings(isHeadOfLineBlocked: true, isBelowDemand: true)
        let shown = PathFindings(carriesMore: true, isBelowDemand: true)
        for evidence in Self.paths + [blocked, shown] {
            let line = CauseTable.path.firstIndex { $0.applies(evidence) }
            if let line { decided.insert(line) }
            let wanted = line.map { CauseTable.path[$0].cause } ?? evidence.previous
            if CauseTable.cause(evidence) != wanted { contradictions += 1 }
        }
        #expect(contradictions == 0)
        #expect(decided == Set(CauseTable.path.indices))
    }

    @Test(
        "What an inferred shortage is while packets stall is the stalls', unless there has just been a queue")
    func onlyStalling() {
        func cause(_ change: (inout StreamEvidence) -> Void) -> Diagnosis.Cause {
            Self.diagnosis {
                ($0.path.cause, $0.path.bandwidthGrade, $0.path.isInferred) = (.bandwidth, 2, true)
                $0.stalling = Experience(frozen: 0.2)
                change(&$0)
            }.cause
        }
        #expect(cause { _ in } == .jitter)
        #expect(cause { $0.path.hasQueued = true } == .bandwidth)
        #expect(cause { $0.path.isInferred = false } == .bandwidth)
        #expect(cause { $0.stalling = nil } == .bandwidth)
    }

    @Test("Little loss of audio alone of which nothing is missing is no one's issue")
    func wholeAudio() {
        func cause(_ loss: Double, _ experience: Experience) -> Diagnosis.Cause {
            Self.diagnosis {
                ($0.path.cause, $0.path.lossGrade, $0.path.fractionLost) = (.packetLoss, 3, loss)
                $0.experience = experience
            }.cause
        }
        #expect(cause(0.02, Experience(concealment: 0)) == .none)
        #expect(cause(0.04, Experience(concealment: 0)) == .packetLoss)
        #expect(cause(0.02, Experience(concealment: 0, frozen: 0)) == .packetLoss)
        #expect(cause(0.02, Experience(concealment: 0.005)) == .packetLoss)
    }

    @Test(
        "What TCP holds up is jitter, but where a limit has shown before, packets are lost, or nothing is short"
    )
    func blocked() {
        let blocked = PathFindings(hasQueued: true, isHeadOfLineBlocked: true, isBelowDemand: true)
        #expect(CauseTable.cause(blocked) == .jitter)
        for change: (inout PathFindings) -> Void in [
            { $0.previous = .bandwidth }, { $0.isBelowDemand = false }, { $0.isHeadOfLineBlocked = false },
        ] {
            var other = blocked
            change(&other)
            #expect(CauseTable.cause(other) != .jitter)
        }
    }

    @Test("Loss is packet loss unless a queue explains it, and a lack of bandwidth needs a queue, or time")
    func pathCauses() {
        let loss = PathFindings(isLossy: true)
        #expect(CauseTable.cause(loss) == .packetLoss)
        #expect(CauseTable.cause(PathFindings(isLossy: true, hasQueued: true)) == .packetLoss)
        let overflow = PathFindings(isLossy: true, hasQueued: true, isQueueing: true, isOverflowing: true)
        #expect(CauseTable.cause(overflow) == .bandwidth)
        var spikes = overflow
        spikes.isOverflowing = false
        #expect(CauseTable.cause(spikes) == .packetLoss)
        var unanswered = overflow
        unanswered.isUnanswered = true
        #expect(CauseTable.cause(unanswered) == .packetLoss)
        var spiked = overflow
        (spiked.isQueueing, spiked.isBelowDemand) = (false, true)
        #expect(CauseTable.cause(spiked) == .bandwidth)
        spiked.isIndependent = true
        #expect(CauseTable.cause(spiked) == .packetLoss)
        #expect(CauseTable.cause(PathFindings(previous: .bandwidth, isLossy: true)) == .bandwidth)
        #expect(
            CauseTable.cause(PathFindings(previous: .bandwidth, isLossy: true, isSelective: true))
                == .packetLoss)
        #expect(
            CauseTable.cause(PathFindings(previous: .bandwidth, isLossy: true, losesWithoutQueue: true))
                == .packetLoss)
        #expect(CauseTable.cause(PathFindings(isBelowDemand: true)) == PathCause.none)
        #expect(
            CauseTable.cause(PathFindings(isBelowDemand: true, isPersistentlyLimited: true)) == .bandwidth)
        #expect(
            CauseTable.cause(PathFindings(previous: .packetLoss, isPersistentlyLimited: true)) == .packetLoss)
        #expect(CauseTable.cause(PathFindings(previous: .packetLoss, isStalled: true)) == .bandwidth)
        #expect(CauseTable.cause(PathFindings(isJittery: true, isPersistentlyLimited: true)) == .jitter)
        #expect(CauseTable.cause(PathFindings(isStanding: true, isJittery: true)) == .bandwidth)
    }

    @Test("Video that is withheld does not fit, unless it was jitter before and nothing else has shown since")
    func withheld() {
        func cause(_ previous: PathCause, _ change: (inout PathFindings) -> Void = { _ in }) -> PathCause {
            var findings = PathFindings(previous: previous)
            (findings.isSuppressed, findings.isPersistentlyLimited) = (true, true)
            change(&findings)
            return CauseTable.cause(findings)
        }
        #expect(cause(.jitter) == .jitter && cause(.none) == .bandwidth && cause(.unknown) == .bandwidth)
        #expect(cause(.jitter) { ($0.hasQueued, $0.isBelowDemand) = (true, true) } == .bandwidth)
        #expect(cause(.jitter) { $0.isStanding = true } == .bandwidth)
        #expect(cause(.jitter) { $0.isLossy = true } == .packetLoss)
    }

    /// A stream of which nothing bad is known.
    private static let well = StreamEvidence(
        direction: .downlink, path: DirectionVerdict(lossGrade: 5), routing: .routed)

    private static func diagnosis(_ change: (inout StreamEvidence) -> Void) -> Diagnosis {
        var evidence = well
        change(&evidence)
        return CauseTable.diagnosis(evidence)
    }

    private static func symptoms(_ kind: CallQualityWarning.Kind) -> Symptoms {
        Symptoms(present: [Symptom(kind: kind)])
    }

    @Test("Each line about a stream makes a diagnosis of its own")
    func streamLines() {
        let all: [Diagnosis.Cause] = [
            Self.diagnosis { $0.path.isOutage = true },
            Self.diagnosis { $0.path.lossGrade = 2 },
            Self.diagnosis {
                $0.path.bandwidthGrade = 2
                $0.path.cause = .bandwidth
            },
            Self.diagnosis {
                $0.path.cause = .jitter
                $0.path.bandwidthGrade = 3
            },
            Self.diagnosis { $0.encoder = .limitedByBandwidth },
            Self.diagnosis {
                $0.publisherPath = TransportStats(
                    networkCondition: .critical, networkConditionReason: .connection)
            },
            Self.diagnosis {
                $0.publisherPath = TransportStats(
                    networkCondition: .good, networkConditionReason: .packetLoss)
            },
            Self.diagnosis { $0.fractionLostBySender = 0.04 },
            Self.diagnosis {
                $0.publisherPath = TransportStats(
                    networkCondition: .fair, networkConditionReason: .bandwidth)
            },
            Self.diagnosis {
                $0.publisherPath = TransportStats(networkCondition: .fair, networkConditionReason: .unknown)
                $0.publisherCause = .jitter
            },
            Self.diagnosis {
                $0.publisherPath = TransportStats(networkCondition: .fair, networkConditionReason: .unknown)
                $0.publisherCause = .latency
            },
            Self.diagnosis {
                $0.publisherPath = TransportStats(networkCondition: .fair, networkConditionReason: .unknown)
            },
            Self.diagnosis {
                ($0.publisherPath, $0.publisherCause) = (TransportStats(), .bandwidth)
            },
            Self.diagnosis {
                ($0.publisherPath, $0.publisherCause) = (TransportStats(), .jitter)
            },
            Self.diagnosis {
                $0.isReducedBySender = true
                $0.experience.pixels = 0.1
            },
            Self.diagnosis { $0.symptoms = Self.symptoms(.frozenVideo) },
            Self.diagnosis { ($0.publisherCause, $0.shownFrameRate) = (.cpu, 0.3) },
            Self.diagnosis { $0.stalling = Experience(frozen: 0.2) },
            Self.diagnosis {
                $0.stalling = Experience(frozen: 0.2)
                $0.isLateFromSender = true
            },
            Self.diagnosis {
                $0.stalling = Experience(frozen: 0.2)
                ($0.isLateFromSender, $0.publisherCause) = (true, .latency)
            },
            Self.diagnosis { $0.latencyGrade = 3 },
            Self.diagnosis { $0.jitterGrade = 3 },
            Self.diagnosis { $0.arrivesInClumps = true },
            Self.diagnosis { $0.jitterDelay = 0.2 },
            Self.diagnosis { $0.symptoms = Self.symptoms(.decoderOverloaded) },
            Self.diagnosis { $0.symptoms = Self.symptoms(.silentMicrophone) },
            Self.diagnosis { $0.playout = Experience(concealment: 0.1) },
            Self.diagnosis { $0.symptoms = Self.symptoms(.outOfSync) },
            Self.diagnosis { $0.stuttering = Experience(frozen: 0.3) },
            Self.diagnosis { $0.missing = Experience(concealment: 0.1) },
        ].map(\.cause)
        #expect(all == CauseTable.stream.map(\.cause))
        // What is only said counts while its publisher sends, and no one estimates what its uplink carries.
        for path in [TransportStats(connectionEstimatedBandwidth: 1e6), TransportStats(isIdle: true)] {
            let idle = Self.diagnosis { ($0.publisherPath, $0.publisherCause) = (path, .jitter) }
            #expect(idle.cause == .none)
        }
        let late = Self.diagnosis {
            $0.stalling = Experience(frozen: 0.2)
            ($0.isLateFromSender, $0.routing) = (true, .routed)
        }
        #expect(late.side == .remote && late.direction == .uplink)
        // What stalls in the publisher's uplink comes in clumps from the router, too.
        for (routing, side) in [
            (MediaRouting.routed, NetworkDegradationSource.remote), (.relayed, .bothOrUnclear),
        ] {
            let stalled = Self.diagnosis {
                $0.stalling = Experience(frozen: 0.2)
                ($0.publisherCause, $0.routing) = (.jitter, routing)
            }
            #expect(stalled.side == side, "\(routing)")
        }
        // Of a long path it is the length that makes late what is repeated.
        let repeated = Self.diagnosis {
            $0.stalling = Experience(frozen: 0.2)
            ($0.isLateFromSender, $0.publisherCause, $0.routing) = (true, .latency, .routed)
        }
        #expect(repeated.cause == .latency && repeated.side == .remote && repeated.direction == .uplink)
        let jittery = Self.diagnosis {
            ($0.jitterGrade, $0.isLateFromSender, $0.routing) = (3, true, .routed)
        }
        #expect(jittery.side == .remote && jittery.direction == .uplink)
        #expect(CauseTable.diagnosis(Self.well).cause == Diagnosis.Cause.none)
        #expect(Self.diagnosis { $0.path.lossGrade = nil }.cause == .unknown)
        #expect(Self.diagnosis { $0.path.isRecovering = true }.cause == .recovering)
        #expect(Self.diagnosis { $0.publisherCause = .recovering }.direction == .uplink)
    }

    @Test(
        "What the publisher's engine says of its uplink reaches the subscriber where its path alone says nothing"
    )
    func publisherEngine() {
        for cause in [Diagnosis.Cause.bandwidth, .jitter, .latency] {
            let diagnosis = Self.diagnosis {
                $0.publisherPath = TransportStats(networkCondition: .fair, networkConditionReason: .unknown)
                $0.publisherCause = cause
            }
            #expect(diagnosis.cause == cause && diagnosis.direction == .uplink)
        }
        let other = Self.diagnosis {
            $0.publisherPath = TransportStats(networkCondition: .fair, networkConditionReason: .unknown)
            $0.publisherCause = .cpu
        }
        #expect(other.cause == .unknown)
    }

    @Test("What a publisher's processor has no time for is its own at whoever sees it, and no jitter")
    func publisherProcessor() {
        func diagnosis(_ change: (inout StreamEvidence) -> Void) -> Diagnosis {
            Self.diagnosis {
                $0.publisherCause = .cpu
                change(&$0)
            }
        }
        for routing in [nil, MediaRouting.routed, .relayed] {
            let slow = diagnosis { ($0.routing, $0.shownFrameRate) = (routing, 0.3) }
            #expect(slow.cause == .cpu && slow.side == .remote && slow.direction == nil)
            #expect(slow.severity == .disturbing)
        }
        let frozen = diagnosis { $0.stalling = Experience(frozen: 0.3) }
        #expect(frozen.cause == .cpu && frozen.severity == .bad)
        // A smaller layer than the one that is given up has all of its frames.
        #expect(diagnosis { $0.shownFrameRate = 0.95 }.cause == Diagnosis.Cause.none)
        #expect(diagnosis { _ in }.cause == Diagnosis.Cause.none)
    }

    @Test("The worst counts, of equals the first; what the network explains is not missing media")
    func precedence() {
        let both = Self.diagnosis {
            $0.path.lossGrade = 4
            $0.path.fractionLost = 0.01
            $0.symptoms = Self.symptoms(.silentMicrophone)
        }
        #expect(both.cause == .device && both.severity == .bad && both.runnerUp == .packetLoss)
        let explained = Self.diagnosis {
            $0.path.lossGrade = 4
            $0.path.fractionLost = 0.01
            $0.symptoms = Self.symptoms(.noMediaReceived)
        }
        #expect(explained.cause == .packetLoss && explained.severity == .noticeable)
        let equals = Self.diagnosis {
            $0.latencyGrade = 2
            $0.symptoms = Self.symptoms(.cpuLimited)
        }
        #expect(equals.cause == .latency && equals.severity == .disturbing)
        #expect(equals.confidence == .medium && equals.runnerUp == .cpu)
    }

    @Test(
        "An own trifle does not hide the publisher's catastrophe, and each cause is blamed on its own evidence"
    )
    func sides() {
        func own(_ evidence: inout StreamEvidence) {
            evidence.path.lossGrade = 4
            evidence.path.fractionLost = 0.01
        }
        let worse = Self.diagnosis {
            own(&$0)
            $0.publisherPath = TransportStats(
                networkCondition: .critical, networkConditionReason: .bandwidth)
        }
        #expect(worse.cause == .bandwidth && worse.side == .remote && worse.severity == .unusable)
        let latency = Self.diagnosis {
            $0.latencyGrade = 1
            $0.publisherPath = TransportStats(networkCondition: .fair, networkConditionReason: .packetLoss)
        }
        #expect(latency.cause == .latency && latency.side == .local)
        let unknown = Self.diagnosis {
            own(&$0)
            $0.routing = nil
        }
        #expect(unknown.side == .bothOrUnclear)
        let both = Self.diagnosis {
            own(&$0)
            $0.publisherPath = TransportStats(networkCondition: .good, networkConditionReason: .packetLoss)
        }
        #expect(both.side == .bothOrUnclear)
    }

    @Test("What all of the router's connections show goes before what one path shows")
    func comparedSides() {
        func side(_ compared: NetworkDegradationSource?, _ change: (inout StreamEvidence) -> Void)
            -> NetworkDegradationSource?
        {
            Self.diagnosis {
                $0.comparedSide = compared
                change(&$0)
            }.side
        }
        func loses(_ evidence: inout StreamEvidence) {
            evidence.path.lossGrade = 2
            evidence.path.fractionLost = 0.06
            evidence.path.cause = .packetLoss
        }
        #expect(side(.server, loses) == .server)
        #expect(side(nil, loses) == .local)
        #expect(side(.server) { $0.symptoms.isMicrophoneDead = true } == .local)
        let sent = Self.diagnosis {
            $0.direction = .uplink
            $0.comparedSide = .server
            loses(&$0)
        }
        #expect(sent.side == .server && sent.direction == .uplink)
    }

    @Test("What one stream of several lost is its publisher's, and what all lack at once is the server's")
    func severalStreams() {
        let lost = Self.diagnosis { $0.fractionLostBySender = 0.04 }
        #expect(lost.side == .remote && lost.direction == .uplink && lost.severity == .disturbing)
        let repaired = Self.diagnosis {
            $0.fractionLostBySender = 0.04
            $0.experience = Experience(concealment: 0)
        }
        #expect(repaired.severity == .noticeable)
        let stopped = Self.diagnosis {
            $0.hasStoppedJointly = true
            $0.symptoms = Self.symptoms(.noMediaReceived)
        }
        #expect(stopped.side == .server && stopped.cause == .media)
    }

    @Test("An outage of all that comes has neither direction nor side, unless a router is the other end")
    func wholeOutage() {
        func outage(
            _ routing: MediaRouting?, _ direction: NetworkDirection, isWhole: Bool = true
        ) -> Diagnosis {
            Self.diagnosis {
                ($0.direction, $0.routing) = (direction, routing)
                ($0.path.isOutage, $0.path.isWholeOutage) = (true, isWhole)
            }
        }
        for routing in [nil, MediaRouting.relayed] {
            let (sent, received) = (outage(routing, .uplink), outage(routing, .downlink))
            #expect(sent.cause == .connection && sent.direction == .both && sent.side == nil)
            #expect(received.cause == .connection && received.direction == .both)
            #expect(received.side == .bothOrUnclear)
        }
        #expect(outage(.routed, .uplink).direction == .uplink)
        let own = outage(.routed, .downlink)
        #expect(own.direction == .downlink && own.side == .local)
        // Others come: it is this direction.
        #expect(outage(nil, .uplink, isWhole: false).direction == .uplink)
    }

    @Test(
        "What a publisher knows of losses and outages is of its own uplink only where a router ends that",
        arguments: [NetworkReason.packetLoss, .connection])
    func undivided(reason: NetworkReason) {
        func side(_ routing: MediaRouting?, compared: NetworkDegradationSource? = nil)
            -> NetworkDegradationSource?
        {
            Self.diagnosis {
                ($0.routing, $0.comparedSide) = (routing, compared)
                $0.publisherPath = TransportStats(
                    networkCondition: .critical, networkConditionReason: reason)
            }.side
        }
        #expect(side(.routed) == .remote)
        #expect(side(.relayed) == .bothOrUnclear && side(nil) == .bothOrUnclear)
        #expect(side(.relayed, compared: .remote) == .remote)
    }

    @Test("Between two ends a publisher's losses are as bad as what is not repaired of them")
    func repairedBetweenTwo() {
        func diagnosis(_ routing: MediaRouting?, _ concealment: Double?, _ loss: Int? = 1) -> Diagnosis {
            Self.diagnosis {
                $0.routing = routing
                ($0.path.lossGrade, $0.path.fractionLost) = (loss, loss.map { $0 < 5 ? 0.08 : 0 })
                $0.experience = Experience(concealment: concealment, frozen: concealment)
                $0.publisherPath = TransportStats(
                    networkCondition: .critical, networkConditionReason: .packetLoss)
            }
        }
        for routing in [nil, MediaRouting.relayed] {
            let repaired = diagnosis(routing, 0)
            #expect(repaired.severity == .noticeable && repaired.direction == .downlink)
            #expect(repaired.side == .bothOrUnclear)
            let heard = diagnosis(routing, 0.1)
            #expect(heard.severity == .bad && heard.direction == .downlink)
            // The publisher hears of it later than it is over here.
            #expect(diagnosis(routing, 0, 5).severity == .noticeable)
            #expect(diagnosis(routing, nil, 5).severity == .unusable)
        }
        // Before a router the losses are its publisher's own, and what they do to others is no measure of them.
        #expect(diagnosis(.routed, 0, 5).severity == .unusable)
        #expect(diagnosis(.routed, 0, 5).side == .remote)
    }

    @Test("What is repaired is at most noticeable, and what no one notices of a trifle is nothing")
    func severity() {
        func loss(_ grade: Int, _ experience: Experience) -> Diagnosis {
            Self.diagnosis {
                $0.path.lossGrade = grade
                $0.path.fractionLost = grade < 4 ? 0.09 : 0.006
                $0.experience = experience
            }
        }
        #expect(loss(1, Experience(concealment: 0, frozen: 0)).severity == .noticeable)
        #expect(loss(4, Experience(concealment: 0, frozen: 0)).cause == Diagnosis.Cause.none)
        #expect(loss(3, Experience(concealment: 0.1, frozen: 0)).severity == .bad)
        #expect(loss(1, Experience()).severity == .disturbing)
    }
}
