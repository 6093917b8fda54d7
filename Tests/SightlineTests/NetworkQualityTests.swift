// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import SessionWire
import Testing
import WebRTCStats

@testable import Sightline

@Suite("Warnings and network quality at the session", .timeLimit(.minutes(1)))
struct NetworkQualityTests {
    /// A subscriber's report, a second after the one before; loses 1 packet of 10 in the seconds given.
    private static func report(_ number: Int, losing: ClosedRange<Int>) -> StatsReport {
        let time = 1_000_000 + Double(number) * 1000
        let lost = (1...max(1, number)).count { losing.contains($0) } * 5
        var stats = StatsReport(timestamp: time)
        var stream = InboundRTPStats(id: "I", timestamp: time)
        stream.ssrc = 1
        stream.kind = .audio
        stream.packetsReceived = UInt64(number * 50 - lost)
        stream.packetsLost = Int64(lost)
        stream.bytesReceived = UInt64(number * 4000)
        stats.inboundRTP = [stream]
        return stats
    }

    /// Hears what a delegate hears.
    private final class Listener: SessionDelegate, Sendable {
        let warnings = Journal<CallQualityEvent>()
        let levels = Journal<(Connection, NetworkQualityStats)>()

        func callDidEmitCallQualityEvent(_ session: Session, event: CallQualityEvent) { warnings.add(event) }

        func session(
            _ session: Session, networkQualityLevelChanged stats: NetworkQualityStats,
            of connection: Connection
        ) { levels.add((connection, stats)) }
    }

    @Test("A stream's warning comes to the session's delegate and sequence when it begins and when it ends")
    func warning() async throws {
        let call = Call()
        let listener = Listener()
        call.session.delegate = listener
        let events = call.session.events()
        let (_, peer) = try await call.subscribe()
        peer.setStatistics { Self.report($0, losing: 5...12) }
        await call.elapsed(until: "trigger and recover", step: .milliseconds(250)) {
            listener.warnings.entries.count == 2
        }
        await call.session.disconnect()
        let heard = listener.warnings.entries
        #expect(heard.map(\.warning.phase) == [.trigger, .recover])
        for event in heard {
            #expect(event.warning.kind == .highInboundPacketLoss && event.warning.media == .audio)
            #expect(event.warning.direction == .inbound)
            #expect(event.role == .subscriber && event.streamId == "theirs")
        }
        let seen = await all(of: events).compactMap { event in
            if case .callDidEmitCallQualityEvent(let event) = event { event } else { nil }
        }
        #expect(seen == heard)
    }

    @Test("The server is asked for others' levels only if the app wants them, and again when that changes")
    func asking() async throws {
        let quiet = Call { $0.isNetworkQualityEnabled = true }
        try await quiet.session.connect()
        #expect(quiet.session.networkQualityConfiguration == NetworkQualityConfiguration())
        quiet.session.networkQualityConfiguration = .init(local: .detailed, remote: .moderate)
        await eventually("the request") { quiet.server.asked == [.moderate] }
        quiet.session.networkQualityConfiguration = nil
        await eventually("its end") { quiet.server.asked == [.moderate, .none] }
        await quiet.session.disconnect()
        let eager = Call { $0.networkQualityConfiguration = .init(remote: .detailed) }
        try await eager.session.connect()
        await eventually("the request") { eager.server.asked == [.detailed] }
        await eager.session.disconnect()
    }

    @Test("Levels that are switched on in a call come with a first event")
    func switchedOn() async throws {
        let call = Call()
        let listener = Listener()
        call.session.delegate = listener
        try await call.session.connect()
        #expect(listener.levels.entries.isEmpty)
        call.session.networkQualityConfiguration = .init()
        await eventually("the first level") { !listener.levels.entries.isEmpty }
        let (connection, stats) = try #require(listener.levels.entries.first)
        #expect(connection == call.session.connection)
        #expect(stats == NetworkQualityStats(level: .five, isIdle: true))
        await call.session.disconnect()
    }

    @Test("Others' levels are reported when they change; those of strangers are not")
    func remote() async throws {
        let call = Call { $0.networkQualityConfiguration = .init(remote: .minimal) }
        let listener = Listener()
        call.session.delegate = listener
        try await call.session.connect()
        let bob = try #require(call.session.connections.first)
        #expect(call.session.networkQualityLevel(of: bob) == .unknown)
        for level in [NetworkQualityLevel.five, .five, .zero] {
            call.server.notify(
                .networkQuality(
                    .init(participants: [
                        .init(connection: "stranger", quality: .init(level: .one)),
                        .init(connection: bob.connectionId, quality: .init(level: level)),
                    ])))
        }
        await eventually("bob at 0") { call.session.networkQualityLevel(of: bob) == .zero }
        await eventually("both changes") { listener.levels.entries.count { $0.0 == bob } == 2 }
        call.server.notify(.connectionDestroyed(.init(id: bob.connectionId, reason: "left")))
        await eventually("bob forgotten") { call.session.networkQualityStats(of: bob) == nil }
        await call.session.disconnect()
        #expect(listener.levels.entries.filter { $0.0 == bob }.map(\.1.level) == [.five, .zero])
        #expect(Set(listener.levels.entries.map(\.0.connectionId)).isSubset(of: ["me", bob.connectionId]))
    }

    @Test("The own level is 5 and idle, then what is measured, 0 while the media is brought back, then gone")
    func local() async throws {
        let call = Call { $0.isNetworkQualityEnabled = true }
        let listener = Listener()
        call.session.delegate = listener
        try await call.session.connect()
        #expect(call.session.networkQualityStats == NetworkQualityStats(level: .five, isIdle: true))
        let (_, peer) = try await call.subscribe()
        peer.setStatistics { Self.report($0, losing: 0...0) }
        await call.elapsed(until: "a level", step: .milliseconds(250)) {
            call.session.networkQualityStats == NetworkQualityStats(level: .five)
        }
        peer.emit(.connectionState(.disconnected))
        // The restart connects at once, so the 0 is over as soon as all has been done.
        await eventually("0, and 5 again") {
            listener.levels.entries.map(\.1.level).suffix(2) == [.zero, .five]
        }
        await call.session.disconnect()
        #expect(call.session.networkQualityLevel == .unknown)
        let own = try #require(listener.levels.entries.first?.0)
        #expect(own.connectionId == "me")
        #expect(listener.levels.entries.map(\.1.level) == [.five, .unknown, .five, .zero, .five])
    }

    @Test("The router's view of a leg counts beside what the client measures")
    func serverView() async throws {
        let call = Call { $0.isNetworkQualityEnabled = true }
        let (_, peer) = try await call.subscribe()
        peer.setStatistics { Self.report($0, losing: 0...0) }
        await call.elapsed(until: "a level", step: .milliseconds(250)) {
            call.session.networkQualityLevel == .five
        }
        let leg = try #require(call.server.subscribedLeg)
        let seen = StreamLevels(audio: .init(fractionLost: .init(level: .two, fractionLost: 0.05)))
        call.server.notify(.facts(.init(leg: leg, capturedAt: 0, levels: seen)))
        await call.elapsed(until: "the router's view", step: .milliseconds(250)) {
            call.session.networkQualityLevel == .two
        }
        await call.elapsed(until: "it is too old", step: .milliseconds(250)) {
            call.session.networkQualityLevel == .five
        }
        await call.session.disconnect()
    }
}

extension FakeServer {
    /// How much of others' quality the client has asked for, each time.
    fileprivate var asked: [NetworkQualityVerbosity] {
        received.compactMap { if case .networkQuality(let request) = $0 { request.remote } else { nil } }
    }

    fileprivate var subscribedLeg: LegName? {
        received.compactMap { if case .subscribe(let request) = $0 { request.leg } else { nil } }.last
    }
}
