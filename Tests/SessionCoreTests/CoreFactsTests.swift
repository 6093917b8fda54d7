// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import Testing
import WebRTCStats

@testable import SessionCore

@Suite("Facts and telemetry")
struct CoreFactsTests {
    private static func call(senderStatsTrack: Bool = false) -> (CoreScenario, stream: String) {
        var scenario = CoreScenario()
        scenario.join("alice")
        let stream = scenario.publish("alice", "cam", senderStatsTrack: senderStatsTrack)
        scenario.join("bob")
        scenario.subscribe("bob", "s", stream)
        for client in ["alice", "bob"] { _ = scenario.inbox(client) }
        return (scenario, stream)
    }

    private static func stats(_ json: String) throws -> StatsReport {
        try StatsReport.parse(Array(json.utf8)).report
    }

    private static func layer(_ rid: String?, _ width: Int, sending: Bool = true) -> LayerFigures {
        LayerFigures(
            rid: rid, sending: sending, width: width, height: width * 9 / 16, frameRate: 30,
            bitrate: Double(width) * 1000)
    }

    private static func facts(_ scenario: inout CoreScenario, _ client: String) throws -> LegMetrics {
        let bodies = scenario.bodies(client)
        let facts = bodies.count == 1 ? bodies.first : nil
        return try #require(
            facts.flatMap { if case .facts(let facts) = $0 { facts } else { nil } }, "\(bodies)")
    }

    @Test("a subscriber hears what its leg's sending end knows")
    func sender() throws {
        var (scenario, stream) = Self.call()
        let stats = try Self.stats(
            """
            [{"type":"transport","id":"T","timestamp":1,"selectedCandidatePairId":"P"},
             {"type":"candidate-pair","id":"P","timestamp":1,"transportId":"T","state":"succeeded","nominated":true,
              "availableOutgoingBitrate":1500000,"currentRoundTripTime":0.04,"responsesReceived":7},
             {"type":"outbound-rtp","id":"A","timestamp":1,"kind":"audio"},
             {"type":"outbound-rtp","id":"V","timestamp":1,"kind":"video","framesSent":250}]
            """)
        let policy = PolicyState(
            wanted: Self.layer("f", 1280), sent: Self.layer("q", 320), reason: .bandwidth, allocated: 1,
            maximumBitrate: 6_000_000)
        let leg = scenario.routerName("bob", "s")
        scenario.put(
            .router(
                .report(
                    .init(
                        leg: leg, kind: .subscriber, stream: stream, stats: stats, layers: [], policy: policy)
                ), from: .first))
        let facts = try Self.facts(&scenario, "bob")
        #expect(scenario.inbox("alice").isEmpty)
        #expect(facts.leg == "s" && facts.capturedAt == scenario.now.unix)
        #expect(facts.largestWantedLayer == nil && facts.publisher == nil)
        let sender = try #require(facts.sender)
        #expect(sender.estimatedBandwidth == 1_500_000)
        #expect(sender.maximumAllocatedBitrate == 6_000_000)
        #expect(sender.roundTripTime == 0.04 && sender.videoFramesSent == 250)
        #expect(sender.roundTripTimeMeasurements == 7)
        #expect(
            sender.wantedLayer?.rid == "f" && sender.sentLayer?.rid == "q"
                && sender.reason == .bandwidth)
    }

    @Test(
        "the newest round trip time is sent on: by RTCP while it is fresh, else of the connectivity checks",
        arguments: [(9_000.0, 0.3, UInt64(40)), (5_000, 0.04, 7)])
    func roundTrip(heardAt: Double, time: Double, measurements: UInt64) throws {
        var (scenario, stream) = Self.call()
        let stats = try Self.stats(
            """
            [{"type":"transport","id":"T","timestamp":10000,"selectedCandidatePairId":"P"},
             {"type":"candidate-pair","id":"P","timestamp":10000,"transportId":"T","state":"succeeded",
              "nominated":true,"currentRoundTripTime":0.04,"responsesReceived":7},
             {"type":"remote-inbound-rtp","id":"R","timestamp":\(heardAt),"kind":"video","roundTripTime":0.3,
              "roundTripTimeMeasurements":40}]
            """)
        let leg = scenario.routerName("bob", "s")
        scenario.put(
            .router(
                .report(.init(leg: leg, kind: .subscriber, stream: stream, stats: stats, layers: [])),
                from: .first))
        let sender = try #require(try Self.facts(&scenario, "bob").sender)
        #expect(sender.roundTripTime == time && sender.roundTripTimeMeasurements == measurements)
    }

    @Test("what the router has not measured is absent, not zero")
    func absent() throws {
        var (scenario, stream) = Self.call()
        for (client, name, kind) in [
            ("bob", "s", .subscriber), ("alice", "cam", .publisher),
        ] as [(String, LegName, StreamRole)] {
            let leg = scenario.routerName(client, name)
            let report = LegReport(leg: leg, kind: kind, stream: stream, stats: .init(), layers: [])
            scenario.put(.router(.report(report), from: .first))
        }
        let sender = try #require(try Self.facts(&scenario, "bob").sender)
        #expect(sender.estimatedBandwidth == nil && sender.roundTripTime == nil)
        #expect(sender.videoFramesSent == nil && sender.reason == nil)
        #expect(try Self.facts(&scenario, "alice").largestWantedLayer == nil)
    }

    @Test("a publisher hears the largest layer that anyone wants")
    func receiver() throws {
        var (scenario, stream) = Self.call()
        scenario.join("carol")
        scenario.subscribe("carol", "t", stream)
        for client in ["alice", "bob", "carol"] { _ = scenario.inbox(client) }
        for (client, name, wanted) in [
            ("bob", "s", Self.layer("q", 320)), ("carol", "t", Self.layer("h", 640)),
        ] as [(String, LegName, LayerFigures)] {
            let policy = PolicyState(
                wanted: wanted, sent: nil, reason: .wanted, allocated: nil, maximumBitrate: nil)
            let leg = scenario.routerName(client, name)
            scenario.put(
                .router(
                    .report(
                        .init(
                            leg: leg, kind: .subscriber, stream: stream, stats: .init(), layers: [],
                            policy: policy)), from: .first))
        }
        let layers = [Self.layer("q", 320), Self.layer("h", 640), Self.layer("f", 1280, sending: false)]
        let report = CoreInput.router(
            .report(
                .init(
                    leg: scenario.routerName("alice", "cam"), kind: .publisher, stream: stream,
                    stats: .init(),
                    layers: layers)), from: .first)
        scenario.put(report)
        #expect(try Self.facts(&scenario, "alice").largestWantedLayer == "h")
        scenario.send("carol", .unsubscribe(.init(leg: "t")))
        scenario.put(report)
        #expect(try Self.facts(&scenario, "alice").largestWantedLayer == "q")
    }

    @Test("each end hears what its media's packets show the router of their path, and not what others' do")
    func pathTiming() throws {
        var (scenario, stream) = Self.call()
        let timings = ["alice": 2e6, "bob": 1e6].mapValues {
            PathTiming(capacityBound: $0, sustainedDelay: 0.01)
        }
        for (client, name, kind) in [
            ("bob", "s", .subscriber), ("alice", "cam", .publisher),
        ] as [(String, LegName, StreamRole)] {
            let (leg, timing) = (scenario.routerName(client, name), timings[client])
            let report = LegReport(
                leg: leg, kind: kind, stream: stream, stats: .init(), layers: [], pathTiming: timing)
            scenario.put(.router(.report(report), from: .first))
        }
        #expect(try Self.facts(&scenario, "alice").pathTiming == timings["alice"])
        #expect(try Self.facts(&scenario, "bob").pathTiming == timings["bob"])
    }

    @Test(
        "what is wrong with a publisher reaches its subscribers, its figures only if it set senderStatsTrack",
        arguments: [true, false])
    func senderStatsTrack(isOn: Bool) throws {
        var (scenario, stream) = Self.call(senderStatsTrack: isOn)
        var sample = StreamSample()
        sample.networkCondition = .warning
        sample.networkConditionReason = .bandwidth
        sample.diagnosis = Diagnosis(cause: .bandwidth, direction: .uplink, severity: .bad)
        var judged = sample
        judged.diagnosis = Diagnosis(cause: .bandwidth)
        sample.connectionEstimatedBandwidth = 700_000
        sample.diagnosis?.evidence = .init(estimatedBandwidth: 700_000)
        let event = TelemetryEvent(eventId: "e1", capturedAt: 42, leg: "cam", sample: sample)
        // Of the publisher's clock no one hears.
        let time = scenario.now.unix
        scenario.send("alice", .telemetry(.init(events: [event])))
        scenario.pass(.milliseconds(600))
        let report = LegReport(
            leg: scenario.routerName("bob", "s"), kind: .subscriber, stream: stream, stats: .init(),
            layers: [])
        scenario.put(.router(.report(report), from: .first))
        let publisher = try Self.facts(&scenario, "bob").publisher
        #expect(publisher == .init(capturedAt: time, age: 600, sample: isOn ? sample : judged))
    }

    @Test("whatever a publisher says of itself, its subscribers' facts stay small")
    func size() throws {
        var (scenario, stream) = Self.call(senderStatsTrack: true)
        scenario.send(
            "alice",
            .telemetry(
                .init(events: [.init(eventId: "e", capturedAt: 1, leg: "cam", sample: ExtremeSample.largest)])
            ))
        #expect(scenario.errors("alice") == [nil])
        let report = LegReport(
            leg: scenario.routerName("bob", "s"), kind: .subscriber, stream: stream, stats: .init(),
            layers: [])
        scenario.put(.router(.report(report), from: .first))
        let facts = try Self.facts(&scenario, "bob")
        #expect(facts.publisher?.sample.audio?.mos == ExtremeSample.largest.audio?.mos)
        #expect(try ServerMessage(.facts(facts)).json().count < 4096)
    }

    @Test(
        "telemetry is acknowledged each time it comes, and counted once; older samples do not replace newer")
    func telemetryTwice() throws {
        var (scenario, stream) = Self.call(senderStatsTrack: true)
        func event(_ id: String, _ time: Double, _ bandwidth: Double) -> TelemetryEvent {
            var sample = StreamSample()
            sample.connectionEstimatedBandwidth = bandwidth
            return TelemetryEvent(eventId: id, capturedAt: time, leg: "cam", sample: sample)
        }
        let events = [event("a", 2, 1), event("b", 3, 2), event("b", 4, 3), event("c", 1, 4)]
        for event in events {
            let id = scenario.send("alice", .telemetry(.init(events: [event])))
            let wanted = ServerMessage.Acknowledged(eventIds: [event.eventId], receivedAt: scenario.now.unix)
            #expect(scenario.inbox("alice") == [ServerMessage(re: id, .acknowledged(wanted))])
        }
        let report = LegReport(
            leg: scenario.routerName("bob", "s"), kind: .subscriber, stream: stream, stats: .init(),
            layers: [])
        scenario.put(.router(.report(report), from: .first))
        #expect(try Self.facts(&scenario, "bob").publisher?.sample.connectionEstimatedBandwidth == 2)
    }

    @Test("a raw report is accepted, also for a leg that has ended")
    func rawReport() throws {
        var (scenario, _) = Self.call()
        scenario.send("bob", .unsubscribe(.init(leg: "s")))
        _ = scenario.inbox("bob")
        let event = TelemetryEvent(eventId: "r", capturedAt: 1, leg: "s", report: .init())
        scenario.send("bob", .telemetry(.init(events: [event])))
        #expect(scenario.errors("bob") == [nil])
    }
}
