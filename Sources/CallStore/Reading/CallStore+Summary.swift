// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import GRDB

extension CallStore {
    /// A session; `nil` if there is none of that name.
    ///
    /// Its figures may be ``StoreConfiguration/upkeep`` late.
    ///
    /// - Parameter showsNames: Whether names are in it, if they are kept.
    /// - Throws: `DatabaseError`.
    public func summary(session: String, showsNames: Bool) async throws -> SessionSummary? {
        try await database.read { database in
            let row = try Row.fetchOne(
                database, sql: "\(SessionOverview.query) WHERE name = ?", arguments: [session])
            guard let row else { return nil }
            let id: Int64 = row["id"]
            let minutes = try Row.fetchAll(
                database,
                sql: "SELECT minutes.* FROM flows JOIN minutes ON flow = flows.id WHERE session = ?",
                arguments: [id]
            ).map(MinuteRow.init)
            let flows = try FlowIndex(session: id, database)
            return SessionSummary(
                overview: SessionOverview(row),
                connections: try Self.connections(id, showsNames: showsNames, database),
                streams: try Self.streams(id, showsNames: showsNames, database),
                flows: try Self.summaries(flows, minutes, id, database),
                worstMinutes: Self.worst(minutes, flows))
        }
    }

    /// A session's minutes, by flow and observer, in the order of their times; `nil` if there is no such session.
    ///
    /// - Throws: `DatabaseError`.
    public func minutes(_ query: WindowQuery) async throws -> [FlowMinute]? {
        try await database.read { database in
            guard let session = try Self.id(ofSession: query.session, database) else { return nil }
            let flows = try FlowIndex(session: session, database)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT minutes.* FROM flows JOIN minutes ON flow = flows.id
                    WHERE session = ? AND minute BETWEEN ? AND ? ORDER BY minute, flow, observer
                    """,
                arguments: [
                    session, query.from.map { Int64(unixTime: $0) / 60_000 } ?? Int64.min,
                    query.to.map { Int64(unixTime: $0) / 60_000 } ?? Int64.max,
                ])
            return rows.map(MinuteRow.init).compactMap { row in
                guard let flow = flows.descriptions[row.flow], flows.matches(row.flow, query),
                    query.observer.map({ $0 == row.observer }) ?? true
                else { return nil }
                return FlowMinute(
                    flow: flow, time: Double(row.minute * 60_000),
                    judgement: row.tally.judgement(row.observer))
            }
        }
    }

    static func id(ofSession name: String, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT id FROM sessions WHERE name = ?", arguments: [name])
    }
}

// MARK: - Parts

extension CallStore {
    static func connections(_ session: Int64, showsNames: Bool, _ database: Database) throws
        -> [ConnectionSummary]
    {
        try Row.fetchAll(
            database, sql: "SELECT * FROM connections WHERE session = ? ORDER BY joined_at, id",
            arguments: [session]
        ).map { row in
            ConnectionSummary(
                connection: row["name"], participant: row["participant"],
                name: showsNames ? row["display_name"] : nil, role: row["role"], client: row["client"],
                joinTime: row["joined_at"], leaveTime: row["left_at"], reason: row["reason"])
        }
    }

    static func streams(_ session: Int64, showsNames: Bool, _ database: Database) throws -> [StreamSummary] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT streams.*, connections.name AS connection_name
                FROM streams LEFT JOIN connections ON connections.id = streams.connection
                WHERE streams.session = ? ORDER BY streams.created_at, streams.id
                """, arguments: [session]
        ).map { row in
            StreamSummary(
                stream: row["name"], connection: row["connection_name"],
                name: showsNames ? row["display_name"] : nil, hasAudio: row["has_audio"],
                hasVideo: row["has_video"], videoType: row["video_type"], creationTime: row["created_at"],
                endTime: row["ended_at"])
        }
    }

    private static func summaries(
        _ flows: FlowIndex, _ minutes: [MinuteRow], _ session: Int64, _ database: Database
    ) throws -> [FlowSummary] {
        var tallies: [Int64: [Observer: JudgementTally]] = [:]
        for minute in minutes {
            if tallies[minute.flow]?[minute.observer]?.add(minute.tally) == nil {
                tallies[minute.flow, default: [:]][minute.observer] = minute.tally
            }
        }
        let warnings = try warnings(session, database)
        let alerts = try counts(
            "SELECT flow, count(*) AS n FROM flows JOIN alerts ON flow = flows.id WHERE session = ? GROUP BY flow",
            session, database)
        return flows.rows.compactMap { row in
            let id: Int64 = row["id"]
            guard let flow = flows.descriptions[id] else { return nil }
            let judgements = (tallies[id] ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }
            return FlowSummary(
                flow: flow, creationTime: row["created_at"], endTime: row["ended_at"],
                judgements: judgements.map { $0.value.judgement($0.key) }, warnings: warnings[id] ?? [:],
                alerts: alerts[id] ?? 0)
        }
    }

    private static func counts(_ sql: String, _ session: Int64, _ database: Database) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for row in try Row.fetchAll(database, sql: sql, arguments: [session]) {
            counts[row["flow"]] = row["n"]
        }
        return counts
    }

    private static func warnings(_ session: Int64, _ database: Database) throws -> [Int64: [String: Int]] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT flow, json_extract(detail, '$.reason') AS reason, count(*) AS n FROM events
                WHERE session = ? AND type = 'callQuality' AND is_alarm AND flow IS NOT NULL
                GROUP BY flow, reason
                """, arguments: [session])
        var warnings: [Int64: [String: Int]] = [:]
        for row in rows {
            guard let reason: String = row["reason"] else { continue }
            warnings[row["flow"], default: [:]][reason] = row["n"]
        }
        return warnings
    }

    private static func worst(_ minutes: [MinuteRow], _ flows: FlowIndex) -> [WorstMinute] {
        // Of two who measured the same path the client counts, whose figures the person had.
        let client = Set(minutes.filter { $0.observer == .client }.map { [$0.flow, $0.minute] })
        let counted = minutes.filter {
            $0.observer == .client || !client.contains([$0.flow, $0.minute])
        }
        let found = Dictionary(grouping: counted, by: \.minute).compactMap { minute, rows -> WorstMinute? in
            guard var sum = rows.first?.tally else { return nil }
            for row in rows.dropFirst() { sum.add(row.tally) }
            guard let worst = CodeTable.conditions.name(of: sum.worst), sum.bad > 0 else { return nil }
            let bad = rows.filter { $0.tally.bad > 0 }.compactMap { flows.descriptions[$0.flow]?.connection }
            return WorstMinute(
                time: Double(minute * 60_000), worstCondition: worst, badSamples: sum.bad,
                samples: sum.samples, cause: sum.mainCause, connections: Set(bad).sorted())
        }
        let order = found.sorted { first, second in
            let share = { (minute: WorstMinute) in Double(minute.badSamples) / Double(max(1, minute.samples))
            }
            let rank = { (minute: WorstMinute) in
                CodeTable.conditions.code(of: minute.worstCondition) ?? Int64.max
            }
            return (rank(first), -share(first), first.time) < (rank(second), -share(second), second.time)
        }
        return Array(order.prefix(SessionSummary.worstMinuteLimit))
    }
}
