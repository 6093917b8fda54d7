// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallStore
import Foundation
import HTTPTypes
import HistoryWriter
import Hummingbird
import MediaEngine
import NIOCore
import SessionWire

@testable import SessionServer

enum HTTPFuzzing {
    private static let secret = "a secret of the fuzzer, long enough"

    /// The address in the first line, fields in the others: they are refused with a word, or can be asked of
    /// a store.
    @Sendable static func query(_ input: [UInt8]) async throws {
        let lines = String(decoding: input, as: UTF8.self).split(separator: "\n", maxSplits: 8)
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            fields.append(HTTPField(name: name, value: String(parts[1])))
        }
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "fuzz", path: String(lines.first ?? "/"),
            headerFields: fields)
        let request = Request(head: head, body: .init(buffer: ByteBuffer()))
        _ = request.cookies["sightline"]?.value
        let policy = SitePolicy(.init(applicationID: "fuzz", applicationSecret: secret))
        _ = policy.verdict(on: .init(request), changes: true)
        _ = policy.verdict(onSocket: .init(request))
        let names = ParticipantNames(secret: secret, keepsNames: true)
        try await ask { QueryReader(request, of: $0, names: names, .application) }
    }

    private static func ask(_ reader: (APIOperation) -> QueryReader) async throws {
        let store = try await FuzzedStore.shared.store()
        do {
            let list = reader(.sessions)
            var sessions = SessionQuery()
            sessions.from = try list.time(.from)
            sessions.to = try list.time(.to)
            sessions.participant = try list.participant()
            sessions.isLive = try list.flag(.live)
            sessions.limit = try list.limit() ?? sessions.limit
            try require(
                try await store.sessions(sessions).items.count <= sessions.limit, "more than was asked for")
            let window = try reader(.reports).window(FuzzedStore.session)
            // A cursor is of one list, and refused for the others.
            sessions.cursor = window.cursor
            let pages = try await [
                count { try await store.sessions(sessions).items },
                count { try await store.minutes(window)?.items },
                count { try await store.samples(window)?.items },
                count { try await store.timeline(window)?.items },
                count { try await store.reports(window)?.items },
            ]
            try require(
                pages.allSatisfy { $0 <= max(sessions.limit, window.limit) }, "more than was asked for")
        } catch let error as APIError {
            _ = try JSONEncoder().encode(error.error)
        }
    }

    /// Items of a page; none if its cursor is none.
    private static func count<Item>(_ page: () async throws -> [Item]?) async throws -> Int {
        do { return try await page()?.count ?? 0 } catch is ForeignCursor { return 0 }
    }

    /// Bodies are what the interface expects, or none.
    @Sendable static func body(_ input: UnsafeRawBufferPointer) throws {
        let data = Data(input)
        let decoder = JSONDecoder()
        _ = try? decoder.decode(CreateSession.self, from: data)
        _ = try? decoder.decode(CreateToken.self, from: data)
        _ = try? decoder.decode(CreateAPIToken.self, from: data)
        _ = try? decoder.decode(Login.self, from: data)
        _ = try? decoder.decode(KeepReports.self, from: data)
        if let request = try? NetworkRequest(json: data) {
            let times = request.schedule.steps.map(\.time)
            try require(times == times.sorted(), "steps are out of order")
        }
    }
}

/// A store with a short call in it, which is only read.
private actor FuzzedStore {
    static let shared = FuzzedStore()
    static let session = "call"
    private var made: SQLiteCallStore?

    func store() async throws -> SQLiteCallStore {
        if let made { return made }
        let store = try SQLiteCallStore.inMemory()
        _ = try await store.write(Self.records)
        try await store.maintenance(now: 1_700_000_100_000)
        made = store
        return store
    }

    private static var records: [StoreRecord] {
        let flow = FlowKey(connection: "alice", number: 1)
        let start = 1_700_000_040_000.0
        var records: [StoreRecord] = [
            .session(name: session, kind: .hosted(.routed), createdAt: start),
            .connection(
                .init(
                    name: "alice", session: session, participant: "p0123456789abcdef", displayName: "alice",
                    role: .publisher, joinedAt: start)),
            .stream(
                .init(
                    name: "stream", session: session, connection: "alice",
                    content: .init(hasAudio: true, hasVideo: true), createdAt: start)),
            .flow(.init(key: flow, session: session, stream: "stream", role: .publisher, createdAt: start)),
        ]
        for second in 0..<8 {
            var sample = StreamSample()
            sample.networkCondition = second < 4 ? .good : .critical
            let time = start + Double(second) * 1000
            records.append(
                .sample(
                    .init(
                        flow: flow, observer: .client,
                        mark: EventMark(time: time, capturedAt: time, eventId: "\(second)"), sample: sample)))
        }
        return records
    }
}
