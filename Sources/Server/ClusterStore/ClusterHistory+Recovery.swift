// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient
import Synchronization

extension ClusterHistory {
    /// How a run of a node begins.
    struct Start: Sendable {
        var instance: SampleLog.Instance
        var isNew: Bool
        /// Samples that may come once more, since their senders may not know that they are stored.
        var marks: [Mark] = []
        var recovered = 0
    }

    /// What tells a sample that comes again.
    struct Mark: Sendable {
        var flow: Int64
        var capturedAt: Int64
        var event: Int64
        var receivedAt: Int64

        init(_ entry: SampleBatch.Entry) {
            flow = entry.flow
            capturedAt = entry.sample.capturedAt
            event = entry.event
            receivedAt = entry.sample.receivedAt
        }
    }

    /// What a run has left in the log.
    private struct Tail {
        /// Those that are in no chunk.
        var minutes: [OpenMinutes.Minute] = []
        /// Of what came lately, whether it is in a chunk or not.
        var marks: [Mark] = []

        var count: Int { minutes.reduce(0) { $0 + $1.samples.count } }
    }

    /// Begins a run of a node, and puts what the runs before have left into its place; in a transaction.
    static func begin(_ node: String, _ session: PostgresSession) throws -> Start {
        try SampleLog.lock(node: node, session)
        // Who would take its calls meanwhile hears of it, and does not wait.
        _ = try SampleLog.beginRecovery(of: node, session)
        let former = try session.execute(
            """
            SELECT instance, recovered_at IS NULL,
                coalesce(recovered_at, now()) > now() - interval '\(OpenMinutes.memory) milliseconds'
            FROM instances WHERE node = $1 ORDER BY instance
            """, [.text(node)])
        let all = try former.map { row in
            (
                run: SampleLog.Instance(number: try row.value(0)), isLeft: try row.value(1, as: Bool.self),
                isRecent: try row.value(2, as: Bool.self)
            )
        }
        var start = Start(instance: try SampleLog.begin(node: node, session), isNew: all.isEmpty)
        for (run, isLeft, isRecent) in all where isRecent {
            let recovered = isLeft ? try recover(run, by: start.instance, session) : nil
            // Of one that another node has recovered, or did just now, senders may not know either what is stored.
            let tail = try recovered ?? tail(of: run, after: nil, session)
            start.marks += tail.marks
            start.recovered += tail.count
        }
        return start
    }

    /// Puts what a run has left into its place, and ends what it had open; in a transaction.
    ///
    /// Whether the run is dead, the caller knows.
    ///
    /// - Returns: What it had left; `nil` if someone else does it, or has done it.
    private static func recover(
        _ dead: SampleLog.Instance, by instance: SampleLog.Instance, _ session: PostgresSession
    ) throws -> Tail? {
        guard let flushed = try SampleLog.takeOver(dead, by: instance, session) else { return nil }
        let tail = try tail(of: dead, after: flushed, session)
        try Minutes.store(tail.minutes.map { ($0.key, $0.samples) }, session)
        try touch(tail.minutes, session)
        try endLives(of: dead, session)
        try SampleLog.finish(dead, by: instance, session)
        return tail
    }

    /// What a run has logged and not put into chunks, and what it has logged lately.
    ///
    /// - Parameters:
    ///   - flushed: Up to which batch all is in chunks; `nil` if everything is.
    private static func tail(
        of dead: SampleLog.Instance, after flushed: Int64?, _ session: PostgresSession
    ) throws -> Tail {
        let flushed = flushed ?? .max
        let first = try first(of: dead, within: OpenMinutes.memory, session)
        var (open, tail) = (OpenMinutes(capacity: .max), Tail())
        try SampleLog.readTail(of: dead, after: min(flushed, (first ?? .max) - 1), session) {
            sequence, data in
            // One that cannot be read is passed over: there is nothing that could be done about it.
            for entry in SampleBatch.entries(data) ?? [] {
                tail.marks.append(Mark(entry))
                guard sequence > flushed else { continue }
                _ = open.add(
                    entry.sample, flow: entry.flow, observer: entry.observer, event: entry.event,
                    position: sequence)
            }
        }
        tail.minutes = open.takeAll()
        return tail
    }

    /// The number of the first batch that a run has logged of late.
    static func first(
        of run: SampleLog.Instance, within time: Int64, _ session: PostgresSession
    ) throws -> Int64? {
        try session.execute(
            """
            SELECT min(seq) FROM sample_log
            WHERE instance = $1 AND at > now() - interval '\(time) milliseconds'
            """, [.int64(run.number)]
        ).first?.optional(0, as: Int64.self)
    }

    /// Says of sessions what memory would have said of them.
    private static func touch(_ minutes: [OpenMinutes.Minute], _ session: PostgresSession) throws {
        let owners = try session.execute(
            "SELECT id, session FROM flows WHERE id = ANY($1)", [.int64s(Array(Set(minutes.map(\.key.flow))))]
        )
        var sessions: [Int64: Int64] = [:]
        for row in owners { sessions[try row.value(0)] = try row.value(1) }
        var touched: [Int64: RecordWriter.Touch] = [:]
        for minute in minutes {
            guard let owner = sessions[minute.key.flow], let last = minute.samples.map(\.time).max() else {
                continue
            }
            let touch = RecordWriter.Touch(last: last, worst: MinuteTally(minute.samples).worst)
            touched[owner, default: touch].add(touch)
        }
        try Minutes.touch(touched, session)
    }

    /// Ends what a run left open, at the time at which it was last heard of.
    private static func endLives(of dead: SampleLog.Instance, _ session: PostgresSession) throws {
        try endLives(where: "instance", .int64(dead.number), session)
    }

    /// Ends what is open of a session whose node is gone; another one may open it again.
    static func endLives(ofSession name: String, _ session: PostgresSession) throws {
        try endLives(where: "sessions.name", .stored(name), session)
    }

    private static func endLives(
        where column: String, _ value: PostgresValue, _ session: PostgresSession
    ) throws {
        let open = "sessions WHERE sessions.id = session AND \(column) = $1 AND sessions.ended_at IS NULL"
        let arguments: [PostgresValue] = [value, .text(EndReason.serverLost.name)]
        try session.execute(
            """
            UPDATE connections SET reason = $2, left_at = greatest(joined_at, last_at)
            FROM \(open) AND left_at IS NULL
            """, arguments)
        try session.execute(
            """
            UPDATE streams SET reason = $2, ended_at = greatest(streams.created_at, last_at)
            FROM \(open) AND streams.ended_at IS NULL
            """, arguments)
        try session.execute(
            """
            UPDATE flows SET ended_at = greatest(flows.created_at, last_at)
            FROM \(open) AND flows.ended_at IS NULL
            """, [arguments[0]])
        try session.execute(
            """
            UPDATE sessions SET ended_at = last_at, may_return = true
            WHERE \(column) = $1 AND ended_at IS NULL
            """, [arguments[0]])
    }

    /// Opens again what was ended because a run was declared dead, which lives all the same; not what another node has by now.
    private static func reopenLives(
        of former: SampleLog.Instance, as next: SampleLog.Instance, _ session: PostgresSession
    ) throws {
        let ended = """
            sessions WHERE sessions.id = session AND sessions.instance = $1 AND may_return AND NOT EXISTS (
                SELECT 1 FROM placements JOIN instances ON instances.instance = $1
                WHERE placements.session = sessions.name AND owner <> node)
            """
        let arguments: [PostgresValue] = [.int64(former.number), .text(EndReason.serverLost.name)]
        try session.execute(
            """
            UPDATE connections SET left_at = NULL, reason = NULL
            FROM \(ended) AND reason = $2 AND left_at = greatest(joined_at, sessions.ended_at)
            """, arguments)
        try session.execute(
            """
            UPDATE streams SET ended_at = NULL, reason = NULL
            FROM \(ended) AND reason = $2 AND streams.ended_at = greatest(streams.created_at, sessions.ended_at)
            """, arguments)
        try session.execute(
            """
            UPDATE flows SET ended_at = NULL
            FROM \(ended) AND flows.ended_at = greatest(flows.created_at, sessions.ended_at)
            """, [arguments[0]])
        try session.execute(
            """
            UPDATE sessions SET ended_at = NULL, may_return = false, instance = $2
            WHERE instance = $1 AND may_return AND NOT EXISTS (
                SELECT 1 FROM placements JOIN instances ON instances.instance = $1
                WHERE placements.session = sessions.name AND owner <> node)
            """, [arguments[0], .int64(next.number)])
    }

    // MARK: - What an earlier run has left

    package func sessionsThatMayReturn() async throws -> [String: MediaMode]? {
        guard !isNew else { return nil }
        let own = instance.number
        return try await reading { session in
            let rows = try session.execute(
                """
                SELECT name, media_mode FROM sessions
                WHERE may_return AND instance IN (\(RecordWriter.ownInstances))
                ORDER BY id DESC LIMIT 10000
                """, [.int64(own)])
            return try rows.reduce(into: [:]) { found, row in
                found[try row.value(0)] = MediaMode(rawValue: try row.value(1))
            }
        }
    }

    package func endedCalls() async throws -> [String: Double] {
        try await reading { session in
            let rows = try session.execute(
                "SELECT name, ended_at FROM ended_calls ORDER BY ended_at DESC LIMIT \(EndedCallMemory.limit)"
            )
            return try rows.reduce(into: [:]) { $0[try $1.value(0)] = try $1.time(1) }
        }
    }

    package func endOpenAlerts() async throws -> [Alert] {
        let own = instance.number
        return try await changing { session in
            try Self.endAlerts(
                where: "instance <> $1 AND instance IN (\(RecordWriter.ownInstances))", .int64(own), session)
        }
    }

    private static func endAlerts(
        where condition: String, _ value: PostgresValue, _ session: PostgresSession
    ) throws -> [Alert] {
        try session.execute(
            """
            WITH ended AS (
                UPDATE alerts SET is_over = true WHERE NOT is_over AND \(condition) RETURNING *
            ) \(described(alerts: "ended"))
            """, [value]
        ).map { try Alert($0) }
    }

    package func kind(ofSession name: String) async throws -> SessionKind? {
        try await reading { session in
            try session.execute("SELECT media_mode FROM sessions WHERE name = $1", [.stored(name)]).first?
                .word(0)
        }
    }
}

// MARK: - Of other nodes

extension ClusterHistory {
    /// What another node had left.
    package struct Recovery: Sendable, Equatable {
        /// Samples that were acknowledged and in no chunk.
        package var samples = 0
        /// Sustained issues that have ended with it.
        package var alerts: [Alert] = []
        /// Its runs that were declared dead.
        package var runs = 0
    }

    /// Declares a node dead, and puts what it has logged and not put into chunks there: of all who try, one does.
    ///
    /// It may live all the same: then it stores nothing more as the run that it was, and continues as another one.
    ///
    /// - Parameter silence: For how long it must have said nothing, by the clock of the database. A beat of it that comes meanwhile
    ///   waits for the end of the transaction.
    /// - Throws: `PostgresError`.
    package func recover(_ dead: String, after silence: Duration) async throws -> Recovery {
        guard dead != node else { return Recovery() }
        let recovery = try await flushing.take { [self] in
            let instance = instance
            return try await Self.storing(on: maintainer) { session in
                try Self.recover(dead, after: silence, by: instance, session)
            }
        }
        state.withLock { $0.figures.recoveredSamples += recovery.samples }
        return recovery
    }

    private static func recover(
        _ dead: String, after silence: Duration, by instance: SampleLog.Instance, _ session: PostgresSession
    ) throws -> Recovery {
        var recovery = Recovery()
        guard try NodeTable.isSilent(dead, after: silence, session),
            try SampleLog.beginRecovery(of: dead, session)
        else { return recovery }
        // Whoever does it at the same time has them locked; so has the node in the middle of a commit, for a while at most.
        let runs = try session.execute(
            """
            SELECT instance FROM instances WHERE node = $1 AND recovered_at IS NULL
            ORDER BY instance FOR NO KEY UPDATE SKIP LOCKED
            """, [.text(dead)])
        for row in runs {
            let run = SampleLog.Instance(number: try row.value(0))
            guard let tail = try recover(run, by: instance, session) else { continue }
            recovery.runs += 1
            recovery.samples += tail.count
            recovery.alerts += try endAlerts(where: "instance = $1", .int64(run.number), session)
        }
        return recovery
    }

    /// Continues as another run, if this one was declared dead.
    ///
    /// - Throws: ``Displaced`` if another server has begun a run of the node, or `PostgresError`.
    func continueAsNext() async throws {
        try await continuing.take { [self] in
            let former = instance
            let next = try await number(after: former)
            guard let next else { return }
            let node = node
            // Done twice, it is done once.
            let isNext = try await log.transaction(repeating: true) { session in
                try Self.begin(next, after: former, of: node, session)
            }
            guard isNext else { throw Displaced(node: node) }
            state.withLock { $0.beginAgain(as: next) }
        }
    }

    /// The number of the run that follows; `nil` if this one was not declared dead.
    private func number(after former: SampleLog.Instance) async throws -> SampleLog.Instance? {
        if let next = state.withLock({ $0.next }) { return next }
        let next = try await log.transaction { session in
            do { try SampleLog.requireAlive(former, session) } catch is SampleLog.DeclaredDead {
                return try SampleLog.reserve(session)
            }
            return nil
        }
        state.withLock { $0.next = next }
        return next
    }

    /// - Returns: Whether it has begun; not if another server has the node's name by now.
    private static func begin(
        _ next: SampleLog.Instance, after former: SampleLog.Instance, of node: String,
        _ session: PostgresSession
    ) throws -> Bool {
        try SampleLog.lock(node: node, session)
        let last = try session.execute("SELECT max(instance) FROM instances WHERE node = $1", [.text(node)])
            .first?.optional(0, as: Int64.self)
        if last == next.number { return true }
        guard last == former.number else { return false }
        try SampleLog.begin(next, node: node, session)
        try reopenLives(of: former, as: next, session)
        try NodeTable.continue(node, as: next, after: former, session)
        return true
    }
}
