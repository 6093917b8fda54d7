// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire
import Testing
import WebRTCStats

@testable import SessionCore

@Suite("Network tests at the server")
struct CoreNetworkTestTests {
    private static func scenario(testsNetwork: Bool) -> CoreScenario {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam")
        scenario.send(
            "alice",
            .subscribe(
                .init(leg: "own", stream: stream, testsNetwork: testsNetwork ? true : nil, offer: "offer")))
        _ = scenario.inbox("alice")
        _ = scenario.takeCommands()
        return scenario
    }

    @Test("a subscription to one's own stream that tests the network can be saturated, ten times")
    func saturates() {
        var scenario = Self.scenario(testsNetwork: true)
        let leg = scenario.routerName("alice", "own")
        for _ in 0..<10 { scenario.send("alice", .saturate(.init(leg: "own", bitrate: 1_000_000))) }
        #expect(scenario.bodies("alice") == Array(repeating: .done, count: 10))
        #expect(
            scenario.takeCommands()
                == Array(repeating: .saturate(.init(leg: leg, bitrate: 1_000_000, seconds: 3)), count: 10))
        scenario.send("alice", .saturate(.init(leg: "own", bitrate: 1_000_000)))
        #expect(scenario.errors("alice") == [.tooMany])
        #expect(scenario.takeCommands().isEmpty)
    }

    @Test("nothing else can")
    func refuses() {
        var scenario = Self.scenario(testsNetwork: false)
        scenario.send("alice", .saturate(.init(leg: "own", bitrate: 1_000_000)))
        #expect(scenario.errors("alice") == [.forbidden])
        scenario.send("alice", .saturate(.init(leg: "cam", bitrate: 1_000_000)))
        scenario.send("alice", .saturate(.init(leg: "none", bitrate: 1_000_000)))
        #expect(scenario.errors("alice") == [.unknownLeg, .unknownLeg])
        for bitrate in [0, -1, .nan, .infinity, 2e9] {
            scenario.send("alice", .saturate(.init(leg: "own", bitrate: bitrate)))
        }
        for seconds in [-1, 3.1, .nan, .infinity] {
            scenario.send(
                "alice", .saturate(.init(leg: "own", bitrate: 1_000_000, seconds: seconds)))
        }
        #expect(scenario.errors("alice") == Array(repeating: .malformed, count: 9))
        #expect(scenario.takeCommands().isEmpty)
    }

    @Test("its client is sent what the router's end has counted; others are not", arguments: [true, false])
    func counters(testsNetwork: Bool) throws {
        var scenario = Self.scenario(testsNetwork: testsNetwork)
        let stats = try StatsReport.parse(
            Array(
                #"[{"type":"transport","id":"T","timestamp":7,"bytesReceived":500,"packetsReceived":5}]"#.utf8
            )
        ).report
        let leg = scenario.routerName("alice", "own")
        scenario.put(
            .router(
                .report(.init(leg: leg, kind: .subscriber, stream: "s", stats: stats, layers: [])),
                from: .first))
        let facts = scenario.bodies("alice").compactMap {
            if case .facts(let facts) = $0 { facts } else { nil }
        }
        #expect(facts.count == 1)
        #expect(facts.first?.counters?.bytesReceived == (testsNetwork ? 500 : nil))
        #expect(facts.first?.counters?.pathPacketsReceived == nil)
    }

    /// The media router has counted a leg of the client's, and on a publication's that many packets of media.
    private static func count(
        _ leg: String, _ kind: StreamRole, hasKeys: Bool = true, media: UInt64 = 0,
        in scenario: inout CoreScenario
    ) {
        var stats = StatsReport(timestamp: scenario.now.unix)
        var transport = ICETransportStats(id: "T", timestamp: scenario.now.unix)
        transport.dtlsState = hasKeys ? .connected : .connecting
        stats.transports = [transport]
        var audio = InboundRTPStats(id: "A", timestamp: scenario.now.unix)
        audio.kind = .audio
        audio.packetsReceived = media
        if kind == .publisher { stats.inboundRTP = [audio] }
        let name = scenario.routerName("alice", LegName(leg))
        scenario.put(
            .router(
                .report(.init(leg: name, kind: kind, stream: "s", stats: stats, layers: [])), from: .first))
    }

    /// What the client is sent of it.
    private static func facts(_ scenario: inout CoreScenario) -> [LegMetrics] {
        scenario.bodies("alice").compactMap { if case .facts(let facts) = $0 { facts } else { nil } }
    }

    @Test("a page, whose test is decided here, is sent whether the router has keys and no more")
    func pageCounters() {
        var scenario = Self.scenario(testsNetwork: true)
        scenario.send("alice", .networkTest(.init(time: 0, course: .connecting)))
        _ = scenario.inbox("alice")
        let sent = [false, false, true, true, true, false].map { hasKeys in
            scenario.pass(.milliseconds(200))
            Self.count("own", .subscriber, hasKeys: hasKeys, in: &scenario)
            return Self.facts(&scenario).map { $0.counters?.isConnected }
        }
        #expect(sent == [[], [], [true], [], [], [false]])
    }

    /// A client that tests its network with both of its legs, and decides itself.
    private static func test() throws -> CoreScenario {
        var scenario = CoreScenario()
        scenario.join("alice")
        var request = CoreScenario.publish("cam")
        request.testsNetwork = true
        scenario.send("alice", .publish(request))
        let streams = scenario.bodies("alice").compactMap {
            if case .published(let published) = $0 { published.stream.id } else { nil }
        }
        let stream = try #require(streams.first)
        scenario.send(
            "alice", .subscribe(.init(leg: "own", stream: stream, testsNetwork: true, offer: "offer")))
        _ = scenario.inbox("alice")
        return scenario
    }

    @Test("what arrives of a publication is sent at once, and what does of the subscription with it")
    func together() throws {
        var scenario = try Self.test()
        let steps: [(time: Int, leg: String, hasKeys: Bool, media: UInt64, sent: [String])] = [
            (100, "own", false, 0, ["own"]), (100, "cam", true, 0, ["cam"]),
            // Keys are waited for; and without media the publication's next comes a second later.
            (100, "own", true, 0, ["own"]), (100, "own", true, 0, ["own"]),
            (100, "cam", true, 5, ["cam"]), (100, "own", true, 0, []), (150, "cam", true, 9, ["cam", "own"]),
            (100, "own", false, 0, ["own"]), (100, "own", false, 0, []),
            (50, "cam", true, 12, ["cam", "own"]),
            // The publication is over.
            (200, "own", false, 0, []), (200, "own", false, 0, []), (200, "own", false, 0, ["own"]),
            // Nothing old comes with what is new.
            (100, "cam", true, 15, ["cam"]),
        ]
        for (index, step) in steps.enumerated() {
            scenario.pass(.milliseconds(step.time))
            let kind: StreamRole = step.leg == "cam" ? .publisher : .subscriber
            Self.count(step.leg, kind, hasKeys: step.hasKeys, media: step.media, in: &scenario)
            let facts = Self.facts(&scenario)
            #expect(facts.count == (step.sent.isEmpty ? 0 : 1), "step \(index)")
            let legs = facts.flatMap(\.perLeg)
            #expect(legs.map(\.leg.rawValue) == step.sent, "step \(index)")
            #expect(legs.allSatisfy { $0.counters != nil && $0.beside == nil })
        }
    }

    @Test("packets of the path in use are counted with the checks before and after the first answer")
    func pathPackets() {
        var report = StatsReport(timestamp: 1)
        var transport = ICETransportStats(id: "T", timestamp: 1)
        (transport.packetsSent, transport.packetsReceived) = (100, 200)
        transport.selectedCandidatePairId = "P"
        report.transports = [transport]
        var (pair, other) = (
            CandidatePairStats(id: "P", timestamp: 1), CandidatePairStats(id: "O", timestamp: 1)
        )
        (pair.requestsSent, pair.consentRequestsSent, pair.responsesSent) = (1, 2, 4)
        (pair.requestsReceived, pair.responsesReceived) = (10, 20)
        other.requestsSent = 1000
        report.candidatePairs = [other, pair]
        let counters = LegCounters(report)
        #expect(counters.pathPacketsSent == 107)
        #expect(counters.pathPacketsReceived == 230)
    }
}
