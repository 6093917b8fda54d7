// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import GRDB
import SessionWire

/// A stored sample.
package struct SampleEntry: Sendable, Equatable, Codable {
    /// When it was measured, Unix ms.
    package var time: Double
    /// Where.
    package var flow: FlowDescription
    /// Who measured it.
    package var observer: Observer
    /// The figures.
    package var sample: StreamSample

    /// Creates an entry.
    package init(time: Double, flow: FlowDescription, observer: Observer, sample: StreamSample) {
        self.time = time
        self.flow = flow
        self.observer = observer
        self.sample = sample
    }
}

/// Something that happened.
package struct TimelineEntry: Sendable, Equatable, Codable {
    /// When, Unix ms.
    package var time: Double
    /// What.
    package var type: String
    /// Whether it is a worsening.
    package var isAlarm: Bool
    /// To whom; `nil` for what is the session's.
    package var connection: String?
    /// On which stream; `nil` for what is the connection's.
    package var stream: String?
    /// Of that stream at that connection; `nil` for what is the connection's.
    package var role: String?
    /// Particulars.
    package var detail: [String: String]
}

/// A stored raw report.
package struct ReportEntry: Sendable, Equatable {
    /// When it was made, Unix ms.
    package var time: Double
    /// Where.
    package var flow: FlowDescription
    /// The report, redacted.
    package var json: [UInt8]
}

extension SQLiteCallStore {
    /// Samples of a session in the order in which they came; `nil` if there is no such session.
    ///
    /// The page's cursor is good for asking later what has come since.
    ///
    /// - Throws: `DatabaseError`.
    package func samples(_ query: WindowQuery) async throws -> StorePage<SampleEntry>? {
        let columns = "samples.id, flow, observer, time, " + SampleRow.names
        return try await rows(of: "samples", columns, query) { row, flow in
            SampleEntry(
                time: row.time("time"), flow: flow, observer: row.observer("observer"),
                sample: SampleRow.sample(row, from: 4))
        }
    }

    /// Bytes of raw reports after which a page ends, however few are in it.
    package static let reportPageBytes = 4 << 20

    /// Raw reports of a session in the order in which they came, with the cursor of what follows; `nil` if
    /// there is no such session.
    ///
    /// There may be more unless there are none: a page has about ``reportPageBytes`` at most.
    ///
    /// - Throws: `DatabaseError`.
    package func reports(_ query: WindowQuery) async throws -> (items: [ReportEntry], next: String)? {
        var query = query
        query.observer = nil
        let last = query.cursor ?? 0
        let found = try await rowsWithIDs(
            of: "reports", "reports.id, flow, time, report", query,
            weighing: { (report: ReportEntry) in report.json.count }
        ) { row, flow in
            ReportEntry(time: row.time("time"), flow: flow, json: row.bytes(at: 3) ?? [])
        }
        return found.map { rows in (rows.map(\.1), String(rows.last?.0 ?? last)) }
    }

    /// Most raw reports that ``lastReports(_:)`` gives: each may be large.
    static let lastReportLimit = 500

    /// The last raw report of each flow that has some, of at most ``lastReportLimit`` flows and about
    /// ``reportPageBytes``.
    ///
    /// - Throws: `DatabaseError`.
    package func lastReports(_ query: WindowQuery) async throws -> [ReportEntry] {
        try await reading { database -> [ReportEntry] in
            guard let session = try Self.id(ofSession: query.session, database) else { return [] }
            let flows = try FlowIndex(session: session, query, database)
            let last = """
                SELECT max(id) FROM reports INDEXED BY reports_flow
                WHERE flow IN (\(flows.list)) AND time BETWEEN :from AND :to GROUP BY flow
                ORDER BY flow LIMIT \(Self.lastReportLimit)
                """
            let rows = try Row.fetchCursor(
                database, sql: "SELECT flow, time, report FROM reports WHERE id IN (\(last)) ORDER BY id",
                arguments: query.times)
            var (reports, bytes): ([ReportEntry], Int) = ([], 0)
            while bytes < Self.reportPageBytes, let row = try rows.next() {
                guard let flow = flows.descriptions[row.key("flow")] else { continue }
                let json = row.bytes(at: 2) ?? []
                bytes += json.count
                reports.append(ReportEntry(time: row.time("time"), flow: flow, json: json))
            }
            return reports
        }
    }

    private func rows<Item: Sendable & Codable & Equatable>(
        of table: String, _ columns: String, _ query: WindowQuery,
        _ read: @escaping @Sendable (Row, FlowDescription) -> Item
    ) async throws -> StorePage<Item>? {
        let found = try await rowsWithIDs(of: table, columns, query, read)
        return found.map { rows in
            StorePage(items: rows.map(\.1), next: String(rows.last?.0 ?? query.cursor ?? 0))
        }
    }

    /// Rows of flows: `id` and `flow` must be the first columns.
    ///
    /// - Parameter weigh: Bytes of an item; the page ends once it has ``reportPageBytes``.
    private func rowsWithIDs<Item: Sendable>(
        of table: String, _ columns: String, _ query: WindowQuery,
        weighing weigh: @escaping @Sendable (Item) -> Int = { _ in 0 },
        _ read: @escaping @Sendable (Row, FlowDescription) -> Item
    ) async throws -> [(Int64, Item)]? {
        try await reading { database -> [(Int64, Item)]? in
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
                arguments: query.times + ["cursor": query.cursor ?? 0, "limit": max(0, query.limit)])
            var items: [(Int64, Item)] = []
            var bytes = 0
            while bytes < Self.reportPageBytes, let row = try rows.next() {
                guard let flow = flows.descriptions[row.key("flow")] else { continue }
                let item = read(row, flow)
                bytes += weigh(item)
                items.append((row.key("id"), item))
            }
            return items
        }
    }

    /// Events of a session, in the order of arrival; `nil` if there is no such session.
    ///
    /// What is the session's belongs to every connection. The page's cursor is good for asking later what has
    /// come since.
    ///
    /// - Throws: `DatabaseError`.
    package func timeline(_ query: WindowQuery) async throws -> StorePage<TimelineEntry>? {
        try await reading { database -> StorePage<TimelineEntry>? in
            guard let session = try Self.id(ofSession: query.session, database) else { return nil }
            let flows = try FlowIndex(session: session, nil, database)
            let rows = try Row.fetchAll(
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
                    "session": session, "cursor": query.cursor ?? 0, "connection": query.connection,
                    "participant": query.participant, "limit": max(0, query.limit),
                ])
            let last = rows.last?.key("id") ?? query.cursor ?? 0
            return StorePage(items: rows.map { Self.entry($0, flows) }, next: String(last))
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
