// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient

extension ClusterHistory {
    package func minutes(_ query: WindowQuery) async throws -> StorePage<FlowMinute>? {
        let cursor = try MinuteCursor.read(query.cursor)
        let last = cursor ?? MinuteCursor(minute: .min, flow: .min, observer: .min)
        return try await readingAll { session, open in
            guard let id = try Self.id(ofSession: query.session, session) else { return nil }
            let flows = try FlowIndex(session: id, query, session)
            let seen = SeenMinutes(try open.minutes { flows.descriptions[$0] != nil })
            let count = SeenMinutes.argumentCount
            var filter = PostgresFilter(seen.arguments + [flows.ids])
            filter.narrow("minute >= ?", query.from.map { .int64(Self.minute($0)) })
            filter.narrow("minute <= ?", query.to.map { .int64(Self.minute($0)) })
            filter.narrow("observer = ?", query.observer.map { .int64($0.rawValue) })
            // By minutes alone a table's parts are found, by what follows not.
            filter.narrow("minute >= ?", cursor.map { .int64($0.minute) })
            filter.narrow(
                "(minute, flow, observer) > (?, ?, ?)", .int64(last.minute), .int64(last.flow),
                .int64(last.observer))
            // The table's columns have narrower types than the minutes: only by the former are its parts found.
            let condition = "flow = ANY($\(count + 1)) AND \(filter.sql)"
            let rows = try session.execute(
                """
                SELECT minute, flow, observer, \(SeenMinutes.single)
                FROM \(SeenMinutes.sums(where: condition)) AS seen WHERE \(filter.sql)
                ORDER BY minute, flow, observer LIMIT \(max(0, query.limit))
                """, filter.arguments, planned: .eachTime)
            let found = try rows.map { (key: try MinuteCursor($0), tally: try JudgementTally($0, from: 3)) }
            let end = found.last?.key
            let counts = try end.map { try Self.counts(upTo: $0, filter, flowsAt: count + 1, session) } ?? [:]
            let minutes = found.compactMap { key, tally in
                flows.descriptions[key.flow].map { flow in
                    FlowMinute(
                        flow: flow, time: Double(unixMinute: key.minute),
                        judgement: tally.judgement(
                            Observer(rawValue: key.observer) ?? .client,
                            counts[key.numbers] ?? MinuteCounts()))
                }
            }
            return StorePage(items: minutes, next: found.count < query.limit ? nil : end?.cursor)
        }
    }

    /// How many samples have which word, of the minutes of a page: all that are asked for up to its last one.
    ///
    /// - Parameters:
    ///   - filter: What the page is narrowed to.
    ///   - place: Of the flows, among its arguments.
    private static func counts(
        upTo last: MinuteCursor, _ filter: PostgresFilter, flowsAt place: Int, _ session: PostgresSession
    ) throws -> [[Int64]: MinuteCounts] {
        var filter = filter
        filter.narrow("minute <= ?", .int64(last.minute))
        filter.narrow(
            "(minute, flow, observer) <= (?, ?, ?)", .int64(last.minute), .int64(last.flow),
            .int64(last.observer))
        let rows = try session.execute(
            """
            SELECT minute, flow, observer, kind, code, samples
            FROM \(SeenMinutes.counts(where: "flow = ANY($\(place)) AND \(filter.sql)")) AS words
            WHERE \(filter.sql)
            """, filter.arguments, planned: .eachTime)
        var counts: [[Int64]: MinuteCounts] = [:]
        for row in rows {
            let key = try MinuteCursor(row).numbers
            try counts[key, default: .init()].add(row, from: 3)
        }
        return counts
    }
}

extension MinuteCursor {
    /// Reads a row that begins with minute, flow and observer.
    fileprivate init(_ row: PostgresRow) throws {
        self.init(minute: try row.value(0), flow: try row.value(1), observer: try row.value(2))
    }
}
