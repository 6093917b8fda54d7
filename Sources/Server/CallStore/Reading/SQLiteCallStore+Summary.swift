// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

extension SQLiteCallStore {
    /// A session; `nil` if there is none of that name.
    ///
    /// Its figures may be ``StoreConfiguration/maintenance`` late.
    ///
    /// - Parameter showsNames: Whether names are in it, if they are kept.
    /// - Throws: `DatabaseError`.
    package func summary(session: String, showsNames: Bool) async throws -> SessionSummary? {
        try await reading { database -> SessionSummary? in
            let row = try Row.fetchOne(
                database, sql: "\(SessionOverview.query) WHERE name = ?", arguments: [session])
            guard let row, let overview = SessionOverview(row) else { return nil }
            let id = row.key("id")
            let flows = try FlowIndex(session: id, nil, database)
            return SessionSummary(
                overview: overview,
                connections: try Self.connections(id, showsNames: showsNames, database),
                streams: try Self.streams(id, showsNames: showsNames, database),
                flows: try Self.summaries(flows, id, database),
                worstMinutes: try Self.worst(id, flows, database),
                ratings: try Self.ratings(ofSession: id, showsNames: showsNames, database))
        }
    }

    /// A session's minutes, by flow and observer, in the order of their times; `nil` if there is no such
    /// session.
    ///
    /// - Throws: `DatabaseError`.
    package func minutes(_ query: WindowQuery) async throws -> StorePage<FlowMinute>? {
        let last =
            try MinuteCursor.read(query.cursor) ?? MinuteCursor(minute: .min, flow: .min, observer: .min)
        return try await reading { database -> StorePage<FlowMinute>? in
            guard let session = try Self.id(ofSession: query.session, database) else { return nil }
            let flows = try FlowIndex(session: session, query, database)
            let observer = query.observer.map { " AND observer = \($0.rawValue)" } ?? ""
            let chosen = """
                SELECT * FROM minutes
                WHERE flow IN (\(flows.list)) AND minute BETWEEN :from AND :to\(observer)
                    AND (minute, flow, observer) > (:minute, :flow, :observer)
                ORDER BY minute, flow, observer LIMIT \(query.limit)
                """
            let arguments: StatementArguments = [
                "minute": last.minute, "flow": last.flow, "observer": last.observer,
                "from": query.from.map { Int64(unixTime: $0).unixMinute } ?? Int64.min,
                "to": query.to.map { Int64(unixTime: $0).unixMinute } ?? Int64.max,
            ]
            let counts = try Self.counts(ofMinutes: chosen, arguments, database)
            let rows = try Row.fetchCursor(database, sql: chosen, arguments: arguments)
            var (minutes, count, end): ([FlowMinute], Int, MinuteCursor?) = ([], 0, nil)
            while let row = try rows.next() {
                count += 1
                end = MinuteCursor(
                    minute: row.key("minute"), flow: row.key("flow"), observer: row.key("observer"))
                guard let flow = flows.descriptions[row.key("flow")], let observer = row.observer("observer")
                else { continue }
                let judgement = JudgementTally(row).judgement(
                    observer, counts[MinuteKey(row)] ?? MinuteCounts())
                minutes.append(FlowMinute(flow: flow, time: row.minuteTime, judgement: judgement))
            }
            return StorePage(items: minutes, next: count < query.limit ? nil : end?.cursor)
        }
    }

    private struct MinuteKey: Hashable {
        let flow: Int64
        let minute: Int64
        let observer: Int64

        init(_ row: Row) {
            flow = row.key("flow")
            minute = row.key("minute")
            observer = row.key("observer")
        }
    }

    private static func counts(
        ofMinutes chosen: String, _ arguments: StatementArguments, _ database: Database
    ) throws -> [MinuteKey: MinuteCounts] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT minute_counts.* FROM (\(chosen)) AS chosen JOIN minute_counts
                    USING (flow, minute, observer)
                """, arguments: arguments)
        var counts: [MinuteKey: MinuteCounts] = [:]
        while let row = try rows.next() { counts[MinuteKey(row), default: .init()].add(row) }
        return counts
    }

    static func id(ofSession name: String, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT id FROM sessions WHERE name = ?", arguments: [name])
    }
}

// MARK: - Parts

extension SQLiteCallStore {
    static func connections(_ session: Int64, showsNames: Bool, _ database: Database) throws
        -> [ConnectionSummary]
    {
        try Row.fetchAll(
            database,
            sql: """
                SELECT * FROM connections WHERE session = ? ORDER BY joined_at DESC, id DESC
                LIMIT \(FlowIndex.limit)
                """, arguments: [session]
        ).reversed().compactMap { row in
            guard let role: TokenRole = row.word("role") else { return nil }
            return ConnectionSummary(
                connection: row.text("name"), participant: row.textIfPresent("participant"),
                name: showsNames ? row.textIfPresent("display_name") : nil,
                role: role,
                client: row.textIfPresent("client"), joinTime: row.time("joined_at"),
                leaveTime: row.timeIfPresent("left_at"), reason: row.word("reason"))
        }
    }

    static func streams(_ session: Int64, showsNames: Bool, _ database: Database) throws -> [StreamSummary] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT streams.*, connections.name AS connection_name
                FROM streams LEFT JOIN connections ON connections.id = streams.connection
                WHERE streams.session = ? ORDER BY streams.created_at DESC, streams.id DESC
                LIMIT \(FlowIndex.limit)
                """, arguments: [session]
        ).reversed().map { row in
            StreamSummary(
                stream: row.text("name"), connection: row.textIfPresent("connection_name"),
                name: showsNames ? row.textIfPresent("display_name") : nil, hasAudio: row.flag("has_audio"),
                hasVideo: row.flag("has_video"), videoType: row.word("video_type") ?? .unrecognized,
                creationTime: row.time("created_at"), endTime: row.timeIfPresent("ended_at"))
        }
    }

    private static func summaries(
        _ flows: FlowIndex, _ session: Int64, _ database: Database
    ) throws -> [FlowSummary] {
        let tallies = try tallies(flows, session, database)
        let warnings = try warnings(session, database)
        let alerts = try counts(
            "SELECT flow, count(*) AS n FROM flows JOIN alerts ON flow = flows.id WHERE session = ? GROUP BY flow",
            session, database)
        return flows.rows.compactMap { row in
            let id = row.key("id")
            guard let flow = flows.descriptions[id] else { return nil }
            return FlowSummary(
                flow: flow, creationTime: row.time("created_at"), endTime: row.timeIfPresent("ended_at"),
                judgements: tallies[id] ?? [], warnings: warnings[id] ?? [:],
                alerts: alerts[id] ?? 0)
        }
    }

    /// Sums of whole sessions are made by the database, however many minutes there are.
    private static func tallies(
        _ flows: FlowIndex, _ session: Int64, _ database: Database
    ) throws -> [Int64: [FlowJudgement]] {
        var tallies: [Int64: [FlowJudgement]] = [:]
        for observer in Observer.allCases {
            var counts: [Int64: MinuteCounts] = [:]
            let counted = try Row.fetchCursor(
                database,
                sql: """
                    SELECT flow, kind, code, CAST(total(samples) AS INTEGER) AS samples
                    FROM flows JOIN minute_counts ON flow = flows.id
                    WHERE session = ? AND flows.id >= ? AND observer = ? GROUP BY flow, kind, code
                    """, arguments: [session, flows.first, observer.rawValue])
            while let row = try counted.next() { counts[row.key("flow"), default: .init()].add(row) }
            // In the order of both tables' keys: nothing has to be sorted.
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT flow, \(JudgementTally.sums)
                    FROM flows JOIN minutes ON flow = flows.id
                    WHERE session = ? AND flows.id >= ? AND observer = ? GROUP BY flows.id
                    """, arguments: [session, flows.first, observer.rawValue])
            while let row = try rows.next() {
                let flow = row.key("flow")
                let judgement = JudgementTally(row).judgement(observer, counts[flow] ?? MinuteCounts())
                tallies[flow, default: []].append(judgement)
            }
        }
        return tallies
    }

    private static func counts(_ sql: String, _ session: Int64, _ database: Database) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for row in try Row.fetchAll(database, sql: sql, arguments: [session]) {
            counts[row.key("flow")] = row.count("n")
        }
        return counts
    }

    private static func warnings(_ session: Int64, _ database: Database) throws
        -> [Int64: WordCounts<CallQualityWarning.Kind>]
    {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT flow, json_extract(detail, '$.reason') AS reason, count(*) AS n FROM events
                WHERE session = ? AND type = 'callQuality' AND is_alarm AND flow IS NOT NULL
                AND json_valid(detail)
                GROUP BY flow, reason ORDER BY n DESC LIMIT \(FlowIndex.limit)
                """, arguments: [session])
        var warnings: [Int64: WordCounts<CallQualityWarning.Kind>] = [:]
        for row in rows {
            guard let name = row.textIfPresent("reason"), let kind = CallQualityWarning.Kind(name: name)
            else {
                continue
            }
            warnings[row.key("flow"), default: [:]][kind] = row.count("n")
        }
        return warnings
    }

    /// Minutes of a session that count: of two who measured the same path the client, whose figures the
    /// person had.
    private static let counted = """
        flows JOIN minutes ON flow = flows.id
        WHERE session = :session AND (observer = \(Observer.client.rawValue) OR NOT EXISTS (
            SELECT 1 FROM minutes AS other WHERE other.flow = minutes.flow AND other.minute = minutes.minute
                AND other.observer = \(Observer.client.rawValue)))
        """

    private static func worst(_ session: Int64, _ flows: FlowIndex, _ database: Database) throws
        -> [WorstMinute]
    {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT minute, \(JudgementTally.sums) FROM \(counted)
                GROUP BY minutes.minute HAVING total(minutes.bad) > 0 AND min(minutes.worst) BETWEEN 1 AND 5
                ORDER BY min(minutes.worst), total(minutes.bad) / total(minutes.samples) DESC, minutes.minute
                LIMIT \(SessionSummary.worstMinuteLimit)
                """, arguments: ["session": session])
        return try rows.compactMap { row -> WorstMinute? in
            let tally = JudgementTally(row)
            guard let worst = tally.worst else { return nil }
            let minute = row.key("minute")
            let connections = try badFlows(minute, session, database).compactMap {
                flows.descriptions[$0]?.connection
            }
            return WorstMinute(
                time: row.minuteTime, worstCondition: worst, badSamples: tally.bad,
                samples: tally.samples,
                cause: try mainCause(minute, session, database),
                connections: Set(connections).sorted())
        }
    }

    private static func mainCause(
        _ minute: Int64, _ session: Int64, _ database: Database
    ) throws -> Diagnosis.Cause? {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT kind, code, CAST(total(minute_counts.samples) AS INTEGER) AS samples
                FROM (SELECT flow, minute, observer FROM \(counted) AND minute = :minute)
                    JOIN minute_counts USING (flow, minute, observer) GROUP BY kind, code
                """, arguments: ["session": session, "minute": minute])
        var counts = MinuteCounts()
        for row in rows { counts.add(row) }
        return counts.mainCause
    }

    private static func badFlows(_ minute: Int64, _ session: Int64, _ database: Database) throws -> [Int64] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT DISTINCT flow FROM \(counted) AND minute = :minute AND bad > 0
                """, arguments: ["session": session, "minute": minute]
        ).map { $0.key("flow") }
    }
}
