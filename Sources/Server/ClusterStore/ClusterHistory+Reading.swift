// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient
import Synchronization

extension ClusterHistory {
    /// Reads, as of one moment.
    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        let reader = state.withLock { state in
            state.reads &+= 1
            return readers[state.reads % readers.count]
        }
        return try await reader.transaction { session in
            try session.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return try body(session)
        }
    }

    /// Reads together with what is in memory and in no chunk yet.
    func readingAll<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession, OpenView) throws -> Value
    ) async throws -> Value {
        for _ in 0..<5 {
            do {
                return try await reading { [self] session in
                    let instance = instance
                    let row = try session.execute(
                        "SELECT flushes, recovered_at IS NOT NULL FROM instances WHERE instance = $1",
                        [.int64(instance.number)]
                    ).first
                    let isRecovered: Bool = try row?.value(1) ?? false
                    let flushes: Int64 = try row?.value(0) ?? 0
                    return try body(session, OpenView(self, instance, flushes: isRecovered ? nil : flushes))
                }
            } catch is Unsteady { continue }
        }
        throw Unsteady()
    }

    /// What is in memory, as it fits to a moment of the database.
    struct OpenView {
        private let history: ClusterHistory
        private let instance: SampleLog.Instance
        /// How often what is in memory had been put into chunks by that moment; `nil` if another node had put all of it there.
        private let flushes: Int64?

        fileprivate init(_ history: ClusterHistory, _ instance: SampleLog.Instance, flushes: Int64?) {
            self.history = history
            self.instance = instance
            self.flushes = flushes
        }

        /// The minutes of some flows that are in no chunk.
        ///
        /// - Throws: ``Unsteady`` if some were put into chunks since that moment.
        func minutes(where isWanted: (Int64) -> Bool) throws -> [OpenMinutes.Minute] {
            try history.state.withLock { state in
                guard state.instance == instance else { throw Unsteady() }
                guard let flushes else { return [] }
                guard state.flushes <= flushes else { throw Unsteady() }
                return state.minutes.minutes(
                    includesTaken: state.flushes == flushes, where: isWanted)
            }
        }
    }

    static func id(ofSession name: String, _ session: PostgresSession) throws -> Int64? {
        try session.execute("SELECT id FROM sessions WHERE name = $1", [.stored(name)]).first?.value(0)
    }
}

/// The flows of a session by their numbers in the store; those that began last if there are more than ``limit``.
struct FlowIndex {
    /// Most flows of one session that are shown: 200 people who all see each other, and some more.
    static let limit = 50_000

    struct Flow {
        var id: Int64
        var description: FlowDescription
        var createdAt: Double
        var endedAt: Double?
    }

    let flows: [Flow]
    let descriptions: [Int64: FlowDescription]

    /// - Parameter query: Which of them are asked for; all if `nil`.
    init(session: Int64, _ query: WindowQuery?, _ database: PostgresSession) throws {
        var filter = PostgresFilter()
        filter.narrow("flows.session = ?", .int64(session))
        filter.narrow("connections.name = ?", query?.connection.map { .stored($0) })
        filter.narrow("connections.participant = ?", query?.participant.map { .stored($0) })
        filter.narrow("streams.name = ?", query?.stream.map { .stored($0) })
        filter.narrow("flows.role = ?", query?.role.map { .text($0.name) })
        let rows = try database.execute(
            """
            SELECT flows.id, sessions.name, connections.name, streams.name, flows.role,
                flows.created_at, flows.ended_at
            FROM flows
            JOIN sessions ON sessions.id = flows.session
            JOIN connections ON connections.id = flows.connection
            JOIN streams ON streams.id = flows.stream
            WHERE \(filter.sql) ORDER BY flows.id DESC LIMIT \(Self.limit)
            """, filter.arguments)
        flows = try rows.map { row in
            Flow(
                id: try row.value(0), description: try .init(row, from: 1), createdAt: try row.time(5),
                endedAt: try row.timeIfPresent(6))
        }.reversed()
        descriptions = Dictionary(flows.map { ($0.id, $0.description) }) { first, _ in first }
    }

    /// Their numbers.
    var ids: PostgresValue { .int64s(flows.map(\.id)) }
}

/// What rows are narrowed to; every value is an argument.
struct PostgresFilter {
    private(set) var arguments: [PostgresValue]
    private var conditions = ["true"]

    /// - Parameter arguments: Those that the statement has already.
    init(_ arguments: [PostgresValue] = []) { self.arguments = arguments }

    /// What stands behind `WHERE`.
    var sql: String { conditions.joined(separator: " AND ") }

    /// Adds a condition, unless its argument is absent, which stands where its question marks are, one after the other.
    mutating func narrow(_ condition: String, _ values: PostgresValue?...) {
        guard !values.contains(where: { $0 == nil }) else { return }
        var parts = condition.split(separator: "?", omittingEmptySubsequences: false)[...]
        var made = String(parts.removeFirst())
        for (value, part) in zip(values.compactMap(\.self), parts) {
            arguments.append(value)
            made += "$\(arguments.count)\(part)"
        }
        conditions.append(made)
    }

    /// Adds a condition that has no argument.
    mutating func require(_ condition: String) { conditions.append(condition) }

    /// Narrows to what follows where a page ended that is ordered by a time and an id, the newest first.
    mutating func follow(_ cursor: PageCursor?, in place: String) throws(ForeignCursor) {
        let cursor = try TimeCursor.read(cursor)
        narrow("(\(place)) < (?, ?)", cursor.map { .int64($0.time) }, cursor.map { .int64($0.id) })
    }
}

extension StorePage {
    /// The page that rows make, whose first two columns are a time and an id; another one may follow a full one.
    init(
        _ rows: PostgresResult, limit: Int, _ item: (PostgresRow) throws -> Item
    ) throws {
        var (items, last): ([Item], TimeCursor?) = ([], nil)
        for row in rows {
            items.append(try item(row))
            last = TimeCursor(time: try row.value(0), id: try row.value(1))
        }
        self.init(items: items, next: items.count == max(0, limit) ? last?.cursor : nil)
    }
}
