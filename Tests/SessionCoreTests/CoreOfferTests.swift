// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

@Suite("Offers take turns at the router")
struct CoreOfferTests {
    /// What the router was asked since the last look, by the offers.
    private static func offers(_ scenario: inout CoreScenario) -> [String] {
        scenario.takeCommands().compactMap {
            switch $0 {
            case .add(let leg): leg.offer
            case .offer(let offer): offer.offer
            default: nil
            }
        }
    }

    private static func answer(_ scenario: inout CoreScenario, _ client: String, _ leg: LegName) {
        scenario.put(
            .router(.answer(.init(leg: scenario.routerName(client, leg), answer: "a")), from: .first))
    }

    @Test("the router works on four of a client; the others wait, and no one else for them")
    func perClient() {
        var scenario = CoreScenario()
        scenario.routerAnswers = false
        for client in ["mallory", "bob"] { scenario.join(client) }
        for number in 0..<10 { scenario.send("mallory", .publish(CoreScenario.publish("m\(number)"))) }
        #expect(Self.offers(&scenario) == (0..<4).map { "offer-m\($0)" })
        scenario.send("bob", .publish(CoreScenario.publish("b")))
        #expect(Self.offers(&scenario) == ["offer-b"])
        Self.answer(&scenario, "mallory", "m1")
        #expect(Self.offers(&scenario) == ["offer-m4"])
        #expect(scenario.core.waitingLegs.count == 5)
        scenario.disconnect("mallory")
        #expect(scenario.core.waitingLegs.isEmpty)
    }

    @Test("when the router has enough, whoever has the fewest there is next")
    func fairShare() {
        var limits = SessionServerLimits()
        limits.routerOffers = 4
        var scenario = CoreScenario(limits: limits)
        scenario.routerAnswers = false
        for client in ["mallory", "bob", "carol"] { scenario.join(client) }
        for number in 0..<10 { scenario.send("mallory", .publish(CoreScenario.publish("m\(number)"))) }
        for number in 0..<2 { scenario.send("bob", .publish(CoreScenario.publish("b\(number)"))) }
        scenario.send("carol", .publish(CoreScenario.publish("c0")))
        #expect(Self.offers(&scenario).count == 4)
        for number in 0..<3 { Self.answer(&scenario, "mallory", "m\(number)") }
        #expect(Self.offers(&scenario) == ["offer-b0", "offer-c0", "offer-m4"])
        Self.answer(&scenario, "carol", "c0")
        #expect(Self.offers(&scenario) == ["offer-b1"])
    }

    @Test("a leg that is removed while the router works on its offer counts for a moment longer")
    func removedInTheMiddle() {
        var scenario = CoreScenario()
        scenario.routerAnswers = false
        scenario.join("mallory")
        for number in 0..<20 {
            scenario.send("mallory", .publish(CoreScenario.publish("m\(number)")))
            scenario.send("mallory", .unpublish(.init(leg: "m\(number)")))
        }
        #expect(Self.offers(&scenario).count == 4)
        scenario.send("mallory", .publish(CoreScenario.publish("m")))
        #expect(Self.offers(&scenario).isEmpty)
        scenario.pass(.milliseconds(1200))
        #expect(Self.offers(&scenario) == ["offer-m"])
        #expect(scenario.core.abandonedOffers.isEmpty)
    }

    @Test("later offers on a leg go one after the other, with the candidates that belong to each")
    func laterOffers() {
        var scenario = CoreScenario()
        scenario.join("alice")
        scenario.publish("alice", "cam")
        let leg = scenario.routerName("alice", "cam")
        _ = scenario.takeCommands()
        scenario.routerAnswers = false
        func candidate(_ number: Int) -> LegCandidate {
            LegCandidate(leg: "cam", mid: nil, lineIndex: 0, candidate: "candidate:\(number)")
        }
        func passed(_ number: Int) -> RouterCommand {
            .candidate(.init(leg: leg, mid: nil, lineIndex: 0, candidate: "candidate:\(number)"))
        }
        for number in 1...4 {
            scenario.send("alice", .offer(.init(leg: "cam", offer: "o\(number)")))
            scenario.send("alice", .candidate(candidate(number)))
        }
        #expect(scenario.takeCommands() == [.offer(.init(leg: leg, offer: "o1")), passed(1)])
        #expect(scenario.inbox("alice").isEmpty)
        scenario.send("alice", .offer(.init(leg: "cam", offer: "o5")))
        #expect(scenario.errors("alice") == [.tooMany])
        Self.answer(&scenario, "alice", "cam")
        #expect(scenario.takeCommands() == [.offer(.init(leg: leg, offer: "o2")), passed(2)])
        scenario.pass(.seconds(11))
        #expect(scenario.errors("alice") == [nil, .internal, .internal, .internal])
        #expect(!scenario.core.waitingLegs.contains { scenario.core.legs[$0]?.hasWaitingOffer == true })
    }

    @Test("what waits is bounded in bytes, and a client that waits for less is not refused")
    func bytes() {
        var limits = SessionServerLimits()
        limits.waitingOfferBytes = 1000
        var scenario = CoreScenario(limits: limits)
        scenario.routerAnswers = false
        for client in ["mallory", "bob"] { scenario.join(client) }
        _ = scenario.inbox("mallory")
        func publish(_ client: String, _ leg: LegName, _ length: Int) {
            var request = CoreScenario.publish(leg)
            request.offer = String(repeating: "x", count: length)
            scenario.send(client, .publish(request))
        }
        for number in 0..<4 { publish("mallory", "m\(number)", 1000) }
        publish("mallory", "w1", 600)
        publish("mallory", "w2", 401)
        #expect(scenario.errors("mallory") == [.tooMany])
        publish("mallory", "w3", 400)
        #expect(scenario.errors("mallory").isEmpty)
        scenario.send(
            "mallory", .candidate(.init(leg: "w3", mid: nil, lineIndex: nil, candidate: "candidate:1")))
        #expect(scenario.errors("mallory") == [.tooMany])
        publish("bob", "b", 1000)
        #expect(scenario.errors("bob").isEmpty)
    }

    @Test("the candidates of an offer at the router are limited")
    func candidates() {
        var limits = SessionServerLimits()
        limits.candidatesPerOffer = 3
        var scenario = CoreScenario(limits: limits)
        scenario.join("alice")
        scenario.publish("alice", "cam")
        _ = scenario.takeCommands()
        let candidate = LegCandidate(leg: "cam", mid: nil, lineIndex: nil, candidate: "candidate:1")
        for _ in 0..<4 { scenario.send("alice", .candidate(candidate)) }
        #expect(scenario.errors("alice") == [.tooMany])
        scenario.send("alice", .offer(.init(leg: "cam", offer: "o")))
        scenario.send("alice", .candidate(candidate))
        #expect(scenario.errors("alice") == [nil])
        #expect(scenario.takeCommands().count == 5)
    }
}
