// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import PostgresClient

/// Puts minutes of samples into their tables.
enum Minutes {
    /// Minutes that are looked up at once.
    private static let piece = 5000

    /// Stores minutes, each as a chunk and as what it comes to; joins them with what is there of the same minute.
    ///
    /// What is there already is not there twice. What belongs to a flow that has been deleted is omitted. In a transaction.
    static func store(
        _ minutes: [(key: OpenMinutes.Key, samples: [ChunkSample])], _ session: PostgresSession
    ) throws {
        var rest = minutes[...]
        while !rest.isEmpty {
            try storePiece(Array(rest.prefix(piece)), session)
            rest = rest.dropFirst(piece)
        }
    }

    private static func storePiece(
        _ minutes: [(key: OpenMinutes.Key, samples: [ChunkSample])], _ session: PostgresSession
    ) throws {
        let existing = try flows(of: minutes.map(\.key.flow), session)
        var joined: [OpenMinutes.Key: [ChunkSample]] = [:]
        for (key, samples) in minutes where existing.contains(key.flow) {
            joined[key.storable, default: []] += samples
        }
        guard !joined.isEmpty else { return }
        for (key, samples) in try takeOut(Array(joined.keys), session) {
            joined[key] = join(samples, joined[key] ?? [])
        }
        let rows = joined.map { ($0, Array($1.prefix(SampleChunk.limit))) }
            .sorted { ($0.0.flow, $0.0.minute) < ($1.0.flow, $1.0.minute) }
        try copy(rows, session)
    }

    private static func flows(of wanted: [Int64], _ session: PostgresSession) throws -> Set<Int64> {
        let rows = try session.execute(
            "SELECT id FROM flows WHERE id = ANY($1)", [.int64s(Array(Set(wanted)))])
        return Set(try rows.map { try $0.value(0) })
    }

    /// Removes what is there of some minutes, and gives it.
    private static func takeOut(
        _ keys: [OpenMinutes.Key], _ session: PostgresSession
    ) throws -> [OpenMinutes.Key: [ChunkSample]] {
        let arguments: [PostgresValue] = [
            .int64s(keys.map(\.flow)), .int64s(keys.map(\.minute)), .int64s(keys.map(\.observer.rawValue)),
        ]
        let condition = "(flow, minute, observer) IN (SELECT * FROM unnest($1, $2, $3))"
        let rows = try session.execute(
            "DELETE FROM chunks WHERE \(condition) RETURNING flow, minute, observer, data", arguments,
            planned: .eachTime)
        guard rows.count > 0 else { return [:] }
        try session.execute("DELETE FROM minutes WHERE \(condition)", arguments, planned: .eachTime)
        var found: [OpenMinutes.Key: [ChunkSample]] = [:]
        for row in rows {
            let key = OpenMinutes.Key(
                flow: try row.value(0), observer: try row.observer(2), minute: try row.value(1))
            found[key] = ChunkBytes.samples(try row.value(3)) ?? []
        }
        return found
    }

    /// Samples of a minute in the order in which they came, each once.
    static func join(_ stored: [ChunkSample], _ new: [ChunkSample]) -> [ChunkSample] {
        var known = Set(stored.map(SampleTimes.init))
        let added = new.filter { known.insert(.init($0)).inserted }
        // Sorting is not stable by itself.
        return (stored + added).enumerated()
            .sorted { ($0.element.receivedAt, $0.offset) < ($1.element.receivedAt, $1.offset) }
            .map(\.element)
    }

    /// What tells a sample of a flow and an observer from the others: no two batches came at the same time.
    private struct SampleTimes: Hashable {
        let receivedAt: Int64
        let time: Int64
        let capturedAt: Int64

        init(_ sample: ChunkSample) {
            receivedAt = sample.receivedAt
            time = sample.time
            capturedAt = sample.capturedAt
        }
    }

    private static func copy(
        _ rows: [(key: OpenMinutes.Key, samples: [ChunkSample])], _ session: PostgresSession
    ) throws {
        try session.copy(
            into: "chunks", ["flow", "first_at", "last_at", "minute", "observer", "samples", "data"]
        ) { copy in
            for (key, samples) in rows {
                guard let data = ChunkBytes.bytes(samples) else { continue }
                try copy.add([
                    .int64(key.flow), .int64(samples.first?.receivedAt ?? 0),
                    .int64(samples.last?.receivedAt ?? 0), .int32(Int32(clamping: key.minute)),
                    .int16(Int16(key.observer.rawValue)), .int16(Int16(clamping: samples.count)),
                    .bytes(data),
                ])
            }
        }
        try session.copy(into: "minutes", ["flow", "minute", "observer"] + TallyColumns.names) { copy in
            for (key, samples) in rows {
                try copy.add(
                    [
                        .int64(key.flow), .int32(Int32(clamping: key.minute)),
                        .int16(Int16(key.observer.rawValue)),
                    ] + TallyColumns.values(MinuteTally(samples)))
            }
        }
    }

    /// Stores when sessions were last active and their worst conditions.
    static func touch(_ touched: [Int64: RecordWriter.Touch], _ session: PostgresSession) throws {
        let all = touched.sorted { $0.key < $1.key }
        let arguments: [PostgresValue] = [
            .int64s(all.map(\.key)), .int64s(all.map(\.value.last)), .int64s(all.map { $0.value.worst ?? 0 }),
        ]
        try session.execute(
            """
            UPDATE sessions SET last_at = greatest(last_at, new.last),
                worst = least(sessions.worst, nullif(new.worst, 0))
            FROM unnest($1, $2, $3) AS new (id, last, worst)
            WHERE sessions.id = new.id
                AND (last_at < new.last OR coalesce(sessions.worst, 6) > coalesce(nullif(new.worst, 0), 6))
            """, arguments)
        // Of those that continue it is due when they end.
        try RatingRows.judgeAgain(
            "SELECT id FROM sessions WHERE ended_at IS NOT NULL AND id = ANY($1)", [arguments[0]], session)
    }
}

extension OpenMinutes.Key {
    /// Of a minute that the tables hold.
    fileprivate var storable: Self {
        var key = self
        key.minute = min(max(0, minute), Int64(Int32.max))
        return key
    }
}

/// What a minute comes to, as columns.
enum TallyColumns {
    /// After flow, minute and observer.
    static let names = [
        "samples", "worst", "bad", "a_mos_sum", "a_mos_count", "v_mos_sum", "v_mos_count", "freezes",
        "freeze_ms", "pauses", "pause_ms", "counts",
    ]

    /// Of the columns' types.
    static func values(_ tally: MinuteTally) -> [PostgresValue] {
        func small(_ number: Int64) -> PostgresValue { .int16(Int16(clamping: number)) }
        func whole(_ number: Int64) -> PostgresValue { .int32(Int32(clamping: number)) }
        return [
            small(tally.samples), .optional(tally.worst, small), small(tally.bad),
            whole(tally.opinionSums[0]), small(tally.opinionCounts[0]), whole(tally.opinionSums[1]),
            small(tally.opinionCounts[1]),
        ] + tally.totals.map { PostgresValue.optional($0) { .int64($0) } } + [.int64s(packed(tally))]
    }

    /// Of each word its kind, its number and how many samples have it.
    static func packed(_ tally: MinuteTally) -> [Int64] {
        tally.counts.map { count, samples -> Int64 in
            let word = count.kind.rawValue << 12 | (count.code & 0xFFF)
            return word << 32 | min(samples, 0xFFFF_FFFF)
        }
        .sorted()
    }

    /// The parts of a packed number, in SQL.
    static let kind = "(packed >> 44)"
    static let code = "((packed >> 32) & 4095)"
    static let samples = "(packed & 4294967295)"
}
