// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import SessionWire
import Testing
import WebRTCStats

@testable import SessionCore

@Suite("Who may add to observed calls, and how much")
struct ObservedAdmissionTests {
    private static func grant(_ name: String, call: String = "call") -> ObserverGrant {
        ObservedCallTests.grant(name, call: call)
    }

    private static func report(_ second: Int, ssrc: UInt64 = 1, _ name: String = "main") -> ObservedReport {
        ObservedCallTests.report(second, ssrc: ssrc, name)
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

    @Test(
        "what is kept of how often a participant says something is bounded, whatever peer connections it names"
    )
    func rates() throws {
        var scenario = CoreScenario()
        let mallory = Self.grant("mallory")
        _ = try scenario.observe(mallory, [Self.report(0)])
        for request in 0..<200 {
            let reports = (0..<ObservedReports.countLimit).map {
                ObservedReport(peerConnection: "\(request)-\($0)", .changes([.int(2)]))
            }
            #expect(try scenario.observe(mallory, reports, bytes: 1).accepted == 0)
        }
        guard case .observed(let call)? = scenario.core.sessions[SessionID("call")] else {
            Issue.record("there is no call")
            return
        }
        let kept = call.participants["mallory"]?.rates.count ?? 0
        #expect(kept > 0 && kept <= 310)
    }

    @Test("ever new tracks do not fill the store, and those that were there go through")
    func tracks() throws {
        let names = StoredNames.test(secret: "secret", keepsNames: false)
        var scenario = CoreScenario(storing: CoreStoring(names: names, run: 1))
        func report(_ second: Int, _ tracks: Range<Int>, _ name: String) -> ObservedReport {
            let time = scenario.now.unix
            var report = StatsReport(timestamp: time)
            report.inboundRTP = tracks.map { number in
                var track = InboundRTPStats(id: "I\(number)", timestamp: time)
                track.kind = .audio
                track.ssrc = UInt64(number + 1)
                track.trackIdentifier = "track \(number)"
                track.packetsReceived = UInt64(50 * (second + 1))
                track.bytesReceived = UInt64(5000 * (second + 1))
                return track
            }
            return ObservedReport(peerConnection: name, .report(report))
        }
        let mallory = Self.grant("mallory")
        for second in 0..<30 {
            let reports = [
                report(second, 0..<1, "main"), report(0, 1..<151, "\(second)"),
                ObservedReport(peerConnection: "\(second)", .closed),
            ]
            #expect(try scenario.observe(mallory, reports).accepted == 3)
            scenario.pass(.seconds(1))
        }
        let flows = scenario.stored.compactMap { if case .flow(let flow) = $0 { flow.key } else { nil } }
        #expect((1000...2300).contains(flows.count), "\(flows.count)")
        let samples = scenario.stored.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
        let counts = Dictionary(samples.map { ($0.flow, 1) }, uniquingKeysWith: +)
        #expect(counts.values.contains { $0 >= 20 })
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

    @Test("a call of which nothing comes at the moment is ended all the same, and stays so for a later run")
    func endedWhileIdle() throws {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
        let alice = Self.grant("alice")
        let issued = scenario.now.unix
        _ = try scenario.observe(alice, [Self.report(1)], issued: issued)
        scenario.pass(.seconds(60))
        #expect(scenario.core.sessions[SessionID("call")] == nil, "no one has said anything for long")
        _ = scenario.endSession("call")
        _ = scenario.endSession("never heard of")
        _ = scenario.endSession("a session of the server's that is gone", wasHosted: true)
        _ = scenario.endSession(String(repeating: "x", count: 129))
        let time = scenario.now.unix
        scenario.pass(.seconds(1))
        let ends = scenario.stored.compactMap { record -> String? in
            if case .callEnded(let name, time) = record { name } else { nil }
        }
        #expect(ends == ["call", "never heard of"])
        func refusal(_ scenario: inout CoreScenario) -> ServerError? {
            #expect(throws: ServerError.self) {
                try scenario.observe(alice, [Self.report(2)], issued: issued)
            }
        }
        #expect(refusal(&scenario)?.code == .forbidden)
        #expect(scenario.core.sessions[SessionID("call")] == nil)
        var next = CoreScenario()
        next.recall(FormerRun(endedCalls: ["call": time]))
        #expect(refusal(&next)?.code == .forbidden)
        #expect(try next.observe(alice, [Self.report(2)], issued: time + 1).accepted == 1)
    }

    @Test(
        "a call that was ended at another node ends here once that is known, and not once more after it was begun again"
    )
    func endedElsewhere() throws {
        var scenario = CoreScenario()
        let alice = Self.grant("alice")
        let issued = scenario.now.unix
        _ = try scenario.observe(alice, [Self.report(1)], issued: issued)
        scenario.pass(.seconds(1))
        let time = scenario.now.unix
        scenario.core.learn(denied: [], endedCalls: ["call": time, "other": time], at: scenario.now)
        #expect(!scenario.core.observes("call"))
        let refusal = #expect(throws: ServerError.self) {
            try scenario.observe(alice, [Self.report(2)], issued: issued)
        }
        #expect(refusal?.code == .forbidden)
        scenario.pass(.seconds(1))
        // What it reports is older than the end, and it is not.
        let reports = (1...20).map { ObservedReport(time: 1000 * Double($0), Self.report($0).content) }
        #expect(try scenario.observe(alice, reports, issued: scenario.now.unix).accepted == 20)
        // It is said more than once, and may be heard only now.
        scenario.core.learn(denied: [], endedCalls: ["call": time], at: scenario.now)
        scenario.core.learn(denied: [], endedCalls: ["call": time + 1], at: scenario.now)
        #expect(scenario.core.observes("call"))
    }

    @Test("a call that another node has by now is given up, and nothing of it is left")
    func released() throws {
        var scenario = CoreScenario(
            storing: CoreStoring(names: .test(secret: "secret", keepsNames: true), run: 1))
        let issued = scenario.now.unix
        for (name, ssrc) in [("alice", 1), ("bob", 2)] as [(String, UInt64)] {
            _ = try scenario.observe(Self.grant(name), [Self.report(1, ssrc: ssrc)], issued: issued)
        }
        #expect(scenario.core.observedCalls == ["call"] && scenario.core.sessionNames == [scenario.session])
        _ = scenario.core.release(["call"], at: scenario.now)
        #expect(!scenario.core.observes("call") && scenario.core.observedCalls.isEmpty)
        #expect(scenario.core.census == scenario.core.countedCensus)
        #expect(scenario.core.census.observedParticipants == 0 && scenario.core.census.observedPeers == 0)
    }

    @Test("a call that was ended is rated no more with a token of before")
    func ratedAfterEnd() throws {
        var scenario = CoreScenario()
        let (alice, rating) = (Self.grant("alice"), try CallRating(3))
        let issued = scenario.now.unix
        _ = try scenario.observe(alice, [Self.report(1)], issued: issued)
        scenario.pass(.seconds(1))
        _ = scenario.endSession("call")
        let refusal = #expect(throws: ServerError.self) {
            try scenario.core.rate(rating, by: alice, issued: issued, at: scenario.now)
        }
        #expect(refusal?.code == .forbidden)
        let isThere = try scenario.core.rate(
            rating, by: alice, issued: scenario.now.unix + 1000, at: scenario.now)
        #expect(!isThere)
    }

    @Test("what cannot be read lets no one in, and makes no peer connection")
    func unreadable() throws {
        var scenario = CoreScenario()
        let alice = Self.grant("alice")
        let stale = ObservedReport(.changes([.int(2), .int(1000)]))
        let receipt = try scenario.observe(alice, [stale, ObservedReport(.closed)])
        #expect(receipt.restart == ["main"] && receipt.accepted == 1 && receipt.error == nil)
        #expect(try scenario.observe(alice, [ObservedReport(.report(StatsReport()))]).error != nil)
        #expect(scenario.core.sessions[SessionID("call")] == nil)
        #expect(try scenario.observe(alice, [Self.report(1), Self.renamed(stale, "other")]).accepted == 1)
        #expect(scenario.core.census.observedPeers == 1)
        #expect(scenario.core.census == scenario.core.countedCensus)
    }

    @Test("a whole report of changes that is too large is refused as such: it would be so again")
    func tooLarge() throws {
        var scenario = CoreScenario()
        let objects = (0...ReportRebuilder.objectLimit).map { number in
            StatsValue.array([.string("codec"), .string("C\(number)")])
        }
        for isThere in [false, true] {
            if isThere { _ = try scenario.observe(Self.grant("alice"), [Self.report(1)]) }
            let receipt = try scenario.observe(
                Self.grant("alice"), [ObservedReport(.changes([.int(-1), .int(1000)] + objects))])
            #expect(receipt.restart.isEmpty && receipt.error?.code == .malformed)
            #expect(receipt.error?.message.contains("\(ReportRebuilder.objectLimit)") == true)
        }
    }

    private static func renamed(_ report: ObservedReport, _ name: String) -> ObservedReport {
        ObservedReport(peerConnection: name, report.content)
    }
}
