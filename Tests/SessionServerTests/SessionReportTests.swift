// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallQuality
import CallRecording
import CallStore
import HistoryWriter
import NIOHTTP1
import SessionWire
import Testing

@testable import SessionServer

@Suite("The page about a stored call")
struct SessionReportTests {
    private static let start = StoredCall.start

    private static func report(_ store: SQLiteCallStore, _ query: WindowQuery = .init(session: "call"))
        async throws
        -> SessionReport
    {
        try #require(
            try await SessionReport.make(query, from: store, showsNames: true, showsReports: true))
    }

    private static func store(_ more: [StoreRecord] = []) async throws -> SQLiteCallStore {
        var settings = StoreConfiguration()
        settings.maximumAge = nil
        let store = try SQLiteCallStore.inMemory(configuration: settings)
        let outcome = try await store.write(StoredCall.records + more)
        #expect(outcome.rejected == 0)
        try await store.maintenance(now: start)
        return store
    }

    @Test("says what was wrong, when, and on whose side, by name for those who may know it")
    func verdict() async throws {
        try await StoredCall.serve { server in
            let named = try await server.get("/v1/sessions/call/report", [.read, .names])
            #expect(named.headers.first(name: "Content-Type") == "text/html; charset=utf-8")
            let policy = named.headers.first(name: "Content-Security-Policy") ?? ""
            #expect(policy.contains("default-src 'none'") && !policy.contains("script"))
            #expect(
                named.text.contains(
                    "The call was bad for 20 s of 2:59 minutes, first at 1:10: packet loss on bob&#39;s network."
                ))
            #expect(named.text.contains("bob receives alice") && named.text.contains("alice sends camera"))
            for reference in ["http:", "https:", "src=", "href=", "<script", "@import", "url("] {
                #expect(!named.text.contains(reference), "\(reference)")
            }
            let redacted = try await server.get("/v1/sessions/call/report")
            let (alice, bob) = (
                StoredCall.names().participant("alice"), StoredCall.names().participant("bob")
            )
            #expect(!redacted.text.contains("alice ") && !redacted.text.contains("bob "))
            let title = "\(bob?.prefix(7) ?? "?") receives \(alice?.prefix(7) ?? "?")"
            #expect(redacted.text.contains(title), "\(title)")
        }
    }

    @Test("tells what raw reports say only to those who may read them")
    func rawReports() async throws {
        try await StoredCall.serve { server in
            let note = "only where raw reports are kept"
            #expect(try await server.get("/v1/sessions/call/report", [.read]).text.contains(note))
            let report = try await server.get("/v1/sessions/call/report", [.read, .reports]).text
            #expect(!report.contains(note))
        }
    }

    @Test("shows the views as the clients reported them, with the events of their ticks")
    func timeline() async throws {
        let warning = StoreRecord.event(
            .init(
                session: "call", connection: "bob-connection", flow: 2,
                mark: .init(time: Self.start + 72_000, capturedAt: Self.start + 72_000, event: 99),
                type: "callQuality", isAlarm: true,
                detail: [
                    "reason": "highInboundPacketLoss", "phase": "trigger", "media": "video",
                    "direction": "inbound", "observer": "client",
                ]))
        let timeline = try await Self.report(Self.store([warning])).timeline
        #expect(timeline.views.map(\.id.role) == [.subscriber, .publisher])
        let bob = try #require(timeline.views.first)
        #expect(bob.reports == 180 && bob.stream == "stream")
        #expect(bob.intervals.map(\.cause) == [.none, .packetLoss, .none])
        #expect(
            bob.intervals.map(\.side) == [
                NetworkDegradationSource.none, .local, NetworkDegradationSource.none,
            ])
        #expect(bob.intervals.map { ($0.from - Self.start) / 1000 } == [0, 70, 90])
        let seen = timeline.events.filter { if case .diagnosisChanged = $0.kind { false } else { true } }
        #expect(
            seen.map(\.kind) == [
                .stream(
                    .callQuality(
                        .init(
                            kind: .highInboundPacketLoss, phase: .trigger, media: .video, direction: .inbound)
                    ))
            ])
        #expect(seen.first?.time == Self.start + 72_000 && seen.first?.isAlarm == true)
    }

    @Test("takes the router's word for a client that tells nothing, and what came late at its time")
    func routerAndLate() async throws {
        let carol = FlowKey(connection: "carol-connection", number: 3)
        let lives: [StoreRecord] = [
            .connection(
                .init(
                    name: carol.connection, session: "call", participant: nil, role: .subscriber,
                    joinedAt: Self.start)),
            .flow(
                .init(
                    key: carol, session: "call", stream: "stream", role: .subscriber, createdAt: Self.start)),
        ]
        var seconds = Array(0..<20)
        seconds.swapAt(3, 15)
        let samples = seconds.map { second -> StoreRecord in
            var sample = StreamSample()
            let isBad = second >= 10
            sample.diagnosis = .init(
                cause: isBad ? .packetLoss : .none, direction: isBad ? .downlink : nil)
            let time = Self.start + Double(second) * 1000
            let mark = EventMark(time: time, capturedAt: time, eventId: "carol\(second)")
            return .sample(.init(flow: carol, observer: .router, mark: mark, sample: sample))
        }
        let timeline = try await Self.report(Self.store(lives + samples)).timeline
        let view = try #require(timeline.views.first { $0.id.peerConnection.hasPrefix("carol") })
        #expect(view.id.role == .subscriber && view.reports == 20)
        #expect(view.intervals.map(\.cause) == [.none, .packetLoss])
        #expect(view.intervals.map(\.direction) == [nil, .downlink])
        #expect(view.observations.map(\.time) == (0..<20).map { Self.start + Double($0) * 1000 })
    }

    @Test("finds what is worth knowing, by connection and flow, and scores each who could be judged")
    func findings() async throws {
        let dave = "dave-connection"
        func event(_ type: String, _ second: Int, _ detail: [String: String]) -> StoreRecord {
            let mark = EventMark(
                time: Self.start + Double(second) * 1000, capturedAt: 0, eventId: "\(type)\(second)")
            return .event(
                .init(
                    session: "call", connection: dave, mark: mark, type: type, isAlarm: false, detail: detail)
            )
        }
        let more: [StoreRecord] = [
            .connection(
                .init(
                    name: dave, session: "call", participant: nil, role: .publisher, joinedAt: Self.start)),
            event("getUserMedia", 1, ["wants": "audio", "error": "NotAllowedError"]),
            event("getUserMedia", 5, ["wants": "audio video"]),
            event("track", 9, ["end": "local", "kind": "audio", "state": "ended"]),
            event("track", 9, ["end": "remote", "kind": "audio", "state": "mute"]),
        ]
        let found = try await Self.report(Self.store(more)).callFindings
        #expect(found.participants.map(\.connection) == ["alice-connection", "bob-connection"])
        let bob = try #require(found.participants.last?.video)
        // Twenty bad seconds, and two freezes of 0.7 s in all.
        #expect(bob.seconds == 179 && bob.score < 100 && bob.score > 80)
        #expect(bob.costs.allSatisfy { $0.cause == .diagnosed(.packetLoss) })
        #expect(bob.costs.map(\.seconds).reduce(0, +) == 20 && bob.costs.first?.words == "packet loss, bad")
        #expect((found.score ?? 0) > 85 && !found.isTruncated)
        let daves = found.findings.filter { $0.connection == dave }
        #expect(Set(daves.map(\.kind)) == [.permissionDenied, .captureEnded, .connectionMissing])
        #expect(daves.first { $0.kind == .permissionDenied }?.severity == .information)
        #expect(daves.allSatisfy { $0.flow == nil })
        // What a stream shows names it.
        for finding in found.findings where finding.connection != dave { #expect(finding.flow != nil) }
    }

    @Test("says what is missing: of a part, of a call that continues, of what no one measured")
    func missing() async throws {
        let store = try await Self.store()
        let whole = try await Self.report(store)
        #expect(whole.notes.isEmpty)
        #expect(whole.html.contains("Not measured:") && whole.html.contains("audio level"))
        var query = WindowQuery(session: "call")
        query.from = Self.start + 100_000
        let part = try await Self.report(store, query)
        #expect(part.notes.contains { $0.contains("a part of the call") })
        #expect(part.timeline.from == Self.start + 100_000)
        _ = try await store.write([.session(name: "call", kind: .hosted(.routed), createdAt: Self.start)])
        #expect(try await Self.report(store).notes.contains { $0.contains("had not ended") })
        let bare = try SQLiteCallStore.inMemory()
        _ = try await bare.write([.session(name: "call", kind: .hosted(.routed), createdAt: Self.start)])
        #expect(try await Self.report(bare).html.contains("not enough data"))
    }
}
