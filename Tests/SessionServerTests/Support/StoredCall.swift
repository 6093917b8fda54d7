// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallStore
import Foundation
import HistoryWriter
import Logging
import NIOHTTP1
import SessionWire
import Testing

@testable import SessionServer

/// A server over a store with a call of three minutes in it, the same to the last digit each time.
enum StoredCall {
    static let start = 1_700_000_040_000.0
    static let session = "call"
    private static let alice = FlowKey(connection: "alice-connection", number: 1)
    private static let bob = FlowKey(connection: "bob-connection", number: 2)

    static func names(keepsNames: Bool = true) -> ParticipantNames {
        ParticipantNames(secret: TestServer.secret, keepsNames: keepsNames)
    }

    /// Runs `body` beside a server that has the call in its store.
    static func serve(
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.configuration
        configuration.store?.keepsNames = true
        configuration.store?.settings.maximumAge = nil
        let store = try await store(configuration.store?.settings ?? .init())
        // Here and not by the server, which does it when it comes to it.
        try await RatingJudge(store, logger: Logger(label: "test")).judgeDue(now: start + 300_000)
        try await TestServer.run(configuration, store: store, body)
    }

    /// A store with the call in it.
    static func store(_ settings: StoreConfiguration = .init()) async throws -> SQLiteCallStore {
        let store = try SQLiteCallStore.inMemory(configuration: settings)
        let outcome = try await store.write(records)
        guard outcome.rejected == 0 else { throw TestSocket.Unexpected(description: "\(outcome)") }
        try await store.maintenance(now: start)
        return store
    }

    static var records: [StoreRecord] {
        var records = lives
        for second in 0..<180 {
            let isBad = (70..<90).contains(second)
            records.append(.sample(sample(bob, second, isBad ? "warning" : "excellent", isBad)))
            if second.isMultiple(of: 10) { records.append(.sample(sample(alice, second, "good", false))) }
        }
        records += [event("trigger", second: 72), event("recover", second: 91)]
        records.append(
            .report(
                .init(
                    flow: bob, mark: mark("report", second: 5),
                    json: Array(#"[{"id":"IT01V","timestamp":1700000045000,"type":"inbound-rtp"}]"#.utf8),
                    context: ReportContext(
                        leg: "watch", intent: MediaIntent(role: .subscriber, routing: .routed),
                        remote: RemoteMetrics(senderStatsTrack: true)))))
        records += [
            .flowEnded(bob, at: start + 180_000), .flowEnded(alice, at: start + 180_000),
            .streamEnded(name: "stream", at: start + 180_000, reason: .unpublished),
            .connectionLeft(name: bob.connection, at: start + 180_000, reason: .left),
            .connectionLeft(name: alice.connection, at: start + 181_000, reason: .left),
            .sessionEnded(name: session, at: start + 181_000),
        ]
        if let rating = try? CallRating(4, reason: "delay", comment: "Now and then.") {
            records.append(
                .rating(.init(connection: alice.connection, rating: rating, time: start + 200_000)))
        }
        return records
    }

    private static var lives: [StoreRecord] {
        let names = names()
        return [
            .session(name: session, kind: .hosted(.routed), createdAt: start),
            .connection(
                .init(
                    name: alice.connection, session: session, participant: names.participant("alice"),
                    displayName: "alice", role: .publisher, client: "test 1.0", joinedAt: start)),
            .connection(
                .init(
                    name: bob.connection, session: session, participant: names.participant("bob"),
                    displayName: "bob", role: .subscriber, joinedAt: start + 10)),
            .stream(
                .init(
                    name: "stream", session: session, connection: alice.connection,
                    content: .init(
                        name: "my desk", hasAudio: true, hasVideo: true,
                        videoDimensions: .init(width: 640, height: 360)), createdAt: start + 20)),
            .flow(
                .init(
                    key: alice, session: session, stream: "stream", role: .publisher, createdAt: start + 20)),
            .flow(
                .init(key: bob, session: session, stream: "stream", role: .subscriber, createdAt: start + 30)
            ),
        ]
    }

    private static func mark(_ id: String, second: Int) -> EventMark {
        let time = start + Double(second) * 1000
        return EventMark(time: time, capturedAt: time, eventId: "\(id)-\(second)")
    }

    private static func sample(
        _ flow: FlowKey, _ second: Int, _ condition: String, _ isBad: Bool
    ) -> SampleRecord {
        var sample = StreamSample()
        sample.networkCondition = NetworkCondition(name: condition)
        sample.networkConditionReason = isBad ? .packetLoss : NetworkReason.none
        sample.connectionEstimatedBandwidth = 2_000_000
        sample.roundTripTime = 0.04
        sample.fractionLost = isBad ? 0.06 : 0
        sample.diagnosis = .init(cause: .none)
        if flow == bob {
            sample.networkDegradationSource = isBad ? .local : NetworkDegradationSource.none
            sample.diagnosis =
                isBad
                ? .init(cause: .packetLoss, direction: .downlink, side: .local, severity: .bad)
                : .init(cause: .none, side: NetworkDegradationSource.none)
        }
        var video = MediaFigures()
        video.packets = UInt64(second * 100)
        video.bitrate = 900_000
        video.frameRate = 30
        video.width = 640
        video.height = 360
        if flow == bob {
            video.freezeCount = second < 80 ? 0 : 2
            video.totalFreezesDuration = second < 80 ? 0 : 700
            video.mos = isBad ? 3.1 : 4.2
        }
        if flow == alice { video.layers = layers(second) }
        sample.video = video
        return SampleRecord(
            flow: flow, observer: .client, mark: mark(flow.connection, second: second), sample: sample)
    }

    /// The largest is omitted for a while.
    private static func layers(_ second: Int) -> [LayerFigures] {
        let isHeldBack = (70..<90).contains(second)
        return [
            .init(
                rid: "l", enabled: true, sending: true, width: 320, height: 180, frameRate: 30,
                bitrate: 150_000),
            .init(
                rid: "h", enabled: true, sending: !isHeldBack, width: isHeldBack ? nil : 640,
                height: isHeldBack ? nil : 360, frameRate: isHeldBack ? 0 : 30,
                bitrate: isHeldBack ? 0 : 750_000),
        ]
    }

    private static func event(_ phase: String, second: Int) -> StoreRecord {
        .event(
            .init(
                session: session, connection: bob.connection, flow: bob.number,
                mark: mark(phase, second: second), type: "callQuality", isAlarm: phase == "trigger",
                detail: ["reason": "highInboundPacketLoss", "phase": phase, "media": "video"]))
    }
}

extension TestServer {
    /// A token for the API.
    func apiToken(
        _ scopes: Set<APIScope> = Set(APIScope.allCases).subtracting([.observe])
    ) async throws -> String {
        let tokens = try await APITokens(applicationID: Self.applicationID, applicationSecret: Self.secret)
        return try await tokens.token(scopes).token
    }

    /// Gets a path with a token.
    func get(
        _ path: String, _ scopes: Set<APIScope> = [.read], headers: [String: String] = [:]
    ) async throws -> TestHTTP.Answer {
        var fields = ["Authorization": "Bearer \(try await apiToken(scopes))"]
        fields.merge(headers) { $1 }
        return try await TestHTTP.request(
            .GET, path, port: port, headers: .init(fields.map { ($0.key, $0.value) }))
    }
}

extension TestHTTP.Answer {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as a value.
    func json<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(body))
    }
}
