// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire
import Testing
import WebRTCStats

@testable import SessionCore

@Suite("Network tests of pages, which the server decides")
struct HostedNetworkTestTests {
    private func run(
        up: SimulatedPage.Direction, down: SimulatedPage.Direction
    ) throws -> (report: PreCallReport, actions: [QualityPlan.Action]) {
        var page = SimulatedPage(up: up, down: down)
        let result = try #require(try page.run())
        #expect(result.isConclusive)
        return (result.report, page.actions)
    }

    @Test("a wide line is good for audio and video, by media on a subscription that is made again")
    func wide() throws {
        let (report, actions) = try run(up: .init(capacity: 20e6), down: .init(capacity: 20e6))
        #expect(report.verdict == .audioAndVideo)
        #expect(report.uplink?.bandwidthIsAtLeast == true && report.downlink?.bandwidthIsAtLeast == true)
        #expect(report.recommendation?.width == 1920)
        #expect(actions.contains(.renewSubscription))
        #expect(report.timing.start == 1_700_000_000_000 && report.timing.duration > 3000)
    }

    @Test(
        "a narrow line is measured although the page's words wait while it is full",
        arguments: [(120_000.0, 20e6), (20e6, 120_000), (120_000, 120_000)])
    func narrow(up: Double, down: Double) throws {
        let (report, actions) = try run(up: .init(capacity: up), down: .init(capacity: down))
        #expect(report.verdict == .audioOnly)
        for (path, capacity) in [(report.uplink, up), (report.downlink, down)] {
            let bandwidth = try #require(path?.bandwidth)
            #expect(abs(bandwidth / min(capacity, 5e6) - 1) < 0.1)
            #expect(path?.supportsVideo == (capacity > 150_000))
        }
        #expect(actions.contains(.renewStreamWithoutVideo))
    }

    @Test(
        "a line on which media queue is filled with little first, and what a page sends after that does not count"
    )
    func queued() throws {
        var page = SimulatedPage(up: .init(capacity: 60_000), down: .init(capacity: 20e6))
        (page.up.idleRate, page.queue) = (8000, 0.1)
        let report = try #require(try page.run()).report
        let loads = page.actions.compactMap { action -> Double? in
            if case .fill(_, let bitrate, _, _) = action { bitrate } else { nil }
        }
        #expect(loads.first == 300_000)
        let bandwidth = try #require(report.uplink?.bandwidth)
        #expect(abs(bandwidth / 60_000 - 1) < 0.1)
    }

    @Test("a line too narrow for audio is neither")
    func tooNarrow() throws {
        let (report, _) = try run(up: .init(capacity: 30_000), down: .init(capacity: 20e6))
        #expect(report.verdict == .neither)
        #expect(report.audio?.reason?.direction == .uplink && report.audio?.reason?.cause == .bandwidth)
    }

    @Test("loss is blamed on its direction", arguments: [NetworkDirection.uplink, .downlink])
    func loss(direction: NetworkDirection) throws {
        let (lossy, good) = (
            SimulatedPage.Direction(capacity: 20e6, loss: 0.08), SimulatedPage.Direction(capacity: 20e6)
        )
        let (report, _) = try direction == .uplink ? run(up: lossy, down: good) : run(up: good, down: lossy)
        #expect(report.verdict == .neither)
        #expect(report.audio?.reason?.direction == direction && report.audio?.reason?.cause == .packetLoss)
        let path = direction == .uplink ? report.uplink : report.downlink
        #expect(abs((path?.fractionLost ?? 0) - 0.08) < 0.01)
    }

    @Test("a test whose connections took most of its time has its verdict by what is known when that is over")
    func late() throws {
        var page = SimulatedPage(up: .init(capacity: 20e6), down: .init(capacity: 20e6, loss: 0.08))
        page.connectingTime = 8000
        let report = try #require(try page.run()).report
        #expect(report.verdict == .neither && report.failure == nil)
        #expect(report.confidence != nil && !report.endedEarly)
        #expect(report.audio?.reason?.direction == .downlink)
        #expect(report.timing.duration < 14_000)
        #expect(!page.actions.contains(.renewSubscription))
    }

    @Test(
        "connections that take the rest of the time leave the verdict of the bandwidth",
        arguments: [3000.0, 4000, 5000, 6000])
    func slowRenewal(time: Double) throws {
        var page = SimulatedPage(up: .init(capacity: 20e6), down: .init(capacity: 20e6))
        (page.connectingTime, page.renewalTime) = (5000, time)
        let report = try #require(try page.run()).report
        #expect(page.actions.contains(.renewSubscription))
        #expect(report.verdict == .audioAndVideo && report.failure == nil)
        let confidence = try #require(report.confidence)
        #expect(time < 6000 || (0.3...0.6).contains(confidence))
        #expect(report.video?.grade != .unsupported)
    }

    @Test("a page that asks for the result in the middle has the verdict of what is known")
    func endsInTime() throws {
        var page = SimulatedPage(up: .init(capacity: 20e6), down: .init(capacity: 20e6))
        let result = try #require(try page.endWhenRenewing())
        #expect(result.report.verdict == .audioAndVideo && result.report.failure == nil)
        #expect(result.report.confidence ?? 1 < 0.6)
    }

    @Test("a step that fails on the network is a result that says what to do; one that does not is none")
    func failures() throws {
        var page = SimulatedPage(up: .init(capacity: 20e6), down: .init(capacity: 20e6))
        let blocked = try #require(
            try page.end(failure: .init(step: .udpPath, code: "timeout", message: "no path")))
        #expect(blocked.isConclusive && blocked.report.verdict == .neither)
        #expect(blocked.report.failure?.message == "no path")
        #expect(blocked.report.failure?.advice.contains("TURN") == true)
        let refused = try #require(
            try page.end(failure: .init(step: .publish, code: "forbidden", message: "no")))
        #expect(!refused.isConclusive)
        #expect(refused.report.failure?.advice.contains("token") == true)
    }

    @Test("a test that ends before anything is known is no verdict")
    func early() throws {
        var page = SimulatedPage(up: .init(capacity: 20e6), down: .init(capacity: 20e6))
        let result = try #require(try page.end(failure: nil))
        #expect(result.report.failure?.code == "timeout")
    }

    @Test("readings that build on nothing, and tests that take too long, are refused")
    func refusals() {
        var test = HostedNetworkTest(rules: PreCallRules(), at: .zero)
        let reading = HostedNetworkTest.Reading(
            .init(leg: "p", time: 0, changes: [.int(2), .int(0)]), of: .publisher)
        #expect(throws: ServerError.lostBase) {
            try test.take(.init(time: 0, course: .connecting), [reading], at: .zero)
        }
        #expect(throws: ServerError.self) {
            try test.take(.init(time: 0, course: .measuring(fillsUplink: true)), [], at: .seconds(121))
        }
    }
}

@Suite("Network tests of pages at the server")
struct CoreHostedNetworkTestTests {
    private static func request(
        _ course: ClientMessage.NetworkTest.Course, _ legs: [LegName] = []
    ) -> ClientMessage.Body {
        .networkTest(
            .init(
                time: 10, course: course,
                readings: legs.map { .init(leg: $0, time: 0, changes: [.int(-1), .int(7)]) }))
    }

    private static func answers(_ scenario: inout CoreScenario, _ client: String) -> [ServerMessage
        .NetworkTest]
    {
        scenario.bodies(client).compactMap { if case .networkTest(let answer) = $0 { answer } else { nil } }
    }

    @Test("the server says what is to be done and by when, and what has been found out")
    func continues() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.send("alice", Self.request(.connecting))
        #expect(Self.answers(&scenario, "alice") == [.init(limit: 14_000)])
        scenario.send("alice", Self.request(.measuring(fillsUplink: true)))
        let answers = Self.answers(&scenario, "alice")
        #expect(answers.allSatisfy { $0.limit == nil })
        let actions = answers.flatMap(\.actions)
        #expect(actions.first == .begin(step: .bandwidth))
        #expect(actions.contains { if case .fill = $0 { true } else { false } })
        scenario.send(
            "alice",
            Self.request(
                .ended(
                    outcome: .init(
                        start: 1, steps: [],
                        failure: .init(step: .mediaReceived, code: "timeout", message: "nothing came back"))))
        )
        let results = Self.answers(&scenario, "alice").compactMap(\.result)
        #expect(results.map(\.report.failure?.step) == [.mediaReceived])
    }

    @Test("a session in which someone else publishes, or that is not routed, is refused for a test")
    func occupied() throws {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.join("bob")
        scenario.publish("bob", "cam")
        _ = scenario.inbox("alice")
        scenario.send("alice", Self.request(.connecting))
        #expect(scenario.errors("alice") == [.forbidden])
        var relayed = CoreScenario(mediaMode: .relayed)
        relayed.join("alice")
        relayed.send("alice", Self.request(.connecting))
        #expect(relayed.errors("alice") == [.forbidden])
    }

    @Test("only legs that test the network have readings")
    func legs() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.publish("alice", "cam")
        scenario.send("alice", Self.request(.connecting, ["cam"]))
        scenario.send("alice", Self.request(.connecting, ["none"]))
        #expect(scenario.errors("alice") == [.forbidden, .unknownLeg])
    }

    @Test("messages come four times a second, not as fast as a page can")
    func pace() {
        var scenario = CoreScenario()
        scenario.join("alice")
        for _ in 0..<200 { scenario.send("alice", Self.request(.connecting)) }
        #expect(scenario.errors("alice").contains(.tooMany))
    }
}
