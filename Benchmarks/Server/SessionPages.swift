// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallStore
import Foundation
import HistoryWriter
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import SessionServer
import SessionWire

/// How long someone waits for what a session's page asks for, of a server with many sessions in its store.
struct SessionPages {
    /// Of each of the many; the one that is looked at is an hour of four people.
    private static let seconds = 30
    private static let hour = "hour"
    private static let requests = 200

    /// How many sessions there are.
    let sessions: Int
    /// When the hour began, Unix ms.
    let start: Double
    /// Whose sessions are asked for.
    let participant: String
    /// The longest that anyone should wait, ms.
    let goal: Double

    /// What is asked for, and how it is called here.
    private var pages: [(name: String, path: (Int) -> String)] {
        let hour = Self.hour
        return [
            ("list of sessions", { _ in "/v1/sessions?limit=50" }),
            ("sessions of one participant", { _ in "/v1/sessions?participant=\(participant)" }),
            ("summary of an hour of four", { _ in "/v1/sessions/\(hour)" }),
            (
                "summary of one of the many",
                { "/v1/sessions/s\($0 % Self.requests * (sessions / Self.requests))" }
            ),
            ("minutes of an hour of four", { _ in "/v1/sessions/\(hour)/minutes" }),
            ("timeline of an hour of four", { _ in "/v1/sessions/\(hour)/timeline" }),
            (
                "five minutes of samples of one stream",
                { number in
                    let from = Int(start + Double(number % 50) * 60_000)
                    return
                        "/v1/sessions/\(hour)/samples?connection=\(hour)-1&from=\(from)&to=\(from + 300_000)"
                }
            ),
        ]
    }

    /// With ten thousand sessions in SQLite.
    static func rows() async throws -> [Row] {
        try await StoredCalls.inFolder { folder in
            let pages = SessionPages(
                sessions: 10_000, start: StoredCalls.start, participant: "p0123456789abcdef", goal: 50)
            let path = folder.appending(path: "calls.sqlite").path
            try await pages.fill(path)
            var store = SessionServerConfiguration.Store(path: path)
            store.maximumAge = nil
            return try await pages.rows(store)
        }
    }

    /// What a server with such a store is asked for.
    func rows(_ store: SessionServerConfiguration.Store) async throws -> [Row] {
        var configuration = SessionServerConfiguration(
            applicationID: "bench", applicationSecret: "a secret of the benchmarks, long enough")
        configuration.port = 0
        configuration.store = store
        let server = SightlineServer(
            configuration: configuration, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
        let serving = Task { try await server.run() }
        let tokens = try await APITokens(
            applicationID: configuration.applicationID, applicationSecret: configuration.applicationSecret)
        let client = try await PageClient(
            port: try await server.boundPort, token: tokens.token([.read]).token)
        let rows = try await client.run { get in
            var rows: [Row] = []
            for page in pages { rows.append(try await measure(page.name, page.path, get)) }
            return rows
        }
        await server.shutdown()
        try await serving.value
        return rows
    }

    private func measure(
        _ name: String, _ path: (Int) -> String, _ get: PageClient.Get
    ) async throws -> Row {
        let requests = Self.requests
        for number in 0..<10 { try await get(path(number)) }
        var times: [Double] = []
        for number in 0..<requests {
            let start = ContinuousClock.now
            try await get(path(number))
            times.append((ContinuousClock.now - start).milliseconds)
        }
        let late = times.sorted()[requests * 99 / 100]
        return Row(name: "\(name), p99 of \(requests)", late, .milliseconds, goal: goal)
    }

    private func fill(_ path: String) async throws {
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        let store = try SQLiteCallStore(path: path, configuration: configuration)
        for first in stride(from: 0, to: sessions, by: 100) {
            var records: [StoreRecord] = []
            for number in first..<first + 100 {
                records += Self.call("s\(number)", 2, Self.seconds, start + Double(number) * 60_000)
            }
            _ = try await store.write(records)
        }
        _ = try await store.write(theHour)
        try await store.maintenance(now: 0)
        try store.close()
    }

    /// The session that is looked at.
    var theHour: [StoreRecord] { Self.call(Self.hour, 4, 3600, start) }

    private static func call(
        _ session: String, _ people: Int, _ length: Int, _ start: Double
    ) -> [StoreRecord] {
        var records = StoredCalls.beginning(session, people: people, at: start)
        for second in 0..<length {
            let time = start + Double(second) * 1000
            for flow in StoredCalls.flows(session, people: people) {
                records.append(StoredCalls.record(flow, time, StoredCalls.sample(second)))
            }
            if second.isMultiple(of: 20) { records.append(event(session, time)) }
        }
        return records + [StoredCalls.end(session, at: start + Double(length) * 1000)]
    }

    private static func event(_ session: String, _ time: Double) -> StoreRecord {
        .event(
            .init(
                session: session, connection: "\(session)-1", flow: 2,
                mark: .init(time: time, capturedAt: time, eventId: "event-\(session)-\(Int64(time))"),
                type: "callQuality", isAlarm: true,
                detail: ["reason": "highInboundPacketLoss", "phase": "trigger"]))
    }
}

/// One connection to a server, which stays open from request to request.
struct PageClient {
    typealias Get = (String) async throws -> Void
    private typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private let channel: Channel
    private let headers: HTTPHeaders

    init(port: Int, token: String) async throws {
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Channel(wrappingChannelSynchronously: channel)
                }
            }
        headers = ["Host": "localhost", "Authorization": "Bearer \(token)"]
    }

    /// Runs `body` with a way to get a path; the answer must be there, and is thrown away.
    func run<Result: Sendable>(_ body: (Get) async throws -> Result) async throws -> Result {
        try await channel.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            return try await body { path in
                let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
                try await outbound.write(.head(head))
                try await outbound.write(.end(nil))
                while let part = try await parts.next() {
                    switch part {
                    case .head(let head) where head.status != .ok:
                        throw Refused(path: path, status: head.status)
                    case .end: return
                    default: break
                    }
                }
            }
        }
    }

    struct Refused: Error {
        var path: String
        var status: HTTPResponseStatus
    }
}
