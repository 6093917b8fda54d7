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
            let measured = try Self.measured(id, seen, session)
            return SessionSummary(
                overview: try SessionOverview(row),
                connections: try Self.connections(id, showsNames: showsNames, session),
                streams: try Self.streams(id, showsNames: showsNames, session),
                flows: try Self.summaries(flows, id, measured.judgements, session),
                worstMinutes: try Self.worst(measured.worst, id, flows, seen, session),
                ratings: try Self.ratings(ofSession: id, showsNames: showsNames, session))
        }
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
        _ flows: FlowIndex, _ id: Int64, _ judgements: [Int64: [FlowJudgement]], _ session: PostgresSession
    ) throws -> [FlowSummary] {
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
                judgements: judgements[flow.id] ?? [], warnings: warnings[flow.id] ?? [:],
                alerts: alerts[flow.id] ?? 0)
        }
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
}

// MARK: - Minutes of a whole session

extension ClusterHistory {
    /// What the minutes of a session come to.
    private struct Measured {
        /// By flow, of each of those who measured it.
        var judgements: [Int64: [FlowJudgement]] = [:]
        /// The minutes in which it was worst, the worst first.
        var worst: [(minute: Int64, tally: JudgementTally)] = []
    }

    /// The session's flows, whose number comes after the arguments of ``SeenMinutes``.
    private static let ofSession =
        "flow IN (SELECT id FROM flows WHERE session = $\(SeenMinutes.argumentCount + 1))"

    /// Minutes of a session, and of those what counts for the session: of two who measured the same path the client, whose
    /// figures the person had.
    private static func counted(_ condition: String) -> String {
        """
        WITH seen AS MATERIALIZED (SELECT * FROM \(SeenMinutes.sums(where: condition)) AS seen),
        counted AS (
            SELECT * FROM seen WHERE observer = \(Observer.client.rawValue) OR NOT EXISTS (
                SELECT 1 FROM seen AS other WHERE other.flow = seen.flow AND other.minute = seen.minute
                    AND other.observer = \(Observer.client.rawValue)))
        """
    }

    /// Sums of whole sessions are made by the database, however many minutes there are.
    private static func measured(
        _ id: Int64, _ seen: SeenMinutes, _ session: PostgresSession
    ) throws -> Measured {
        let arguments = seen.arguments + [.int64(id)]
        let counts = try counts(ofFlows: arguments, session)
        // The minutes are added up once: by flow, whose rows have place 0, and by time, of which only the worst come.
        let rows = try session.execute(
            """
            \(counted(ofSession))
            SELECT 0 AS place, flow, observer, NULL::bigint AS minute, \(SeenMinutes.together)
            FROM seen GROUP BY flow, observer
            UNION ALL
            (SELECT row_number() OVER (
                    ORDER BY min(worst), sum(bad)::double precision / sum(samples) DESC, minute
                ), NULL, NULL, minute, \(SeenMinutes.together)
            FROM counted GROUP BY minute HAVING sum(bad) > 0 AND min(worst) BETWEEN 1 AND 5
            ORDER BY 1 LIMIT \(SessionSummary.worstMinuteLimit))
            ORDER BY place, flow, observer
            """, arguments, planned: .eachTime)
        var measured = Measured()
        for row in rows {
            let tally = try JudgementTally(row, from: 4)
            guard try row.value(0, as: Int64.self) == 0 else {
                measured.worst.append((minute: try row.value(3), tally: tally))
                continue
            }
            let flow: Int64 = try row.value(1)
            let judgement = tally.judgement(
                try row.observer(2), counts[[flow, try row.value(2)]] ?? MinuteCounts())
            measured.judgements[flow, default: []].append(judgement)
        }
        return measured
    }

    /// How many samples have which word, by flow and observer.
    private static func counts(
        ofFlows arguments: [PostgresValue], _ session: PostgresSession
    ) throws -> [[Int64]: MinuteCounts] {
        let rows = try session.execute(
            """
            SELECT flow, observer, kind, code, sum(samples)::bigint
            FROM \(SeenMinutes.counts(where: ofSession)) AS seen GROUP BY flow, observer, kind, code
            """, arguments, planned: .eachTime)
        var counts: [[Int64]: MinuteCounts] = [:]
        for row in rows {
            let key: [Int64] = [try row.value(0), try row.value(1)]
            try counts[key, default: .init()].add(row, from: 2)
        }
        return counts
    }

    private static func worst(
        _ minutes: [(minute: Int64, tally: JudgementTally)], _ id: Int64, _ flows: FlowIndex,
        _ seen: SeenMinutes, _ session: PostgresSession
    ) throws -> [WorstMinute] {
        let details = try details(
            of: minutes.map(\.minute), seen.arguments + [.int64(id)], flows, session)
        return minutes.compactMap { minute, tally in
            tally.worst.map { worst in
                WorstMinute(
                    time: Double(unixMinute: minute), worstCondition: worst, badSamples: tally.bad,
                    samples: tally.samples, cause: details[minute]?.counts.mainCause,
                    connections: details[minute]?.connections.sorted() ?? [])
            }
        }
    }

    /// What is said of a minute.
    private struct MinuteDetails {
        /// Those with bad samples in it.
        var connections: Set<String> = []
        /// How many samples have which word.
        var counts = MinuteCounts()
    }

    private static func details(
        of minutes: [Int64], _ arguments: [PostgresValue], _ flows: FlowIndex, _ session: PostgresSession
    ) throws -> [Int64: MinuteDetails] {
        guard !minutes.isEmpty else { return [:] }
        let isWanted = "minute = ANY($\(SeenMinutes.argumentCount + 2))"
        let condition = "\(ofSession) AND \(isWanted)"
        // A row is either a flow with bad samples, or a word with how many samples have it.
        let rows = try session.execute(
            """
            \(counted(condition))
            SELECT minute, flow, NULL AS kind, NULL AS code, NULL AS samples
            FROM counted WHERE bad > 0 AND \(isWanted)
            UNION ALL
            SELECT minute, NULL, words.kind, words.code, sum(words.samples)::bigint
            FROM counted JOIN \(SeenMinutes.counts(where: condition)) AS words USING (flow, minute, observer)
            WHERE \(isWanted) GROUP BY minute, words.kind, words.code
            """, arguments + [.int64s(minutes)], planned: .eachTime)
        var details: [Int64: MinuteDetails] = [:]
        for row in rows {
            let minute: Int64 = try row.value(0)
            guard let flow = try row.optional(1, as: Int64.self) else {
                try details[minute, default: .init()].counts.add(row, from: 2)
                continue
            }
            guard let connection = flows.descriptions[flow]?.connection else { continue }
            details[minute, default: .init()].connections.insert(connection)
        }
        return details
    }
}
