// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@testable import SessionCore

@Suite("What a client can do to another in a relayed session")
struct CoreRelayBudgetTests {
    private static func subscriber(_ call: inout RelayedCall) throws -> String {
        try #require(call.routes("alice").last?.subscribers.first?.subscriberId)
    }

    @Test("a publisher's offers come at a pace, and take no names from the subscriber")
    func offers() throws {
        var limits = SessionServerLimits()
        limits.legNamesPerConnection = 100
        var call = RelayedCall(limits: limits)
        let subscriber = try Self.subscriber(&call)
        _ = call.offers("bob")
        for number in 0..<20 { call.relay("d\(number)", subscriber) }
        let offered = call.offers("bob")
        #expect(offered.count == 6)
        #expect(call.scenario.errors("alice").count { $0 == .tooMany } == 14)
        #expect(call.scenario.core.relays.count == 1, "one that waits for an answer")
        for number in 20..<60 {
            call.scenario.pass(.seconds(1))
            call.relay("d\(number)", subscriber)
        }
        #expect(call.offers("bob").count == 40)
        let bob = call.scenario.member("bob")
        #expect(bob?.names.flows.count == 1 && bob?.names.relays.count == 1)
        // Late words about what is over are no mistake, and telemetry of it finds its place.
        call.scenario.send("bob", .settled(.init(leg: offered[0].leg)))
        let event = TelemetryEvent(eventId: "e", capturedAt: 0, leg: offered[0].leg, sample: .init())
        call.scenario.send("bob", .telemetry(.init(events: [event])))
        #expect(call.scenario.errors("bob") == [nil])
        call.scenario.send("bob", .settled(.init(leg: "999/1")))
        #expect(call.scenario.errors("bob") == [.unknownLeg])
    }

    @Test("offers to one client are counted in bytes, over all streams")
    func offerBytes() throws {
        var call = RelayedCall()
        var subscribers: [(publication: LegName, subscriber: String)] = []
        for number in 0..<10 {
            var request = CoreScenario.publish("p\(number)")
            request.offer = nil
            call.scenario.send("alice", .publish(request))
            let published = call.scenario.bodies("alice").compactMap {
                if case .published(let published) = $0 { published.stream.id } else { nil }
            }
            let stream = try #require(published.last)
            call.scenario.send("bob", .subscribe(.init(leg: "v\(number)", stream: stream, offer: nil)))
            let routes = try #require(call.routes("alice").last)
            subscribers.append((routes.leg, try #require(routes.subscribers.first?.subscriberId)))
        }
        _ = call.offers("bob")
        let offer = String(repeating: "x", count: SessionProtocol.descriptionLimit)
        for (number, route) in subscribers.enumerated() {
            call.scenario.send(
                "alice",
                .relay(
                    .init(
                        leg: "d\(number)", publication: route.publication, subscriberId: route.subscriber,
                        offer: offer)))
        }
        #expect(call.offers("bob").count == 8)
    }

    @Test("a subscription has two answered legs at most, the newest")
    func answered() throws {
        var call = RelayedCall()
        for leg in ["d1", "d2", "d3"] as [LegName] { _ = try call.connect(leg) }
        let left = call.scenario.core.relays.values.map(\.publisherLeg).sorted()
        #expect(left == ["d2", "d3"])
    }

    @Test("a subscriber's lost legs reach the publisher at a pace")
    func legLost() throws {
        var call = RelayedCall()
        let leg = try call.connect("d1")
        for _ in 0..<10 { call.scenario.send("bob", .legLost(.init(leg: leg))) }
        #expect(call.scenario.bodies("alice").count == 3)
        #expect(call.scenario.errors("bob") == Array(repeating: .tooMany, count: 7))
        call.scenario.pass(.seconds(1))
        call.scenario.send("bob", .legLost(.init(leg: leg)))
        #expect(call.scenario.bodies("alice").count == 1)
    }

    @Test("a publisher serves a limited number of others directly, each once")
    func subscribers() {
        var limits = SessionServerLimits()
        limits.relayedSubscribers = 2
        var call = RelayedCall(limits: limits)
        call.subscribe("bob", "twice")
        #expect(call.scenario.errors("bob") == [.tooMany])
        for client in ["carol", "dave"] {
            call.scenario.join(client)
            _ = call.scenario.inbox(client)
            call.subscribe(client, "v")
        }
        #expect(!call.scenario.errors("carol").contains(.tooMany))
        #expect(call.scenario.errors("dave") == [.tooMany])
        #expect(call.routes("alice").last?.subscribers.count == 2)
    }

    @Test("a client cannot give a leg a name like the server's, nor be taken for the other end")
    func names() throws {
        var call = RelayedCall()
        let leg = try call.connect("d1")
        let subscribers = call.scenario.core.endpoints.values.compactMap { $0.direct?.subscriberId }
        let subscriber = try #require(subscribers.first)
        call.relay(leg, subscriber)
        #expect(call.scenario.errors("alice") == [.malformed])
        let relay = try #require(call.scenario.core.relays.values.first)
        #expect(relay.end(relay.publisherLeg, of: relay.publisher) == .publisher)
        #expect(relay.end(relay.publisherLeg, of: relay.subscriber) == .subscriber)
        #expect(relay.end(relay.subscriberLeg, of: relay.subscriber) == .subscriber)
    }
}
