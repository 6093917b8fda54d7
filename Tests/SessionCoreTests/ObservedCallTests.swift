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
        /// Of whose losses the sender does not know yet.
        var unreported: Set<Way> = []
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
            let known = unreported.contains(out) ? 0 : loss[out] ?? 0
            var report = sent[out]?.next(loss: known).stats ?? StatsReport()
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

    static func grant(_ name: String, call: String = "call") -> ObserverGrant {
        ObserverGrant(call: call, participant: name, tags: ["version": "1.2"])
    }

    static func report(_ second: Int, ssrc: UInt64 = 1, _ name: String = "main") -> ObservedReport {
        var script = LegScript(.subscriber, "", "")
        var stats = script.next().stats
        for _ in 0..<second { stats = script.next().stats }
        stats.outboundRTP[0].ssrc = ssrc
        return ObservedReport(peerConnection: name, .report(stats))
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
                rating, by: ObserverGrant(call: call, participant: name), issued: mesh.scenario.now.unix,
                at: mesh.scenario.now)
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

    @Test("paths that become bad or well one after the other do not blame a receiver's network meanwhile")
    func onset() throws {
        var mesh = Mesh(["alice", "bob", "carol"])
        try mesh.run(8)
        for to in ["bob", "carol"] {
            mesh.loss[.init(from: "alice", to: to)] = 0.2
            try mesh.run(2)
        }
        try mesh.run(2)
        for name in ["bob", "carol"] {
            #expect(mesh.sample(of: name, from: "alice")?.networkDegradationSource == .remote)
        }
        for to in ["bob", "carol"] {
            mesh.loss[.init(from: "alice", to: to)] = 0
            try mesh.run(2)
        }
        try mesh.run(20)
        for name in ["bob", "carol"] {
            let side = mesh.sample(of: name, from: "alice")?.networkDegradationSource
            #expect(side == NetworkDegradationSource.none)
        }
        let sides = mesh.scenario.stored.compactMap { record in
            if case .sample(let sample) = record { sample.sample.networkDegradationSource } else { nil }
        }
        #expect(sides.contains(.remote) && !sides.contains(.local))
    }

    @Test("receivers who lose all alike blame the sender's uplink before the sender knows of it")
    func receivedFirst() throws {
        var mesh = Mesh(["alice", "bob", "carol"])
        try mesh.run(8)
        for to in ["bob", "carol"] {
            mesh.loss[.init(from: "alice", to: to)] = 0.2
            mesh.unreported.insert(.init(from: "alice", to: to))
        }
        try mesh.run(5)
        for name in ["bob", "carol"] {
            #expect(mesh.sample(of: name, from: "alice")?.networkDegradationSource == .remote)
        }
        for own in mesh.samples(of: "alice", as: .publisher) {
            #expect(own.networkDegradationSource == nil && own.diagnosis?.cause == Diagnosis.Cause.none)
        }
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

    @Test("what one end measures where no one knows the other is all stored, also if it comes at once")
    func atOnce() throws {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
        scenario.pass(.seconds(1000))
        var received = LegScript(.publisher, "", "")
        let reports = (0..<10).map { second in
            ObservedReport(time: 7000 + 1000 * Double(second), .report(received.next().stats))
        }
        let receipt = try scenario.observe(Self.grant("bob"), reports)
        #expect(receipt.accepted == 10 && receipt.error == nil)
        _ = try scenario.observe(Self.grant("bob"), [ObservedReport(.closed)])
        scenario.pass(.milliseconds(1))
        let times = scenario.stored.compactMap { record -> Double? in
            if case .sample(let sample) = record { sample.mark.time } else { nil }
        }
        let arrival = try #require(times.last)
        #expect(times == (0..<10).map { arrival - 9000 + 1000 * Double($0) })
        // It began with the first of them.
        let starts = scenario.stored.compactMap { record -> Double? in
            switch record {
            case .session("call", _, let time): time
            case .connection(let connection): connection.joinedAt
            case .stream(let stream): stream.createdAt
            case .flow(let flow): flow.createdAt
            default: nil
            }
        }
        #expect(starts == Array(repeating: arrival - 9000, count: 4))
    }

    @Test(
        "what one peer connection receives through is no lack of uplink to the one that sends beside it",
        arguments: [true, false])
    func queueBeside(isReceiving: Bool) throws {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
        var (sent, received) = (LegScript(.subscriber, "", ""), LegScript(.publisher, "", ""))
        for second in 0..<60 {
            scenario.pass(.seconds(1))
            if second >= 20 {
                let roundTripTime = 0.17 + 0.02 * Double(second - 20)
                (sent.roundTripTime, received.roundTripTime) = (roundTripTime, roundTripTime)
                received.jitter = 0.03
            }
            var other = received.next().stats
            other.inboundRTP[0].ssrc = 2
            let reports = [
                ObservedReport(peerConnection: "subscriber", .report(other)),
                ObservedReport(peerConnection: "publisher", .report(sent.next().stats)),
            ]
            _ = try scenario.observe(Self.grant("alice"), Array(reports.suffix(isReceiving ? 2 : 1)))
        }
        let flow = try #require(
            scenario.stored.lazy.compactMap { record -> FlowKey? in
                if case .flow(let flow) = record, flow.role == .publisher { flow.key } else { nil }
            }.first)
        let causes = scenario.stored.compactMap { record -> Diagnosis.Cause? in
            guard case .sample(let sample) = record, sample.flow == flow else { return nil }
            return sample.sample.diagnosis?.cause
        }
        // It is taken for that where nothing else is known.
        #expect(causes.contains(.bandwidth) == !isReceiving, "\(causes)")
    }

    @Test("how long reports took is said by those whose times can be")
    func span() {
        func span(_ times: [Double], _ more: [ObservedReport] = []) -> Double {
            let reports = times.map { ObservedReport(time: $0, .changes([])) }
            return ObservedReports(reports: reports + more).span(longest: .seconds(300))
        }
        let now = 1_700_000_000_000.0
        #expect(span([]) == 0 && span([now]) == 0)
        #expect(span([now + 9000, now, now + 3000]) == 9000)
        #expect(span([0, now, now + 3000]) == 3000)
        #expect(span([now, now + 3000], [ObservedReport(time: now - 50_000, .closed)]) == 3000)
        #expect(span([now, 8.64e15]) == 0)
        #expect(span([now - 300_001, now - 300_000, now]) == 300_000)
        #expect(span([.infinity, now]) == 0 && span([.nan, now, now + 5]) <= 300_000)
    }

    @Test("what is measured before a sender is known is of its stream, if it is known in time")
    func beforePairing() throws {
        var mesh = Mesh(["alice", "bob"])
        mesh.reporting = ["bob"]
        try mesh.run(2)
        mesh.reporting = ["alice", "bob"]
        try mesh.run(2)
        let flow = try #require(mesh.flows(of: "bob", as: .subscriber).first)
        #expect(flow.owner == "alice")
        let samples = mesh.scenario.stored.count { record in
            if case .sample(let sample) = record { sample.flow == flow.flow.key } else { false }
        }
        #expect(samples == 4)
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
        // The same call may continue.
        try mesh.run(1)
        #expect(mesh.scenario.core.sessions[SessionID("call")] != nil)
    }

    @Test("a track that is gone ends its stream and its flow, and the others continue")
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
