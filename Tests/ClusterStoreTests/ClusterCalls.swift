// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import ClusterStore
import HistoryWriter
import PostgresClient
import SessionWire
import Testing

/// Nodes of a cluster with a call of one stream each, whose samples are counted.
final class ClusterCalls {
    /// A node, as one process of it is.
    struct Node {
        let name: String
        let history: ClusterHistory
    }

    /// Unix ms; far from any minute that is over by the clock of the machine.
    static let start = 1_700_000_040_000.0

    let database: TestDatabase
    /// Times of the samples that were acknowledged, by session.
    private(set) var acknowledged: [String: [Double]] = [:]
    /// Those that were sent, whatever happened to them.
    private var sent: [String: Set<Double>] = [:]
    private var now = ClusterCalls.start
    private var events = 0

    init() async throws { database = try await TestDatabase.migrated() }

    /// Starts a node, whose name is in the directory.
    func start(_ name: String) async throws -> Node {
        var address = database.configuration
        address.idleTransactionTimeout = .seconds(2)
        address.answerTimeout = .seconds(60)
        address.name = "node \(name)"
        let history = try await ClusterHistory.open(address, node: name)
        let instance = history.instance
        try await run { session in
            _ = try NodeTable.enter(
                name, instance: instance, url: "http://\(name)", internalURL: "http://\(name)",
                tags: ["aa", "ab", "ac", "ad"], session)
        }
        return Node(name: name, history: history)
    }

    /// Ends its connections from the other side, as those of a process that was killed; who asks knows that it writes no more.
    func kill(_ node: Node) async throws {
        let name = "node \(node.name) %"
        try await run { session in
            _ = try session.execute(
                """
                SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
                WHERE application_name LIKE $1 AND datname = current_database()
                """, [.text(name)])
        }
        try await silence(node.name)
    }

    /// Has the directory hear nothing of it for a while.
    func silence(_ node: String) async throws {
        try await run { session in
            _ = try session.execute(
                "UPDATE nodes SET beat_at = now() - interval '2 hours' WHERE name = $1", [.text(node)])
        }
    }

    func beat(_ node: Node) async throws {
        let instance = node.history.instance
        _ = try await run { try NodeTable.beat(node.name, instance: instance, load: 0, $0) }
    }

    /// Has a node take an observed call of one that says nothing, and hear what that has logged of it.
    func takeOver(_ call: String, from silent: Node, by other: Node) async throws {
        try await silence(silent.name)
        let (dead, next) = (silent.name, other.name)
        let outcome = try await run { session in
            try PlacementTable.takeOver(
                call, from: dead, to: next, after: .seconds(3600), isBegun: true, session)
        }
        #expect(outcome == .owned(by: next))
        try await other.history.recall(call)
    }

    /// Has a node give an observed call to another one, which hears what it has logged of it.
    func move(_ call: String, from node: Node, to other: Node) async throws {
        let (from, next) = (node.name, other.name)
        #expect(try await run { try PlacementTable.move(call, from: from, to: next, $0) })
        try await other.history.recall(call)
    }

    /// Begins a session, or what it has open once more.
    func begin(
        _ session: String, _ kind: SessionKind = .hosted(.routed), at node: Node
    ) async throws {
        _ = try await node.history.write(beginning(session, kind))
    }

    /// One publishes, and is there alone.
    func beginning(_ session: String, _ kind: SessionKind) -> [StoreRecord] {
        let flow = flow(session)
        return [
            .session(name: session, kind: kind, createdAt: now),
            .connection(
                .init(
                    name: flow.connection, session: session, participant: "alice", role: .publisher,
                    joinedAt: now)),
            .stream(
                .init(
                    name: "\(session)-stream", session: session, connection: flow.connection,
                    content: .init(name: "camera", hasAudio: true, hasVideo: true), createdAt: now)),
            .flow(
                .init(
                    key: flow, session: session, stream: "\(session)-stream", role: .publisher,
                    createdAt: now)),
        ]
    }

    private func flow(_ session: String) -> FlowKey { .init(connection: "\(session)-alice", number: 1) }

    /// The next second's sample.
    func sample(_ session: String) -> StoreRecord {
        now += 1000
        events += 1
        sent[session, default: []].insert(now)
        let mark = EventMark(time: now, capturedAt: now, eventId: "\(session)-\(events)")
        var sample = StreamSample()
        sample.networkCondition = .good
        return .sample(.init(flow: flow(session), observer: .client, mark: mark, sample: sample))
    }

    /// Writes seconds of a session, of which those count as acknowledged that are stored.
    func write(_ count: Int, of session: String, at node: Node) async throws {
        for _ in 0..<count { try await write([sample(session)], of: session, at: node) }
    }

    func write(_ records: [StoreRecord], of session: String, at node: Node) async throws {
        try await Self.write(records, to: node.history)
        acknowledge(records, of: session)
    }

    /// Writes until it is written, as a server does.
    static func write(_ records: [StoreRecord], to history: ClusterHistory) async throws {
        while true {
            do {
                _ = try await history.write(records)
                return
            } catch  where history.failure(error) == .passing { continue }
        }
    }

    func acknowledge(_ records: [StoreRecord], of session: String) {
        for case .sample(let record) in records {
            acknowledged[session, default: []].append(record.mark.time)
        }
    }

    /// Puts the minutes that are over into chunks.
    func flush(_ node: Node) async throws {
        try await node.history.maintenance(now: now + 16_000, uptime: .zero)
    }

    /// What a node reads of a session: the times of its samples.
    func times(_ session: String, at node: Node) async throws -> [Double] {
        var query = WindowQuery(session: session)
        query.limit = 100
        var times: [Double] = []
        while let page = try await node.history.samples(query), !page.items.isEmpty {
            times += page.items.map(\.time)
            query.cursor = page.next
        }
        return times.sorted()
    }

    /// Fails where an acknowledged sample is not there, or any sample is there twice or never was.
    func check(_ session: String, at node: Node, _ comment: Comment) async throws {
        let found = try await times(session, at: node)
        let acknowledged = Set(acknowledged[session] ?? [])
        #expect(acknowledged.subtracting(found).sorted() == [], "lost: \(comment)")
        #expect(found.count == Set(found).count, "doubled: \(comment)")
        #expect(Set(found).subtracting(sent[session] ?? []).sorted() == [], "never sent: \(comment)")
    }

    func isOpen(_ session: String) async throws -> Bool? {
        try await run { database in
            try database.execute(
                """
                SELECT sessions.ended_at IS NULL AND left_at IS NULL AND streams.ended_at IS NULL
                    AND flows.ended_at IS NULL
                FROM sessions JOIN connections ON connections.session = sessions.id
                    JOIN streams ON streams.session = sessions.id JOIN flows ON flows.session = sessions.id
                WHERE sessions.name = $1
                """, [.text(session)]
            ).first?.value(0)
        }
    }

    @discardableResult
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        let connection = database.connection
        do {
            let value = try await connection.transaction(body)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }
}
