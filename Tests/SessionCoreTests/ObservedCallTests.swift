// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import RouterWire
import SessionWire
import Testing
import WebRTCStats

@testable import SessionCore

@Suite("Observed calls")
struct ObservedCallTests {
    /// People who send each other audio by a peer connection for each of the others.
    private struct Mesh {
        /// One way from one to another.
        struct Way: Hashable {
            let from: String
            let to: String
        }

        var scenario: CoreScenario
        let people: [String]
        /// Share of what is lost, by way.
        var loss: [Way: Double] = [:]
        /// Whose reports come.
        var reporting: Set<String>
        private var sent: [Way: LegScript] = [:]
        private var received: [Way: LegScript] = [:]

        init(_ people: [String], limits: SessionServerLimits = .init()) {
            self.people = people
            reporting = Set(people)
            scenario = CoreScenario(
                limits: limits,
                storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
            for from in people {
                for to in people where to != from {
                    sent[Way(from: from, to: to)] = LegScript(.subscriber, "", "")
                    received[Way(from: from, to: to)] = LegScript(.publisher, "", "")
                }
            }
        }

        /// Lets seconds pass.
        mutating func run(_ seconds: Int) throws {
            for _ in 0..<seconds {
                scenario.pass(.seconds(1))
                for own in people {
                    let reports = people.filter { $0 != own }.map { report(of: own, with: $0) }
                    if reporting.contains(own) {
                        let receipt = try scenario.observe(ObservedCallTests.grant(own), reports)
                        #expect(receipt.accepted == reports.count && receipt.error == nil)
                    }
                }
            }
            scenario.pass(.milliseconds(200))
        }

        /// What the peer connection of one with another says.
        private mutating func report(of own: String, with other: String) -> ObservedReport {
            let (out, back) = (Way(from: own, to: other), Way(from: other, to: own))
            var report = sent[out]?.next(loss: loss[out] ?? 0).stats ?? StatsReport()
            report.outboundRTP[0].ssrc = ssrc(out)
            report.remoteInboundRTP[0].ssrc = ssrc(out)
            var inbound = received[back]?.next(loss: loss[back] ?? 0).stats.inboundRTP ?? []
            inbound[0].ssrc = ssrc(back)
            report.inboundRTP = inbound
            return ObservedReport(peerConnection: other, .report(report))
        }

        private func ssrc(_ way: Way) -> UInt64 {
            UInt64(10 * ((people.firstIndex(of: way.from) ?? 0) + 1) + (people.firstIndex(of: way.to) ?? 0))
        }

        /// The flows of a participant, with whose stream it is.
        func flows(of name: String, as role: StreamRole) -> [(flow: FlowRecord, owner: String?)] {
            let connection = connections[name]
            return scenario.stored.compactMap { record in
                guard case .flow(let flow) = record, flow.key.connection == connection,
                    flow.role == role
                else { return nil }
                return (flow, owners[flow.stream])
            }
        }

        /// The last samples of a participant.
        func samples(of name: String, as role: StreamRole) -> [StreamSample] {
            let keys = flows(of: name, as: role).map(\.flow.key)
            return keys.compactMap { key in
                scenario.stored.reversed().lazy.compactMap { record -> StreamSample? in
                    if case .sample(let sample) = record, sample.flow == key { sample.sample } else { nil }
                }.first
            }
        }

        /// The last sample of what one receives from another.
        func sample(of name: String, from sender: String) -> StreamSample? {
            let all = flows(of: name, as: .subscriber)
            guard let place = all.firstIndex(where: { $0.owner == sender }) else { return nil }
            return samples(of: name, as: .subscriber)[place]
        }

        private var connections: [String: String] {
            scenario.stored.reduce(into: [:]) { all, record in
                if case .connection(let one) = record { all[one.displayName ?? ""] = one.name }
            }
        }

        private var owners: [String: String] {
            let names = Dictionary(connections.map { ($0.value, $0.key) }) { first, _ in first }
            return scenario.stored.reduce(into: [:]) { all, record in
                if case .stream(let stream) = record {
                    all[stream.name] = stream.connection.flatMap { names[$0] }
                }
            }
        }
    }

    fileprivate static func grant(_ name: String, call: String = "call") -> ObserverGrant {
        ObserverGrant(call: call, participant: name, tags: ["version": "1.2"])
    }

    private static func report(_ second: Int, ssrc: UInt64 = 1, _ name: String = "main") -> ObservedReport {
        var script = LegScript(.subscriber, "", "")
        var stats = script.next().stats
        for _ in 0..<second { stats = script.next().stats }
        stats.outboundRTP[0].ssrc = ssrc
        return ObservedReport(peerConnection: name, .report(stats))
    }

    @Test("a call that the application has ended begins again with a later token, and with no other")
    func ended() throws {
        var scenario = CoreScenario()
        let alice = Self.grant("alice")
        let issued = scenario.now.unix
        #expect(try scenario.observe(alice, [Self.report(1)], issued: issued).accepted == 1)
        scenario.pass(.seconds(2))
        let isEnded = scenario.endSession("call")
        #expect(isEnded)
        for before in [issued, scenario.now.unix, 0] {
            let refusal = #expect(throws: ServerError.self) {
                try scenario.observe(alice, [Self.report(2)], issued: before)
            }
            #expect(refusal?.code == .forbidden)
        }
        #expect(scenario.core.sessions[SessionID("call")] == nil)
        let other = Self.grant("alice", call: "another")
        #expect(try scenario.observe(other, [Self.report(1)], issued: issued).accepted == 1)
        scenario.pass(.seconds(1))
        #expect(
            try scenario.observe(alice, [Self.report(3)], issued: scenario.now.unix).accepted == 1)
        // One of very many is forgotten, and no memory grows.
        var ends = EndedCalls()
        for number in 0..<20_000 { ends.insert(SessionID("call \(number)"), at: Double(number)) }
        let known = (0..<20_000).filter { ends.contain(SessionID("call \($0)"), forTokenOf: 0) }
        #expect(known == Array(10_000..<20_000))
    }

    @Test("what a token may send is one budget, in the call or not, and through however many connections")
    func budget() throws {
        var scenario = CoreScenario()
        let (mallory, alice) = (Self.grant("mallory"), Self.grant("alice"))
        var taken = 0
        for _ in 0..<100 {
            guard (try? scenario.core.charge(mallory, bytes: 262_144, at: scenario.now)) != nil else { break }
            taken += 1
        }
        #expect(taken == 32)
        try scenario.core.charge(alice, bytes: 262_144, at: scenario.now)
        scenario.pass(.seconds(1))
        try scenario.core.charge(mallory, bytes: 262_144, at: scenario.now)
    }

    @Test("which way packets go is noted once each time that it changes, in words that name no one")
    func route() throws {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
        func report(_ second: Int, _ type: CandidateStats.CandidateType, _ network: String?) -> ObservedReport
        {
            var report = StatsReport(timestamp: 1000 * Double(second))
            var pair = CandidatePairStats(id: "P", timestamp: report.timestamp)
            (pair.state, pair.nominated, pair.localCandidateId) = (.succeeded, true, "L")
            var local = CandidateStats(id: "L", timestamp: report.timestamp)
            (local.candidateType, local.address) = (type, "192.0.2.7")
            if type == .relay { local.relayProtocol = .tls }
            if let network { local.extra.append(.init(name: "networkType", value: .string(network))) }
            (report.candidatePairs, report.localCandidates) = ([pair], [local])
            var transport = ICETransportStats(id: "T", timestamp: report.timestamp)
            transport.selectedCandidatePairId = "P"
            report.transports = [transport]
            return ObservedReport(.report(report))
        }
        let paths: [(CandidateStats.CandidateType, String?)] = [
            (.host, "wifi"), (.host, "wifi"), (.relay, "cellular"), (.relay, "192.0.2.7"), (.host, nil),
        ]
        for (second, path) in paths.enumerated() {
            scenario.pass(.seconds(1))
            _ = try scenario.observe(Self.grant("alice"), [report(second + 1, path.0, path.1)])
        }
        scenario.pass(.seconds(1))
        let noted = scenario.stored.compactMap { record -> [String: String]? in
            if case .event(let event) = record, event.type == "networkPath" { event.detail } else { nil }
        }
        #expect(
            noted == [
                ["turn": "direct", "network": "wifi"], ["turn": "tls", "network": "cellular"],
                ["turn": "tls"],
                ["turn": "direct"],
            ])
    }

    @Test("a participant who is in the call rates it, so often and no more; no one else is known")
    func rating() throws {
        var mesh = Mesh(["alice", "bob"])
        let rating = try CallRating(3)
        func rate(_ name: String, _ call: String = "call") throws -> Bool {
            try mesh.scenario.core.rate(
                rating, by: ObserverGrant(call: call, participant: name), at: mesh.scenario.now)
        }
        #expect(try !rate("alice"), "no one is there yet")
        try mesh.run(2)
        #expect(try rate("alice"))
        #expect(try !rate("carol") && !rate("alice", "another"))
        mesh.scenario.pass(.milliseconds(200))
        let stored = mesh.scenario.stored.compactMap { if case .rating(let one) = $0 { one } else { nil } }
        let alice = mesh.scenario.stored.compactMap { record -> String? in
            if case .connection(let one) = record, one.displayName == "alice" { one.name } else { nil }
        }.first
        #expect(stored.map(\.connection) == [alice] && stored.first?.rating == rating)
        var refusal: ServerError?
        do { for _ in 0..<20 { _ = try rate("alice") } } catch { refusal = error as? ServerError }
        #expect(refusal?.code == .tooMany)
        #expect(try rate("bob"))
        mesh.reporting = []
        try mesh.run(40)
        #expect(try !rate("bob"), "the call is over: the store knows who was in it")
    }

    @Test("both ends of a stream are paired by SSRC, each participant and stream once")
    func pairing() throws {
        var mesh = Mesh(["alice", "bob"])
        try mesh.run(12)
        #expect(mesh.flows(of: "alice", as: .subscriber).map(\.owner) == ["bob"])
        #expect(mesh.flows(of: "bob", as: .subscriber).map(\.owner) == ["alice"])
        #expect(mesh.flows(of: "alice", as: .publisher).map(\.owner) == ["alice"])
        let kinds = mesh.scenario.stored.compactMap { record -> SessionKind? in
            if case .session("call", let kind, _) = record { kind } else { nil }
        }
        #expect(kinds == [.observed])
        #expect(mesh.sample(of: "bob", from: "alice")?.networkCondition == .excellent)
        #expect(mesh.sample(of: "bob", from: "alice")?.remoteNetworkCondition == .excellent)
        #expect(mesh.scenario.core.health.connections == 2 && mesh.scenario.core.health.streams == 2)
    }

    @Test("losses on all ways from one are its uplink's, on its own side and at both who receive it")
    func uplink() throws {
        var mesh = Mesh(["alice", "bob", "carol"])
        try mesh.run(8)
        for to in ["bob", "carol"] { mesh.loss[.init(from: "alice", to: to)] = 0.2 }
        try mesh.run(8)
        for own in mesh.samples(of: "alice", as: .publisher) {
            #expect(own.diagnosis?.cause == .packetLoss && own.diagnosis?.direction == .uplink)
            // As its receivers see it.
            #expect(own.networkDegradationSource == .remote)
        }
        for name in ["bob", "carol"] {
            let sample = try #require(mesh.sample(of: name, from: "alice"))
            #expect(sample.diagnosis?.cause == .packetLoss && sample.networkDegradationSource == .remote)
        }
        let unharmed = try #require(mesh.sample(of: "carol", from: "bob"))
        #expect(unharmed.diagnosis?.cause == Diagnosis.Cause.none)
    }

    @Test("losses on one way of several are at its receiver's end")
    func downlink() throws {
        var mesh = Mesh(["alice", "bob", "carol"])
        try mesh.run(8)
        mesh.loss[.init(from: "alice", to: "bob")] = 0.2
        try mesh.run(8)
        #expect(mesh.sample(of: "bob", from: "alice")?.networkDegradationSource == .local)
        #expect(
            mesh.sample(of: "carol", from: "alice")?.networkDegradationSource == NetworkDegradationSource.none
        )
    }

    @Test("between two there is one path, and neither end is blamed alone for it")
    func onePath() throws {
        var mesh = Mesh(["alice", "bob"])
        try mesh.run(8)
        mesh.loss[.init(from: "alice", to: "bob")] = 0.2
        try mesh.run(8)
        let sent = try #require(mesh.samples(of: "alice", as: .publisher).last)
        #expect(sent.diagnosis?.cause == .packetLoss && sent.networkDegradationSource == .bothOrUnclear)
        let received = try #require(mesh.sample(of: "bob", from: "alice"))
        #expect(
            received.diagnosis?.cause == .packetLoss && received.networkDegradationSource == .bothOrUnclear)
        #expect(mesh.sample(of: "alice", from: "bob")?.diagnosis?.cause == Diagnosis.Cause.none)
    }

    @Test("who receives someone unknown is judged alone, and paired as soon as the sender is known")
    func unpaired() throws {
        var mesh = Mesh(["alice", "bob"])
        mesh.reporting = ["bob"]
        mesh.loss[.init(from: "alice", to: "bob")] = 0.2
        try mesh.run(10)
        #expect(mesh.flows(of: "bob", as: .subscriber).map(\.owner) == [nil])
        let alone = try #require(mesh.samples(of: "bob", as: .subscriber).last)
        #expect(alone.diagnosis?.cause == .packetLoss && alone.networkDegradationSource == .bothOrUnclear)
        mesh.reporting = ["alice", "bob"]
        try mesh.run(3)
        #expect(mesh.flows(of: "bob", as: .subscriber).map(\.owner) == [nil, "alice"])
    }

    @Test("where SSRCs are others at both ends, what the app says of the other end counts")
    func tagged() throws {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
        var (sent, received) = (LegScript(.subscriber, "", ""), LegScript(.publisher, "", ""))
        for _ in 0..<6 {
            scenario.pass(.seconds(1))
            _ = try scenario.observe(Self.grant("alice"), [ObservedReport(.report(sent.next().stats))])
            var stats = received.next().stats
            stats.inboundRTP[0].ssrc = 99
            _ = try scenario.observe(
                Self.grant("bob"), [ObservedReport(.report(stats), remote: "alice")])
        }
        scenario.pass(.seconds(1))
        let flows = scenario.stored.compactMap { record -> FlowRecord? in
            if case .flow(let flow) = record { flow } else { nil }
        }
        #expect(flows.count == 2 && Set(flows.map(\.stream)).count == 1)
    }

    @Test(
        "who is silent is gone, who has closed all peer connections has left, and the call ends with the last"
    )
    func ends() throws {
        var mesh = Mesh(["alice", "bob"])
        try mesh.run(5)
        let alice = Self.grant("alice")
        _ = try mesh.scenario.observe(alice, [ObservedReport(peerConnection: "bob", .closed)])
        mesh.scenario.pass(.seconds(31))
        #expect(mesh.scenario.core.sessions[SessionID("call")] == nil)
        let reasons = mesh.scenario.stored.compactMap { record -> EndReason? in
            if case .connectionLeft(_, _, let reason) = record { reason } else { nil }
        }
        #expect(Set(reasons) == [.left, .lost] && reasons.count == 2)
        let ended = mesh.scenario.stored.contains { record in
            if case .sessionEnded("call", _, let mayReturn) = record { !mayReturn } else { false }
        }
        #expect(ended && mesh.scenario.core.census == mesh.scenario.core.countedCensus)
        let begun = mesh.scenario.stored.count { if case .flow = $0 { true } else { false } }
        let over = mesh.scenario.stored.count { if case .flowEnded = $0 { true } else { false } }
        #expect(begun == over && begun == 4)
        // The same call may go on.
        try mesh.run(1)
        #expect(mesh.scenario.core.sessions[SessionID("call")] != nil)
    }

    @Test("what has changed builds on what came before; else the next has to be whole")
    func changes() throws {
        var scenario = CoreScenario()
        let alice = Self.grant("alice")
        let changed = ObservedReport(.changes([.int(2), .int(1000)]))
        let receipt = try scenario.observe(alice, [changed])
        #expect(receipt.restart == ["main"] && receipt.accepted == 0 && receipt.error == nil)
        let whole = ObservedReport(
            .changes([
                .int(-1), .int(1_700_000_000_000),
                .array([.string("outbound-rtp"), .string("O"), .string("ssrc"), .int(1)]),
            ]))
        #expect(try scenario.observe(alice, [whole, changed]).accepted == 2)
    }

    @Test("too many peer connections, participants, reports and bytes are refused, and no one else's")
    func limits() throws {
        var limits = SessionServerLimits()
        limits.connectionsPerSession = 2
        var scenario = CoreScenario(limits: limits)
        let (mallory, alice) = (Self.grant("mallory"), Self.grant("alice"))
        var accepted = 0
        for number in 0..<10_000 {
            let receipt = try scenario.observe(mallory, [Self.report(0, "pc\(number)")])
            accepted += receipt.accepted
            if number % 100 == 0 { scenario.pass(.milliseconds(200)) }
            if receipt.accepted == 0 { #expect(receipt.error?.code == .tooMany) }
        }
        #expect(accepted == limits.legsPerConnection)
        #expect(scenario.core.census.observedPeers == limits.legsPerConnection)
        #expect(try scenario.observe(alice, [Self.report(1)]).accepted == 1)
        #expect(throws: ServerError.self) { try scenario.observe(Self.grant("eve"), [Self.report(1)]) }
        // Faster than anyone measures.
        let flood = try (0..<1000).map { _ in try scenario.observe(alice, [Self.report(2)]).accepted }
        #expect(flood.reduce(0, +) <= 300)
        #expect(throws: ServerError.self) {
            for _ in 0..<100 { _ = try scenario.observe(mallory, [], bytes: 262_144) }
        }
        #expect(try scenario.observe(Self.grant("bob", call: "other"), [Self.report(1)]).accepted == 1)
    }

    @Test("all calls together have a limit of participants and peer connections")
    func together() throws {
        var limits = SessionServerLimits()
        limits.connections = 3
        limits.observedPeers = 4
        var scenario = CoreScenario(limits: limits)
        scenario.join("hosted")
        for name in ["alice", "bob"] {
            let reports = (0..<2).map { Self.report(0, "pc\($0)") }
            #expect(try scenario.observe(Self.grant(name, call: name), reports).accepted == 2)
        }
        let more = try scenario.observe(Self.grant("bob", call: "bob"), [Self.report(0, "more")])
        #expect(more.error?.code == .tooMany)
        #expect(throws: ServerError.self) {
            try scenario.observe(Self.grant("carol", call: "carol"), [Self.report(0)])
        }
        #expect(scenario.core.census == scenario.core.countedCensus)
    }

    @Test("a session of the server's own takes no reports, and no one joins an observed call")
    func names() throws {
        var scenario = CoreScenario()
        let grant = Self.grant("alice", call: scenario.session)
        #expect(throws: ServerError.self) { try scenario.observe(grant, [Self.report(0)]) }
        _ = try scenario.observe(Self.grant("alice"), [Self.report(0)])
        scenario.join("bob", session: "call")
        #expect(scenario.live?.roster.isEmpty == true)
        #expect(scenario.core.presence(ofSession: "call") == .absent)
    }

    @Test("a track that is gone ends its stream and its flow, and the others go on")
    func goneTrack() throws {
        var mesh = Mesh(["alice", "bob"])
        var script = LegScript(.publisher, "", "")
        func tick(_ tracks: ClosedRange<UInt64>) throws {
            mesh.scenario.pass(.seconds(1))
            var stats = script.next().stats
            let first = stats.inboundRTP[0]
            stats.inboundRTP = tracks.map { number in
                var entry = first
                (entry.id, entry.ssrc, entry.mid) = ("I\(number)", number, "\(number)")
                return entry
            }
            let receipt = try mesh.scenario.observe(Self.grant("alice"), [ObservedReport(.report(stats))])
            #expect(receipt.accepted == 1)
        }
        for _ in 0..<5 { try tick(1...3) }
        #expect(mesh.flows(of: "alice", as: .subscriber).count == 4)
        for _ in 0..<35 { try tick(1...2) }
        mesh.scenario.pass(.seconds(1))
        let over = mesh.scenario.stored.count { if case .flowEnded = $0 { true } else { false } }
        let ended = mesh.scenario.stored.count { if case .streamEnded = $0 { true } else { false } }
        #expect(over == 1 && ended == 1)
        // One that is back is another.
        for _ in 0..<3 { try tick(1...3) }
        mesh.scenario.pass(.seconds(1))
        #expect(mesh.flows(of: "alice", as: .subscriber).count == 5)
    }

    @Test("who claims a stream's SSRC in turn with others begins no flow each time")
    func claimants() throws {
        var mesh = Mesh(["alice", "mallory", "eve"])
        var received = LegScript(.publisher, "", "")
        for second in 0..<40 {
            mesh.scenario.pass(.seconds(1))
            let (claimant, other) = second % 2 == 0 ? ("mallory", "eve") : ("eve", "mallory")
            _ = try mesh.scenario.observe(Self.grant(other), [Self.report(second, ssrc: 99)])
            _ = try mesh.scenario.observe(Self.grant(claimant), [Self.report(second, ssrc: 1)])
            let stats = received.next().stats
            _ = try mesh.scenario.observe(Self.grant("alice"), [ObservedReport(.report(stats))])
        }
        mesh.scenario.pass(.seconds(1))
        let flows = mesh.flows(of: "alice", as: .subscriber).count
        #expect(flows >= 2 && flows <= 5, "\(flows)")
    }

    @Test("events alone are kept once each, and their participant once")
    func events() throws {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
        let event = ObservedEvent(.getUserMedia, time: 1000, id: "a-1", detail: ["error": "NotAllowedError"])
        for second in 0..<5 {
            scenario.pass(.seconds(1))
            let client = second < 2 ? nil : "browser \(second)"
            _ = try scenario.observe(
                Self.grant("alice"), [], events: [event, .init(.track, time: 1000)], client: client)
        }
        scenario.pass(.seconds(1))
        let clients = scenario.stored.compactMap { record -> String? in
            if case .connection(let connection) = record { connection.client ?? "" } else { nil }
        }
        #expect(clients == ["", "browser 2"])
        let marks = scenario.stored.compactMap { record -> (String, EventMark)? in
            if case .event(let event) = record { (event.type, event.mark) } else { nil }
        }
        let asked = marks.filter { $0.0 == "getUserMedia" }.map { "\($0.1.capturedAt) \($0.1.event)" }
        #expect(asked.count == 5 && Set(asked).count == 1)
        let tracks = marks.filter { $0.0 == "track" }.map(\.1.event)
        #expect(tracks.count == 5 && Set(tracks).count == 5)
    }

    @Test("what was not read, and what says nothing, begins no call")
    func nothing() throws {
        var scenario = CoreScenario()
        let grant = Self.grant("alice")
        try scenario.core.charge(grant, bytes: 1000, at: scenario.now)
        #expect(try scenario.observe(grant, []).accepted == 0)
        #expect(try scenario.observe(grant, [ObservedReport(.closed)]).accepted == 1)
        #expect(scenario.core.sessions[SessionID("call")] == nil)
    }

    @Test("an empty report, and one of no time, are refused")
    func empty() throws {
        var scenario = CoreScenario()
        let receipt = try scenario.observe(Self.grant("alice"), [ObservedReport(.report(StatsReport()))])
        #expect(receipt.error?.code == .malformed)
    }

    @Test("raw reports are kept while that is asked for, without addresses")
    func keptReports() throws {
        var mesh = Mesh(["alice", "bob"])
        try mesh.run(4)
        let until = mesh.scenario.now.unix + 5000
        let isKept = mesh.scenario.core.keepReports(ofSession: "call", until: until)
        #expect(isKept)
        try mesh.run(3)
        let kept = mesh.scenario.stored.count { if case .report = $0 { true } else { false } }
        #expect(kept == 6)
    }
}
