// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation
import Testing

/// Each rule finds what it is for, and nothing in a call where all went well.
@Suite("Findings about whole calls")
struct FindingTests {
    // MARK: Calls

    private static let start = 1_767_225_600_000.0

    /// A call of a minute where all went well.
    private static func fine() -> ClientFacts {
        var client = ClientFacts(recording: 0)
        client.from = start
        client.to = start + 60_000
        client.events = 50
        client.userMedia.requests = 1
        client.userMedia.successes = 1
        client.connections = [connection()]
        return client
    }

    private static func connection() -> ConnectionFacts {
        var facts = ConnectionFacts(pc: "a", from: start, to: start + 60_000)
        facts.events = 40
        facts.reports = 60
        facts.isClosed = true
        var configuration = TraceConfiguration()
        configuration.servers = 1
        configuration.hasTURNOverUDP = true
        facts.configuration = configuration
        facts.negotiation.hasLocal = true
        facts.negotiation.hasRemote = true
        facts.negotiation.isPending = false
        facts.negotiation.completed = 1
        facts.negotiation.answerDelay = 0.3
        facts.establishment.isConnected = true
        facts.establishment.isICEConnected = true
        facts.establishment.checkingSince = start
        facts.establishment.connectedAt = start + 500
        facts.establishment.iceDelay = 0.2
        facts.establishment.dtlsDelay = 0.1
        facts.establishment.lastState = "connected"
        facts.localCandidates.count = 2
        facts.localCandidates.hasHost = true
        facts.localCandidates.hasRelay = true
        facts.remoteCandidates.count = 1
        facts.traffic.roundTripTime = 0.05
        facts.tracks = [
            track(.audio, .publisher), track(.video, .publisher), track(.audio, .subscriber),
            track(.video, .subscriber),
        ]
        return facts
    }

    private static func track(_ kind: MediaKind, _ role: StreamRole) -> TrackFacts {
        var track = TrackFacts(kind: kind, role: role, from: start, to: start + 60_000)
        track.reports = 60
        track.packets = 3000
        track.fractionLost = 0.001
        track.jitter = 0.004
        track.roundTripTime = 0.05
        if role == .publisher {
            var sent = SentFacts()
            sent.encodeTime = 0.005
            sent.limitedByCPU = 0
            sent.limitedByBandwidth = 0.05
            sent.limitedByOther = 0
            sent.sendDelay = 0.01
            if kind == .audio {
                sent.levels = 60
                sent.lowestLevel = 0
                sent.highestLevel = 0.3
                sent.capturedDuration = 60
                sent.capturedEnergy = 2
            }
            track.sent = sent
        } else {
            var received = ReceivedFacts()
            received.firstFrameDelay = 0.4
            received.freezes = 1
            received.freezeTime = 0.3
            received.decodeTime = 0.004
            received.bufferDelay = 0.06
            received.playoutDelay = 0.03
            received.audiblyConcealed = 0.002
            received.synthesized = 0
            track.received = received
        }
        return track
    }

    // MARK: What breaks them

    private typealias Change = @Sendable (inout ClientFacts) -> Void

    private static func refused(_ error: String) -> Change {
        { client in
            client.userMedia.failures = [CaptureFacts.Failure(time: start, error: error, message: "")]
        }
    }

    private static func connection(_ change: @escaping @Sendable (inout ConnectionFacts) -> Void) -> Change {
        { change(&$0.connections[0]) }
    }

    /// A connection that never came to be.
    private static func missed(_ change: @escaping @Sendable (inout ConnectionFacts) -> Void) -> Change {
        connection { facts in
            facts.tracks = []
            facts.reports = 0
            facts.isClosed = false
            facts.establishment = EstablishmentFacts()
            change(&facts)
        }
    }

    private static func sent(
        _ kind: MediaKind, _ change: @escaping @Sendable (inout SentFacts) -> Void
    ) -> Change {
        connection { facts in
            let place = kind == .audio ? 0 : 1
            var sent = facts.tracks[place].sent ?? SentFacts()
            change(&sent)
            facts.tracks[place].sent = sent
        }
    }

    private static func received(
        _ kind: MediaKind, _ change: @escaping @Sendable (inout ReceivedFacts) -> Void
    ) -> Change {
        connection { facts in
            let place = kind == .audio ? 2 : 3
            var received = facts.tracks[place].received ?? ReceivedFacts()
            change(&received)
            facts.tracks[place].received = received
        }
    }

    private static let changes: [FindingKind: Change] = capture.merging(setUp) { $1 }.merging(missing) { $1 }
        .merging(media) { $1 }

    private static let capture: [FindingKind: Change] = [
        .permissionDenied: refused("NotAllowedError"),
        .deviceBusy: refused("NotReadableError"),
        .deviceNotFound: refused("NotFoundError"),
        .captureFailed: refused("TypeError"),
        .screenShareRefused: {
            $0.displayMedia.failures = [
                CaptureFacts.Failure(time: start, error: "NotAllowedError", message: "")
            ]
        },
        .captureEnded: {
            $0.endedTracks = [.init(kind: "audio", time: start + 9000, lifetime: 9, isDisplay: false)]
        },
        .captureEndedAtOnce: {
            $0.endedTracks = [.init(kind: "video", time: start + 300, lifetime: 0.3, isDisplay: false)]
        },
        .bluetooth: { $0.userMedia.isAudioByBluetooth = true },
        .echoCancellationOff: { $0.userMedia.isEchoCancellationOff = true },
        .pageReloaded: { $0.page.reloads = 2 },
        .connectionMissing: { $0.connections = [] },
        .connectionChurn: { client in
            client.connections = (0..<3).map { index in
                var facts = connection()
                facts.from = start + Double(index) * 10_000
                facts.to = facts.from + 5000
                return facts
            }
        },
    ]

    private static let setUp: [FindingKind: Change] = [
        .turnMissing: connection { $0.configuration = TraceConfiguration() },
        .turnRefused: connection {
            $0.localCandidates.hasRelay = false
            $0.candidateErrors = [TraceCandidateError(code: 401, scheme: "turn")]
        },
        .turnUnreachable: connection {
            $0.localCandidates.hasRelay = false
            $0.candidateErrors = [TraceCandidateError(code: 701, scheme: "turns")]
        },
        .turnOverTCP: connection { $0.lastPath = relay("tcp") },
        .turnOverTLS: connection { $0.lastPath = relay("tls") },
        .vpn: connection {
            $0.lastPath = PathFacts()
            $0.lastPath?.networkType = "vpn"
        },
        .slowSTUN: connection { $0.localCandidates.stunDelay = 4 },
        .slowTURN: connection { $0.localCandidates.relayDelayOverTLS = 4 },
        .slowSignaling: connection { $0.negotiation.answerDelay = 6 },
        .slowICE: connection { $0.establishment.iceDelay = 4 },
        .slowDTLS: connection { $0.establishment.dtlsDelay = 3 },
        .repeatedSDPLines: connection { $0.negotiation.repeatedLines = 2 },
        .restartUnanswered: connection {
            $0.isClosed = false
            $0.negotiation.restarts = 1
            $0.negotiation.isRestartAnswered = false
        },
        .apiCallFailed: connection {
            $0.negotiation.failures = [.init(time: start, method: "addIceCandidate", reason: "bad")]
        },
        .connectionUnused: missed {
            $0.negotiation = NegotiationFacts()
        },
        .connectionDropped: connection {
            $0.establishment.lastState = "failed"
            $0.establishment.lastInterruption = 10
        },
        .connectionInterrupted: connection {
            $0.establishment.interruptions = 2
            $0.establishment.interruptedTime = 6
        },
        .processorPressure: { $0.connections[0].processorPressure = 0.5 },
        .highRoundTripTime: connection { $0.traffic.roundTripTime = 0.6 },
    ]

    private static func relay(_ name: String) -> PathFacts {
        var path = PathFacts()
        path.localType = "relay"
        path.relayProtocol = name
        return path
    }

    private static let missing: [FindingKind: Change] = [
        .connectionAborted: missed {
            $0.isClosed = true
            $0.to = $0.from + 2000
            $0.end = $0.to
        },
        .negotiationFailed: missed {
            $0.negotiation.failures = [.init(time: start, method: "setRemoteDescription", reason: "bad")]
        },
        .negotiationUnfinished: missed { $0.negotiation.hasRemote = false },
        .noLocalCandidates: missed { $0.localCandidates = CandidateFacts() },
        .noRemoteCandidates: missed { $0.remoteCandidates = CandidateFacts() },
        .onlyHostCandidates: missed {
            $0.configuration = nil
            $0.localCandidates.hasRelay = false
            $0.establishment.iceFailedAfter = 15
        },
        .iceFailed: missed { $0.establishment.iceFailedAfter = 15 },
        .dtlsFailed: missed {
            $0.establishment.isICEConnected = true
            $0.establishment.dtlsState = "failed"
        },
        .neverEstablished: missed { $0.establishment.checkingSince = start },
    ]

    private static let media: [FindingKind: Change] = [
        .packetLoss: connection { $0.tracks[2].fractionLost = 0.06 },
        .highJitter: connection { $0.tracks[2].jitter = 0.08 },
        .limitedByCPU: sent(.video) { $0.limitedByCPU = 0.4 },
        .limitedByBandwidth: sent(.video) { $0.limitedByBandwidth = 0.6 },
        .limitedByOther: sent(.video) { $0.limitedByOther = 0.5 },
        .slowEncoding: sent(.video) { $0.encodeTime = 0.05 },
        .slowDecoding: received(.video) { $0.decodeTime = 0.05 },
        .videoFreezes: received(.video) { $0.freezeTime = 6 },
        .videoPauses: received(.video) {
            $0.pauses = 1
            $0.pauseTime = 10
        },
        .lateMedia: received(.video) { $0.firstFrameDelay = 8 },
        .audioInterruptions: received(.audio) { $0.audiblyConcealed = 0.08 },
        .periodicFlushes: received(.audio) { $0.hasPeriodicFlushes = true },
        .playoutDelay: received(.audio) { $0.bufferDelay = 0.7 },
        .outOfSync: received(.video) { $0.avSync = -0.3 },
        .playoutInterruptions: received(.audio) { $0.synthesized = 0.1 },
        .sendDelay: sent(.video) { $0.sendDelay = 0.5 },
        .silentMicrophone: sent(.audio) {
            $0.highestLevel = 0
            $0.capturedEnergy = 0
        },
        .constantMicrophoneLevel: sent(.audio) { $0.lowestLevel = $0.highestLevel },
        .missingMicrophoneLevel: sent(.audio) { $0.capturedDuration = 1 },
    ]

    // MARK: Tests

    @Test("a call where all went well has none")
    func none() {
        #expect(FindingJudge().findings(in: CallFacts(clients: [Self.fine()])) == [])
        #expect(FindingJudge().findings(in: CallFacts(clients: [ClientFacts(recording: 0)])) == [])
    }

    @Test(
        "each kind is found where it is, alone, with its severity and every figure in its sentence",
        arguments: FindingKind.allCases)
    func found(kind: FindingKind) throws {
        let change = try #require(Self.changes[kind], "no call for \(kind)")
        var client = Self.fine()
        change(&client)
        let found = FindingJudge().findings(in: CallFacts(clients: [client]))
        #expect(found.map(\.kind) == [kind])
        let finding = try #require(found.first)
        let definition = try #require(FindingTable.english[kind])
        #expect(finding.severity == definition.severity)
        #expect(!finding.sentence.contains("{") && !finding.sentence.contains("?"))
        #expect(finding.sentence.hasSuffix(".") || finding.sentence.hasSuffix("bad"))
        #expect(finding.advice == definition.advice && !finding.tags.isEmpty)
        #expect(finding.from >= Self.start && finding.to >= finding.from)
    }

    @Test("video that jitters beside audio that does not has that from its frames, not from the network")
    func jitterOfFrames() {
        var client = Self.fine()
        client.connections[0].tracks[3].jitter = 0.08
        #expect(FindingJudge().findings(in: CallFacts(clients: [client])) == [])
        // Audio of the other direction says nothing of this one.
        client.connections[0].tracks.remove(at: 2)
        let alone = FindingJudge().findings(in: CallFacts(clients: [client]))
        #expect(alone.map(\.kind) == [.highJitter] && alone.first?.track?.kind == .video)
    }

    @Test("a processor under pressure is worth a warning where the call suffers from it, by what suffers")
    func pressure() {
        var client = Self.fine()
        client.connections[0].processorPressure = 1
        let harmless = FindingJudge().findings(in: CallFacts(clients: [client]))
        #expect(harmless.map(\.severity) == [.information])
        client.connections[0].tracks[1].sent?.limitedByCPU = 0.4
        let harmed = FindingJudge().findings(in: CallFacts(clients: [client]))
        #expect(harmed.map(\.kind) == [.limitedByCPU, .processorPressure])
        #expect(harmed.first?.severity == .warning)
    }

    @Test("a track that was too short to say anything has none")
    func shortTrack() {
        var client = Self.fine()
        client.connections[0].tracks[2].fractionLost = 0.5
        client.connections[0].tracks[2].to = Self.start + 5000
        #expect(FindingJudge().findings(in: CallFacts(clients: [client])) == [])
    }

    @Test("what matters most comes first, of equals the earliest")
    func order() {
        var client = Self.fine()
        client.userMedia.isAudioByBluetooth = true
        client.connections[0].tracks[2].fractionLost = 0.5
        Self.refused("NotAllowedError")(&client)
        let found = FindingJudge().findings(in: CallFacts(clients: [client]))
        #expect(found.map(\.kind) == [.permissionDenied, .packetLoss, .bluetooth])
    }

    @Test("thresholds and words can be replaced; a kind without words is not found")
    func settable() {
        var client = Self.fine()
        client.connections[0].establishment.iceDelay = 1
        var rules = FindingRules()
        rules.iceDelay = 0.5
        var table = FindingTable()
        table.definitions[.slowICE]?.sentence = "{delay}!"
        let facts = CallFacts(clients: [client])
        #expect(FindingJudge(rules: rules, table: table).findings(in: facts).map(\.sentence) == ["1 s!"])
        table.definitions[.slowICE] = nil
        #expect(FindingJudge(rules: rules, table: table).findings(in: facts) == [])
    }

    @Test("a server with ICE lite needs no TURN")
    func iceLite() {
        var client = Self.fine()
        client.connections[0].configuration = TraceConfiguration()
        client.connections[0].negotiation.isRemoteICELite = true
        #expect(FindingJudge().findings(in: CallFacts(clients: [client])) == [])
    }

    @Test("figures that are no numbers, or too large for one, trap nothing")
    func strangeFigures() {
        for value in [Double.nan, .infinity, -.infinity, 1e300, -1] {
            var client = Self.fine()
            client.from = value
            client.connections[0].tracks[1].sent?.encodeTime = value
            client.connections[0].tracks[3].received?.freezeTime = value
            client.connections[0].establishment.iceDelay = value
            client.connections[0].negotiation.answerDelay = value
            client.connections[0].to = value
            let facts = CallFacts(clients: [client])
            var timeline = CallTimeline()
            timeline.findings = FindingJudge().findings(in: facts)
            _ = timeline.text()
        }
    }
}
