// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@testable import SessionCore

/// alice publishes `cam`, bob subscribes to it as `view`, in a session that may be relayed.
struct RelayedCall {
    var scenario: CoreScenario
    private(set) var stream = ""
    private var subscriber = ""

    init(
        mode: MediaMode = .relayed, limits: SessionServerLimits = .init(), senderStatsTrack: Bool = false,
        maximumBitrate: Int? = nil, storing: CoreStoring? = nil
    ) {
        scenario = CoreScenario(limits: limits, mediaMode: mode, storing: storing)
        scenario.join("alice")
        scenario.join("bob")
        var request = CoreScenario.publish("cam", senderStatsTrack: senderStatsTrack)
        request.offer = nil
        request.maximumBitrate = maximumBitrate
        scenario.send("alice", .publish(request))
        for body in scenario.bodies("alice") {
            if case .published(let published) = body { stream = published.stream.id }
        }
        subscribe("bob", "view")
        for body in scenario.bodies("bob") {
            if case .subscribed(let subscribed) = body { subscriber = subscribed.subscriberId ?? "" }
        }
    }

    /// An adaptive call that carol has made a routed one, with alice's leg `r1` and bob's `r2`.
    static func routed() throws -> RelayedCall {
        var call = RelayedCall(mode: .adaptive)
        _ = try call.connect("d1")
        call.scenario.join("carol")
        call.scenario.send("alice", .replace(.init(leg: "r1", replaces: "cam", offer: "o")))
        call.scenario.send("bob", .replace(.init(leg: "r2", replaces: "view", offer: "o")))
        call.scenario.send("bob", .settled(.init(leg: "r2")))
        #expect(call.scenario.core.relays.isEmpty)
        _ = (call.scenario.inbox("alice"), call.scenario.inbox("bob"))
        return call
    }

    mutating func subscribe(_ client: String, _ handle: LegName) {
        scenario.send(client, .subscribe(.init(leg: handle, stream: stream, offer: nil)))
    }

    mutating func relay(_ leg: LegName, _ subscriber: String) {
        scenario.send(
            "alice", .relay(.init(leg: leg, publication: "cam", subscriberId: subscriber, offer: "o")))
    }

    /// Connects alice with bob; gives bob's name for the leg.
    mutating func connect(_ leg: LegName) throws -> LegName {
        relay(leg, subscriber)
        let offered = try #require(offers("bob").last)
        scenario.send("bob", .answer(.init(leg: offered.leg, answer: "a")))
        _ = (scenario.inbox("alice"), scenario.inbox("bob"))
        return offered.leg
    }

    mutating func telemetry(_ leg: LegName, _ sample: StreamSample, at time: Double) {
        let event = TelemetryEvent(eventId: "e\(time)", capturedAt: time, leg: leg, sample: sample)
        scenario.send("alice", .telemetry(.init(events: [event])))
    }

    /// The routes that a client was sent since the last look; the rest is gone with them.
    mutating func routes(_ client: String) -> [ServerMessage.Routes] {
        scenario.bodies(client).compactMap { if case .routes(let routes) = $0 { routes } else { nil } }
    }

    /// The offers that a client was sent since the last look; the rest is gone with them.
    mutating func offers(_ client: String) -> [ServerMessage.Offered] {
        scenario.bodies(client).compactMap { if case .offered(let offered) = $0 { offered } else { nil } }
    }
}

extension CoreScenario {
    /// The server's name for a client's connection.
    func connection(_ client: String) -> String {
        member(client)?.identity.description.id ?? "none"
    }
}
