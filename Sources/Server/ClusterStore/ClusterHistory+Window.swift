// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import PostgresClient
import SessionWire

/// A place in the order in which samples came: that of the last one.
struct SamplePlace: StoreCursor, Comparable {
    static let prefix = "s"
    static let count = 5
    static let start = Self(receivedAt: .min, flow: 0, observer: 0, time: 0, capturedAt: 0)

    let receivedAt: Int64
    let flow: Int64
    let observer: Int64
    let time: Int64
    let capturedAt: Int64

    var numbers: [Int64] { [receivedAt, flow, observer, time, capturedAt] }

    init(receivedAt: Int64, flow: Int64, observer: Int64, time: Int64, capturedAt: Int64) {
        self.receivedAt = receivedAt
        self.flow = flow
        self.observer = observer
        self.time = time
        self.capturedAt = capturedAt
    }

    init?(numbers: [Int64]) {
        self.init(
            receivedAt: numbers[0], flow: numbers[1], observer: numbers[2], time: numbers[3],
            capturedAt: numbers[4])
    }

    static func < (left: Self, right: Self) -> Bool {
        guard left.receivedAt == right.receivedAt else { return left.receivedAt < right.receivedAt }
        return left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}

extension ClusterHistory {
    package func samples(_ query: WindowQuery) async throws -> StorePage<SampleEntry>? {
        let start = try SamplePlace.read(query.cursor) ?? .start
        return try await readingAll { session, open in
            guard let id = try Self.id(ofSession: query.session, session) else { return nil }
            let flows = try FlowIndex(session: id, query, session)
            var found = FoundSamples(query, after: start)
            for minute in try open.minutes(where: { flows.descriptions[$0] != nil }) {
                found.add(minute.samples, flow: minute.key.flow, minute.key.observer, areStored: false)
            }
            try Self.addChunks(of: flows, query, start, to: &found, session)
            let page = found.page
            let items = page.compactMap { place, sample in
                flows.descriptions[place.flow].map { flow in
                    SampleEntry(
                        time: Double(min(max(0, place.time), .latestUnixTime)), flow: flow,
                        observer: Observer(rawValue: place.observer) ?? .client, sample: sample)
                }
            }
            return StorePage(items: items, next: (page.last?.place ?? start).cursor)
        }
    }

    /// Chunks that are read at once.
    private static let chunkPiece = 200

    /// In the order of their first samples, until what follows would be on a later page.
    private static func addChunks(
        of flows: FlowIndex, _ query: WindowQuery, _ start: SamplePlace, to found: inout FoundSamples,
        _ session: PostgresSession
    ) throws {
        var last: [Int64] = [.min, 0, 0, 0]
        while true {
            var filter = PostgresFilter()
            filter.narrow("flow = ANY(?)", flows.ids)
            filter.narrow("last_at >= ?", .int64(start.receivedAt))
            filter.narrow("minute >= ?", query.from.map { .int64(minute($0)) })
            filter.narrow("minute <= ?", query.to.map { .int64(minute($0)) })
            filter.narrow("observer = ?", query.observer.map { .int64($0.rawValue) })
            filter.narrow(
                "(first_at, flow, minute, observer) > (?, ?, ?, ?)", .int64(last[0]), .int64(last[1]),
                .int64(last[2]), .int64(last[3]))
            let rows = try session.execute(
                """
                SELECT first_at, flow, minute, observer, data FROM chunks WHERE \(filter.sql)
                ORDER BY first_at, flow, minute, observer LIMIT \(chunkPiece)
                """, filter.arguments, planned: .eachTime)
            for row in rows {
                last = [try row.value(0), try row.value(1), try row.value(2), try row.value(3)]
                found.add(
                    ChunkBytes.samples(try row.value(4)) ?? [], flow: last[1], try row.observer(3),
                    areStored: true)
            }
            guard rows.count == chunkPiece, !found.isFull(before: last[0]) else { return }
        }
    }

    /// A minute as the tables have it.
    static func minute(_ time: Double) -> Int64 { min(Int64(unixTime: time).unixMinute, Int64(Int32.max)) }

    package func reports(_ query: WindowQuery) async throws -> StorePage<ReportEntry>? {
        let start = try ArrivalCursor.read(query.cursor) ?? .start
        return try await reading { session in
            guard let id = try Self.id(ofSession: query.session, session) else { return nil }
            let flows = try FlowIndex(session: id, query, session)
            var page = ArrivingPage<ReportEntry>(start, limit: ReportEntry.pageBytes)
            while !page.isFull, page.items.count < query.limit {
                let rows = try session.execute(
                    """
                    SELECT id, flow, time, report FROM reports
                    WHERE flow = ANY($1) AND time BETWEEN $2 AND $3 AND id > $4 ORDER BY id LIMIT $5
                    """,
                    [flows.ids] + query.times + [
                        .int64(page.last.id), .int64(Int64(min(4, query.limit - page.items.count))),
                    ], planned: .eachTime)
                for row in rows where !page.isFull {
                    let json: [UInt8] = try row.value(3)
                    guard let flow = flows.descriptions[try row.value(1)] else { continue }
                    page.add(
                        .init(time: try row.time(2), flow: flow, json: json), json.count, try row.value(0))
                }
                guard rows.count > 0 else { break }
            }
            return page.page
        }
    }

    package func lastReports(_ query: WindowQuery) async throws -> [ReportEntry] {
        try await reading { session in
            guard let id = try Self.id(ofSession: query.session, session) else { return [] }
            let flows = try FlowIndex(session: id, query, session)
            let last = try session.execute(
                """
                SELECT max(id) AS last FROM reports WHERE flow = ANY($1) AND time BETWEEN $2 AND $3
                GROUP BY flow ORDER BY flow LIMIT \(ReportEntry.lastLimit)
                """, [flows.ids] + query.times, planned: .eachTime)
            var (reports, bytes): ([ReportEntry], Int) = ([], 0)
            for id in try last.map({ try $0.value(0, as: Int64.self) }).sorted()
            where bytes < ReportEntry.pageBytes {
                let row = try session.execute(
                    "SELECT flow, time, report FROM reports WHERE id = $1", [.int64(id)]
                ).first
                guard let row, let flow = flows.descriptions[try row.value(0)] else { continue }
                let json: [UInt8] = try row.value(2)
                bytes += json.count
                reports.append(ReportEntry(time: try row.time(1), flow: flow, json: json))
            }
            return reports
        }
    }

    package func timeline(_ query: WindowQuery) async throws -> StorePage<TimelineEntry>? {
        let start = try ArrivalCursor.read(query.cursor) ?? .start
        return try await reading { session in
            guard let id = try Self.id(ofSession: query.session, session) else { return nil }
            let flows = try FlowIndex(session: id, nil, session)
            var filter = PostgresFilter([.int64(id)] + query.times)
            filter.narrow("events.id > ?", .int64(start.id))
            filter.narrow(
                "(events.connection IS NULL OR connections.name = ?)", query.connection.map { .stored($0) })
            filter.narrow(
                "(events.connection IS NULL OR connections.participant = ?)",
                query.participant.map { .stored($0) })
            let rows = try session.execute(
                """
                SELECT events.id, time, type, is_alarm, connections.name, events.flow, detail::text
                FROM events LEFT JOIN connections ON connections.id = events.connection
                WHERE events.session = $1 AND time BETWEEN $2 AND $3 AND \(filter.sql)
                ORDER BY events.id LIMIT \(max(0, query.limit))
                """, filter.arguments, planned: .eachTime)
            var page = ArrivingPage<TimelineEntry>(start, limit: TimelineEntry.pageBytes)
            for row in rows where !page.isFull {
                let entry = try Self.entry(row, flows)
                page.add(entry, entry.weight, try row.value(0))
            }
            return page.page
        }
    }

    private static func entry(_ row: PostgresRow, _ flows: FlowIndex) throws -> TimelineEntry {
        let flow = try row.optional(5, as: Int64.self).flatMap { flows.descriptions[$0] }
        let detail: String = try row.value(6)
        return TimelineEntry(
            time: try row.time(1), type: try row.value(2), isAlarm: try row.value(3),
            connection: try row.optional(4), stream: flow?.stream, role: flow?.role,
            detail: (try? JSONDecoder().decode([String: String].self, from: Data(detail.utf8))) ?? [:])
    }
}

/// Samples that may be on a page.
private struct FoundSamples {
    private let query: WindowQuery
    private let start: SamplePlace
    private let (from, to): (Int64, Int64)
    private var found: [(place: SamplePlace, sample: StreamSample)] = []

    init(_ query: WindowQuery, after start: SamplePlace) {
        self.query = query
        self.start = start
        from = query.from.map { Int64(unixTime: $0) } ?? .min
        to = query.to.map { Int64(unixTime: $0) } ?? .max
    }

    /// - Parameter areStored: Whether they come from a chunk, and not as they were measured.
    mutating func add(_ samples: [ChunkSample], flow: Int64, _ observer: Observer, areStored: Bool) {
        guard query.observer == nil || query.observer == observer else { return }
        for sample in samples where sample.time >= from && sample.time <= to {
            let place = SamplePlace(
                receivedAt: sample.receivedAt, flow: flow, observer: observer.rawValue, time: sample.time,
                capturedAt: sample.capturedAt)
            if start < place { found.append((place, areStored ? sample.sample : sample.sample.stored)) }
        }
    }

    /// Whether nothing that came at a time or later is on the page.
    func isFull(before time: Int64) -> Bool {
        found.count { $0.place.receivedAt < time } >= max(0, query.limit)
    }

    var page: ArraySlice<(place: SamplePlace, sample: StreamSample)> {
        found.sorted { $0.place < $1.place }.prefix(max(0, query.limit))
    }
}

/// A page of what comes one after the other, which ends when it is long enough.
private struct ArrivingPage<Item: Sendable> {
    private let limit: Int
    private var weight = 0
    private(set) var items: [Item] = []
    private(set) var last: ArrivalCursor

    init(_ start: ArrivalCursor, limit: Int) {
        last = start
        self.limit = limit
    }

    var isFull: Bool { weight >= limit }
    var page: StorePage<Item> { StorePage(items: items, next: last.cursor) }

    mutating func add(_ item: Item, _ weight: Int, _ id: Int64) {
        items.append(item)
        self.weight += weight
        last = ArrivalCursor(id: id)
    }
}

extension WindowQuery {
    /// From when to when, as statements have it.
    fileprivate var times: [PostgresValue] {
        [
            .int64(from.map { Int64(unixTime: $0) } ?? .min), .int64(to.map { Int64(unixTime: $0) } ?? .max),
        ]
    }
}
