// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient

extension ClusterHistory {
    package func summary(session name: String, showsNames: Bool) async throws -> SessionSummary? {
        try await readingAll { session, open in
            let row = try session.execute("\(SessionOverview.query) WHERE name = $1", [.stored(name)]).first
            guard let row else { return nil }
            let id: Int64 = try row.value(1)
            let flows = try FlowIndex(session: id, nil, session)
            let seen = SeenMinutes(try open.minutes { flows.descriptions[$0] != nil })
            return SessionSummary(
                overview: try SessionOverview(row),
                connections: try Self.connections(id, showsNames: showsNames, session),
                streams: try Self.streams(id, showsNames: showsNames, session),
                flows: try Self.summaries(flows, id, seen, session),
                worstMinutes: try Self.worst(id, flows, seen, session),
                ratings: try Self.ratings(ofSession: id, showsNames: showsNames, session))
        }
    }

    package func minutes(_ query: WindowQuery) async throws -> StorePage<FlowMinute>? {
        let last =
            try MinuteCursor.read(query.cursor) ?? MinuteCursor(minute: .min, flow: .min, observer: .min)
        return try await readingAll { session, open in
            guard let id = try Self.id(ofSession: query.session, session) else { return nil }
            let flows = try FlowIndex(session: id, query, session)
            let seen = SeenMinutes(try open.minutes { flows.descriptions[$0] != nil })
            let count = SeenMinutes.argumentCount
            var filter = PostgresFilter(seen.arguments + [flows.ids])
            filter.narrow("minute >= ?", query.from.map { .int64(Self.minute($0)) })
            filter.narrow("minute <= ?", query.to.map { .int64(Self.minute($0)) })
            filter.narrow("observer = ?", query.observer.map { .int64($0.rawValue) })
            filter.narrow(
                "(minute, flow, observer) > (?, ?, ?)", .int64(last.minute), .int64(last.flow),
                .int64(last.observer))
            let condition = "flow = ANY($\(count + 1))"
            let chosen = """
                SELECT flow, minute, observer, \(SeenMinutes.single)
                FROM \(SeenMinutes.sums(where: condition)) AS seen WHERE \(filter.sql)
                ORDER BY minute, flow, observer LIMIT \(max(0, query.limit))
                """
            let counts = try Self.counts(ofMinutes: chosen, condition, filter.arguments, session)
            let rows = try session.execute(chosen, filter.arguments)
            var (minutes, end): ([FlowMinute], MinuteCursor?) = ([], nil)
            for row in rows {
                let key = MinuteCursor(
                    minute: try row.value(1), flow: try row.value(0), observer: try row.value(2))
                end = key
                guard let flow = flows.descriptions[key.flow] else { continue }
                let judgement = try JudgementTally(row, from: 3).judgement(
                    try row.observer(2), counts[key.numbers] ?? MinuteCounts())
                minutes.append(
                    FlowMinute(flow: flow, time: Double(key.minute) * 60_000, judgement: judgement))
            }
            return StorePage(items: minutes, next: rows.count < query.limit ? nil : end?.cursor)
        }
    }

    private static func counts(
        ofMinutes chosen: String, _ condition: String, _ arguments: [PostgresValue],
        _ session: PostgresSession
    ) throws -> [[Int64]: MinuteCounts] {
        let rows = try session.execute(
            """
            SELECT counted.minute, counted.flow, counted.observer, kind, code, counted.samples
            FROM (\(chosen)) AS chosen JOIN \(SeenMinutes.counts(where: condition)) AS counted
                USING (flow, minute, observer)
            """, arguments)
        var counts: [[Int64]: MinuteCounts] = [:]
        for row in rows {
            let key: [Int64] = [try row.value(0), try row.value(1), try row.value(2)]
            try counts[key, default: .init()].add(row, from: 3)
        }
        return counts
    }
}

// MARK: - Parts

extension ClusterHistory {
    private static func connections(
        _ id: Int64, showsNames: Bool, _ session: PostgresSession
    ) throws -> [ConnectionSummary] {
        try session.execute(
            """
            SELECT name, participant, display_name, role, client, joined_at, left_at, reason
            FROM connections WHERE session = $1 ORDER BY joined_at DESC, id DESC LIMIT \(FlowIndex.limit)
            """, [.int64(id)]
        ).map { row in
            ConnectionSummary(
                connection: try row.value(0), participant: try row.optional(1),
                name: showsNames ? try row.optional(2) : nil,
                role: TokenRole(rawValue: try row.value(3)) ?? .subscriber, client: try row.optional(4),
                joinTime: try row.time(5), leaveTime: try row.timeIfPresent(6), reason: try row.word(7))
        }.reversed()
    }

    private static func streams(
        _ id: Int64, showsNames: Bool, _ session: PostgresSession
    ) throws -> [StreamSummary] {
        try session.execute(
            """
            SELECT streams.name, connections.name, streams.display_name, has_audio, has_video, video_type,
                created_at, ended_at
            FROM streams LEFT JOIN connections ON connections.id = streams.connection
            WHERE streams.session = $1 ORDER BY created_at DESC, streams.id DESC LIMIT \(FlowIndex.limit)
            """, [.int64(id)]
        ).map { row in
            StreamSummary(
                stream: try row.value(0), connection: try row.optional(1),
                name: showsNames ? try row.optional(2) : nil, hasAudio: try row.value(3),
                hasVideo: try row.value(4), videoType: try row.word(5) ?? .unrecognized,
                creationTime: try row.time(6), endTime: try row.timeIfPresent(7))
        }.reversed()
    }

    private static func summaries(
        _ flows: FlowIndex, _ id: Int64, _ seen: SeenMinutes, _ session: PostgresSession
    ) throws -> [FlowSummary] {
        let tallies = try tallies(flows, id, seen, session)
        let warnings = try warnings(id, session)
        var alerts: [Int64: Int] = [:]
        for row in try session.execute(
            """
            SELECT flow, count(*) FROM flows JOIN alerts ON flow = flows.id WHERE session = $1 GROUP BY flow
            """, [.int64(id)])
        {
            alerts[try row.value(0)] = try row.count(1)
        }
        return flows.flows.map { flow in
            FlowSummary(
                flow: flow.description, creationTime: flow.createdAt, endTime: flow.endedAt,
                judgements: tallies[flow.id] ?? [], warnings: warnings[flow.id] ?? [:],
                alerts: alerts[flow.id] ?? 0)
        }
    }

    /// The session's flows, whose number comes after the arguments of ``SeenMinutes``.
    private static let ofSession =
        "flow IN (SELECT id FROM flows WHERE session = $\(SeenMinutes.argumentCount + 1))"

    /// Sums of whole sessions are made by the database, however many minutes there are.
    private static func tallies(
        _ flows: FlowIndex, _ id: Int64, _ seen: SeenMinutes, _ session: PostgresSession
    ) throws -> [Int64: [FlowJudgement]] {
        let arguments = seen.arguments + [.int64(id)]
        var counts: [[Int64]: MinuteCounts] = [:]
        let counted = """
            SELECT flow, observer, kind, code, sum(samples)::bigint
            FROM \(SeenMinutes.counts(where: ofSession)) AS seen GROUP BY flow, observer, kind, code
            """
        for row in try session.execute(counted, arguments) {
            let key: [Int64] = [try row.value(0), try row.value(1)]
            try counts[key, default: .init()].add(row, from: 2)
        }
        let sums = """
            SELECT flow, observer, \(SeenMinutes.together)
            FROM \(SeenMinutes.sums(where: ofSession)) AS seen GROUP BY flow, observer ORDER BY flow, observer
            """
        var tallies: [Int64: [FlowJudgement]] = [:]
        for row in try session.execute(sums, arguments) {
            let flow: Int64 = try row.value(0)
            let judgement = try JudgementTally(row, from: 2).judgement(
                try row.observer(1), counts[[flow, try row.value(1)]] ?? MinuteCounts())
            tallies[flow, default: []].append(judgement)
        }
        return tallies
    }

    private static func warnings(
        _ id: Int64, _ session: PostgresSession
    ) throws -> [Int64: WordCounts<CallQualityWarning.Kind>] {
        let rows = try session.execute(
            """
            SELECT flow, detail ->> 'reason' AS reason, count(*) AS n FROM events
            WHERE session = $1 AND type = 'callQuality' AND is_alarm AND flow IS NOT NULL
            GROUP BY flow, reason ORDER BY n DESC LIMIT \(FlowIndex.limit)
            """, [.int64(id)])
        var warnings: [Int64: WordCounts<CallQualityWarning.Kind>] = [:]
        for row in rows {
            guard let kind: CallQualityWarning.Kind = try row.word(1) else { continue }
            warnings[try row.value(0), default: [:]][kind] = try row.count(2)
        }
        return warnings
    }

    /// Minutes of a session that count: of two who measured the same path the client, whose figures the
    /// person had.
    private static func counted(_ condition: String) -> String {
        """
        WITH seen AS MATERIALIZED (SELECT * FROM \(SeenMinutes.sums(where: condition)) AS seen),
        counted AS (
            SELECT * FROM seen WHERE observer = \(Observer.client.rawValue) OR NOT EXISTS (
                SELECT 1 FROM seen AS other WHERE other.flow = seen.flow AND other.minute = seen.minute
                    AND other.observer = \(Observer.client.rawValue)))
        """
    }

    private static func worst(
        _ id: Int64, _ flows: FlowIndex, _ seen: SeenMinutes, _ session: PostgresSession
    ) throws -> [WorstMinute] {
        let sql = """
            \(counted(ofSession))
            SELECT minute, \(SeenMinutes.together) FROM counted
            GROUP BY minute HAVING sum(bad) > 0 AND min(worst) BETWEEN 1 AND 5
            ORDER BY min(worst), sum(bad)::double precision / sum(samples) DESC, minute
            LIMIT \(SessionSummary.worstMinuteLimit)
            """
        let arguments = seen.arguments + [.int64(id)]
        let rows = try session.execute(sql, arguments)
        return try rows.compactMap { row -> WorstMinute? in
            let tally = try JudgementTally(row, from: 1)
            guard let worst = tally.worst else { return nil }
            let minute: Int64 = try row.value(0)
            let (connections, cause) = try details(of: minute, arguments, flows, session)
            return WorstMinute(
                time: Double(minute) * 60_000, worstCondition: worst, badSamples: tally.bad,
                samples: tally.samples, cause: cause, connections: connections)
        }
    }

    /// The connections with bad samples in a minute, and what was wrong in most of it.
    private static func details(
        of minute: Int64, _ arguments: [PostgresValue], _ flows: FlowIndex, _ session: PostgresSession
    ) throws -> ([String], Diagnosis.Cause?) {
        let place = SeenMinutes.argumentCount + 2
        let arguments = arguments + [.int64(minute)]
        let bad = """
            \(counted("\(ofSession) AND minute = $\(place)"))
            SELECT DISTINCT flow FROM counted WHERE bad > 0 AND minute = $\(place)
            """
        var connections: Set<String> = []
        for row in try session.execute(bad, arguments) {
            if let flow = flows.descriptions[try row.value(0)] { connections.insert(flow.connection) }
        }
        let counts = """
            \(counted("\(ofSession) AND minute = $\(place)"))
            SELECT words.kind, words.code, sum(words.samples)::bigint FROM counted
            JOIN \(SeenMinutes.counts(where: "\(ofSession) AND minute = $\(place)")) AS words
                USING (flow, minute, observer)
            WHERE minute = $\(place) GROUP BY words.kind, words.code
            """
        var found = MinuteCounts()
        for row in try session.execute(counts, arguments) { try found.add(row, from: 0) }
        return (connections.sorted(), found.mainCause)
    }
}
