// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import GRDB
import SessionWire

extension SQLiteCallStore {
    /// Samples of a session in the order in which they came; `nil` if there is no such session.
    ///
    /// The page's cursor is good for asking later what has come since.
    ///
    /// - Throws: `DatabaseError`.
    package func samples(_ query: WindowQuery) async throws -> StorePage<SampleEntry>? {
        let columns = "samples.id, flow, observer, time, " + SampleRow.names
        return try await rows(of: "samples", columns, query) { row, flow in
            row.observer("observer").map { observer in
                SampleEntry(
                    time: row.time("time"), flow: flow, observer: observer,
                    sample: SampleRow.sample(row, from: 4))
            }
        }
    }

    /// Raw reports of a session in the order in which they came, with the cursor of what follows; `nil` if
    /// there is no such session.
    ///
    /// There may be more unless there are none: a page has about ``ReportEntry/pageBytes`` at most.
    ///
    /// - Throws: `DatabaseError`.
    package func reports(_ query: WindowQuery) async throws -> StorePage<ReportEntry>? {
        var query = query
        query.observer = nil
        return try await rows(
            of: "reports", "reports.id, flow, time, report", query, weighing: \.json.count
        ) { row, flow in
            ReportEntry(time: row.time("time"), flow: flow, json: row.bytes(at: 3) ?? [])
        }
    }

    /// The last raw report of each flow that has some, of at most ``ReportEntry/lastLimit`` flows and about
    /// ``ReportEntry/pageBytes``.
    ///
    /// - Throws: `DatabaseError`.
    package func lastReports(_ query: WindowQuery) async throws -> [ReportEntry] {
        try await reading { database -> [ReportEntry] in
            guard let session = try Self.id(ofSession: query.session, database) else { return [] }
            let flows = try FlowIndex(session: session, query, database)
            let last = """
                SELECT max(id) FROM reports INDEXED BY reports_flow
                WHERE flow IN (\(flows.list)) AND time BETWEEN :from AND :to GROUP BY flow
                ORDER BY flow LIMIT \(ReportEntry.lastLimit)
                """
            let rows = try Row.fetchCursor(
                database, sql: "SELECT flow, time, report FROM reports WHERE id IN (\(last)) ORDER BY id",
                arguments: query.times)
            var (reports, bytes): ([ReportEntry], Int) = ([], 0)
            while bytes < ReportEntry.pageBytes, let row = try rows.next() {
                guard let flow = flows.descriptions[row.key("flow")] else { continue }
                let json = row.bytes(at: 2) ?? []
                bytes += json.count
                reports.append(ReportEntry(time: row.time("time"), flow: flow, json: json))
            }
            return reports
        }
    }

    /// Rows of flows: `id` and `flow` must be the first columns.
    ///
    /// - Parameter weigh: Bytes of an item; the page ends once it has ``ReportEntry/pageBytes``.
    private func rows<Item: Sendable>(
        of table: String, _ columns: String, _ query: WindowQuery,
        weighing weigh: @escaping @Sendable (Item) -> Int = { _ in 0 },
        _ read: @escaping @Sendable (Row, FlowDescription) -> Item?
    ) async throws -> StorePage<Item>? {
        let start = try ArrivalCursor.read(query.cursor) ?? .start
        return try await reading { database -> StorePage<Item>? in
            guard let session = try Self.id(ofSession: query.session, database) else { return nil }
            let flows = try FlowIndex(session: session, query, database)
            let observer = query.observer.map { " AND observer = \($0.rawValue)" } ?? ""
            // The index alone finds the rows, however many others there are.
            let ids = """
                SELECT id FROM \(table) INDEXED BY \(table)_flow
                WHERE flow IN (\(flows.list)) AND time BETWEEN :from AND :to AND id > :cursor\(observer)
                ORDER BY id LIMIT :limit
                """
            let rows = try Row.fetchCursor(
                database, sql: "SELECT \(columns) FROM \(table) WHERE id IN (\(ids)) ORDER BY id",
                arguments: query.times + ["cursor": start.id, "limit": max(0, query.limit)])
            var items: [Item] = []
            var (bytes, last) = (0, start)
            while bytes < ReportEntry.pageBytes, let row = try rows.next() {
                last = ArrivalCursor(id: row.key("id"))
                guard let flow = flows.descriptions[row.key("flow")], let item = read(row, flow) else {
                    continue
                }
                bytes += weigh(item)
                items.append(item)
            }
            return StorePage(items: items, next: last.cursor)
        }
    }

    /// Events of a session, in the order of arrival; `nil` if there is no such session.
    ///
    /// What is the session's belongs to every connection. The page's cursor is good for asking later what has
    /// come since. There may be more unless there are none: a page has about ``TimelineEntry/pageBytes`` at most.
    ///
    /// - Throws: `DatabaseError`.
    package func timeline(_ query: WindowQuery) async throws -> StorePage<TimelineEntry>? {
        let start = try ArrivalCursor.read(query.cursor) ?? .start
        return try await reading { database -> StorePage<TimelineEntry>? in
            guard let session = try Self.id(ofSession: query.session, database) else { return nil }
            let flows = try FlowIndex(session: session, nil, database)
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT events.*, connections.name AS connection_name
                    FROM events INDEXED BY events_session
                    LEFT JOIN connections ON connections.id = events.connection
                    WHERE events.session = :session AND time BETWEEN :from AND :to AND events.id > :cursor
                        AND (:connection IS NULL OR events.connection IS NULL
                            OR connections.name = :connection)
                        AND (:participant IS NULL OR events.connection IS NULL
                            OR connections.participant = :participant)
                    ORDER BY events.id LIMIT :limit
                    """,
                arguments: query.times + [
                    "session": session, "cursor": start.id, "connection": query.connection,
                    "participant": query.participant, "limit": max(0, query.limit),
                ])
            var items: [TimelineEntry] = []
            var (bytes, last) = (0, start)
            while bytes < TimelineEntry.pageBytes, let row = try rows.next() {
                let entry = Self.entry(row, flows)
                bytes += entry.weight
                last = ArrivalCursor(id: row.key("id"))
                items.append(entry)
            }
            return StorePage(items: items, next: last.cursor)
        }
    }

    private static func entry(_ row: Row, _ flows: FlowIndex) -> TimelineEntry {
        let flow = row.integer("flow").flatMap { flows.descriptions[$0] }
        let detail = row.text("detail")
        return TimelineEntry(
            time: row.time("time"), type: row.text("type"), isAlarm: row.flag("is_alarm"),
            connection: row.textIfPresent("connection_name"),
            stream: flow?.stream, role: flow?.role,
            detail: (try? JSONDecoder().decode([String: String].self, from: Data(detail.utf8))) ?? [:])
    }
}

extension WindowQuery {
    /// From when to when, as statements have it.
    fileprivate var times: StatementArguments {
        [
            "from": from.map { Int64(unixTime: $0) } ?? Int64.min,
            "to": to.map { Int64(unixTime: $0) } ?? Int64.max,
        ]
    }
}
