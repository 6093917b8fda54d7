// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import RouterWire
import SessionWire
import Testing

@testable import SessionCore

/// What the server says of participants' networks, to whom, and when.
@Suite("Network quality of remote participants")
struct NetworkQualityTests {
    /// Alice publishes audio, bob receives it, carol looks on.
    private struct Watched {
        var scenario = CoreScenario()
        var uplink: LegScript
        var downlink: LegScript
        private var names: [String: String] = [:]

        init(_ verbosity: NetworkQualityVerbosity? = .minimal, sharing: Bool = false) {
            scenario.join("alice")
            let stream = scenario.publish("alice", "cam", senderStatsTrack: sharing)
            scenario.join("bob")
            scenario.subscribe("bob", "s", stream)
            uplink = LegScript(.publisher, scenario.routerName("alice", "cam"), stream)
            downlink = LegScript(.subscriber, scenario.routerName("bob", "s"), stream)
            if case .joined(let joined)? = scenario.join("carol") {
                for other in joined.connections { names[other.id] = other.name }
            }
            for client in ["alice", "bob", "carol"] { _ = scenario.inbox(client) }
            if let verbosity { ask(verbosity) }
        }

        mutating func ask(_ verbosity: NetworkQualityVerbosity) {
            scenario.send("carol", .networkQuality(.init(remote: verbosity)))
        }

        /// Lets seconds pass with losses on both legs.
        mutating func run(_ seconds: Int, up: Double = 0, down: Double = 0) {
            for _ in 0..<seconds {
                scenario.pass(.seconds(1))
                scenario.put(.router(.report(uplink.next(loss: up)), from: .first))
                scenario.put(.router(.report(downlink.next(loss: down)), from: .first))
            }
        }

        /// What carol was sent since the last look.
        mutating func notified() -> [(name: String, quality: NetworkQualityStats)] {
            scenario.bodies("carol").flatMap { body -> [(String, NetworkQualityStats)] in
                guard case .networkQuality(let update) = body else { return [] }
                return update.participants.map { (names[$0.connection] ?? "?", $0.quality) }
            }
        }

        mutating func levels(of name: String) -> [NetworkQualityLevel] {
            notified().filter { $0.name == name }.map(\.quality.level)
        }
    }

    @Test("no one is notified who has not asked, or no longer asks")
    func unasked() {
        var watched = Watched(nil)
        watched.run(10, down: 0.3)
        #expect(watched.notified().isEmpty)
        watched.ask(.minimal)
        #expect(watched.notified().map(\.name) == ["alice", "bob"])
        watched.ask(.none)
        _ = watched.notified()
        watched.run(10)
        #expect(watched.notified().isEmpty)
        #expect(watched.scenario.inbox("alice").allSatisfy { $0.re != nil || !Self.isQuality($0) })
    }

    @Test("a level is sent when it is known, when it drops and when it is back, and not between")
    func changes() {
        var watched = Watched()
        watched.run(10)
        #expect(watched.notified().map { "\($0.name) \($0.quality.level.rawValue)" } == ["alice 5", "bob 5"])
        watched.run(10, down: 0.2)
        let dropped = watched.notified()
        #expect(dropped.allSatisfy { $0.name == "bob" })
        #expect(dropped.last?.quality.level == .one)
        watched.run(30)
        let back = watched.notified()
        #expect(back.allSatisfy { $0.name == "bob" })
        #expect(back.last?.quality == NetworkQualityStats(level: .five))
        watched.run(30)
        #expect(watched.notified().isEmpty)
    }

    @Test("a client is sent its own level if it asks, and no one else's with it")
    func own() {
        var watched = Watched(nil)
        func levels() -> [NetworkQualityLevel] {
            watched.scenario.bodies("bob").flatMap { body -> [NetworkQualityLevel] in
                guard case .networkQuality(let update) = body else { return [] }
                return update.participants.map(\.quality.level)
            }
        }
        watched.scenario.send("bob", .networkQuality(.init(remote: .none, local: .minimal)))
        watched.run(10)
        #expect(levels() == [.five])
        watched.run(10, down: 0.2)
        #expect(levels().last == .one)
        // The same question again is no new one.
        watched.scenario.send("bob", .networkQuality(.init(remote: .none, local: .minimal)))
        watched.run(2, down: 0.2)
        #expect(levels() == [])
        watched.scenario.send("bob", .networkQuality(.init(remote: .none)))
        watched.run(30)
        #expect(levels() == [])
    }

    @Test("a publisher's uplink is judged by what the router receives")
    func uplink() {
        var watched = Watched(.detailed, sharing: true)
        watched.run(10)
        watched.run(10, up: 0.2)
        let alice = watched.notified().last { $0.name == "alice" }?.quality
        #expect(alice?.level == .one)
        #expect(alice?.audio?.send?.fractionLost?.level == .one && alice?.audio?.receive == nil)
        #expect(alice?.audio?.send?.latency?.rtt == 0.02)
    }

    @Test("what the client measures counts beside it, for as long as it is fresh")
    func bothSides() {
        var watched = Watched()
        watched.run(10)
        _ = watched.notified()
        var sample = StreamSample()
        sample.levels = StreamLevels(
            audio: .init(latency: .init(level: .two, jitter: 0.05)), video: .init())
        watched.scenario.send(
            "bob", .telemetry(.init(events: [.init(eventId: "e", capturedAt: 1, leg: "s", sample: sample)])))
        watched.run(2)
        #expect(watched.levels(of: "bob") == [.two])
        watched.run(6)
        #expect(watched.levels(of: "bob") == [.five])
    }

    @Test("without reports or telemetry the level is unknown, without streams it is 5 and idle")
    func unknownAndIdle() {
        var watched = Watched()
        watched.run(8)
        _ = watched.notified()
        watched.scenario.pass(.seconds(8))
        #expect(watched.notified().map(\.quality) == [NetworkQualityStats(), NetworkQualityStats()])
        watched.scenario.send("bob", .unsubscribe(.init(leg: "s")))
        watched.scenario.pass(.seconds(2))
        #expect(watched.notified().map(\.quality) == [NetworkQualityStats(level: .five, isIdle: true)])
    }

    @Test("whoever is reconnecting is at 0 for the others", arguments: ["leg", "router"])
    func reconnecting(_ what: String) {
        var watched = Watched()
        watched.run(8)
        _ = watched.notified()
        if what == "leg" {
            watched.scenario.put(
                .router(.state(.init(leg: watched.downlink.leg, state: "disconnected")), from: .first))
        } else {
            watched.scenario.put(.routerLost(.first))
        }
        watched.scenario.pass(.seconds(1))
        #expect(watched.levels(of: "bob") == [.zero])
        guard what == "leg" else { return }
        watched.scenario.put(
            .router(.state(.init(leg: watched.downlink.leg, state: "connected")), from: .first))
        watched.run(2)
        #expect(watched.levels(of: "bob") == [.five])
    }

    @Test(
        "verbosity decides what is sent, also in the call",
        arguments: [
            (NetworkQualityVerbosity.minimal, false, false), (.moderate, true, false),
            (.detailed, true, true),
        ])
    func verbosity(_ verbosity: NetworkQualityVerbosity, hasMedia: Bool, hasFigures: Bool) throws {
        var watched = Watched()
        watched.run(8)
        _ = watched.notified()
        watched.ask(verbosity)
        watched.run(2)
        let bob = watched.notified().last { $0.name == "bob" }?.quality
        guard hasMedia else { return #expect(bob == nil) }
        let audio = try #require(bob?.audio)
        #expect(audio.level == .five && audio.receive?.level == .five)
        #expect((audio.receive?.latency != nil) == hasFigures)
    }

    @Test(
        "others see figures only of whoever shares those of all its streams, and levels of everyone",
        arguments: [false, true])
    func figures(sharing: Bool) throws {
        var watched = Watched(.detailed, sharing: sharing)
        watched.scenario.send("bob", .networkQuality(.init(remote: .none, local: .detailed)))
        watched.run(8)
        let all = watched.notified()
        let sent = try #require(all.last { $0.name == "alice" }?.quality.audio?.send)
        #expect(sent.latency?.level == .five && sent.fractionLost?.level == .five)
        #expect(sent.latency?.rtt == (sharing ? 0.02 : nil))
        #expect(sent.fractionLost?.fractionLost == (sharing ? 0 : nil))
        // Whoever publishes nothing has shared nothing.
        let received = try #require(all.last { $0.name == "bob" }?.quality.audio?.receive)
        #expect(received.latency == .init(level: .five) && received.fractionLost == .init(level: .five))
        let own = watched.scenario.bodies("bob").flatMap { body -> [NetworkQualityStats] in
            guard case .networkQuality(let update) = body else { return [] }
            return update.participants.map(\.quality)
        }
        #expect(own.last?.audio?.receive?.latency?.rtt == 0.02)
        // One stream that does not share is enough.
        watched.scenario.publish("alice", "screen")
        watched.run(2)
        let last = watched.notified().last { $0.name == "alice" }?.quality
        #expect(last?.audio?.send?.latency?.rtt == nil)
        #expect(sharing == (last != nil))
    }

    @Test("a subscriber hears on which side an uplink is bad, without the publisher's leave or its figures")
    func blame() throws {
        var watched = Watched(nil)
        watched.run(10)
        let clean = watched.scenario.bodies("bob").compactMap(Self.facts)
        #expect(clean.allSatisfy { $0.uplink == nil && $0.publisher == nil })
        watched.run(8, up: 0.2)
        let bad = try #require(watched.scenario.bodies("bob").compactMap(Self.facts).last)
        #expect(bad.uplink == .init(networkCondition: .critical, networkConditionReason: .packetLoss))
        #expect(bad.publisher == nil)
        #expect(bad.levels?.audio?.level == .five)
    }

    @Test("an uplink that falls silent is an outage within 4 s, unless its publisher has nothing to send")
    func outage() {
        var muted = Watched(nil)
        muted.scenario.send(
            "alice", .update(.init(leg: "cam", content: .init(hasAudio: false, hasVideo: false))))
        muted.run(10)
        muted.uplink.isFlowing = false
        muted.run(6)
        #expect(muted.scenario.bodies("bob").compactMap(Self.facts).allSatisfy { $0.uplink == nil })

        var watched = Watched(nil)
        watched.run(10)
        _ = watched.scenario.inbox("bob")
        watched.uplink.isFlowing = false
        watched.run(4)
        let uplink = watched.scenario.bodies("bob").compactMap(Self.facts).last?.uplink
        #expect(uplink == .init(networkCondition: .critical, networkConditionReason: .connection))
    }

    @Test("nothing is kept of those who have left, and a replaced leg's late reports count for nothing")
    func memory() {
        var watched = Watched()
        watched.run(5)
        watched.scenario.send("bob", .replace(.init(leg: "s2", replaces: "s", offer: "o")))
        _ = watched.notified()
        watched.run(8, down: 0.5)
        #expect(!watched.levels(of: "bob").contains(.one))
        for client in ["alice", "bob", "carol"] { watched.scenario.disconnect(client) }
        #expect(watched.scenario.isClean)
    }

    private static func facts(_ body: ServerMessage.Body) -> LegMetrics? {
        if case .facts(let facts) = body { facts } else { nil }
    }

    private static func isQuality(_ message: ServerMessage) -> Bool {
        if case .networkQuality = message.body { true } else { false }
    }
}
