// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import GRDB
import SessionWire

/// Writes records, within a transaction; remembers the numbers of what it has written.
struct BatchWriter: Sendable {
    /// The store's id of a flow.
    struct Flow: Sendable {
        var id: Int64
        var session: Int64
        /// Of its connection.
        var sender: Int64
        var description: FlowDescription
    }

    struct Connection: Sendable {
        var id: Int64
        /// Stands for the person, or for the connection of one without a name.
        ///
        /// It is part of an event's identity: the same person may send one again from a new
        /// connection, and no one can take another's place with an event of the same id.
        var sender: Int64
        var flows: [Int64: Flow] = [:]
    }

    /// Number of connections from which on those that have left are discarded.
    private static let capacity = 20_000

    var sessions: [String: Int64] = [:]
    var connections: [String: Connection] = [:]
    var detector = AlertDetector()
    private var budget: AlertBudget

    init(_ configuration: StoreConfiguration) { budget = AlertBudget(configuration) }

    /// Writes a batch in its order.
    ///
    /// Records that the schema rejects are counted; the rest is written.
    ///
    /// - Throws: `DatabaseError` for anything else; then nothing of the batch is stored, and this value is of
    ///   no further use.
    mutating func write(
        _ records: [StoreRecord], reportsChanges: Bool, uptime: Duration, _ database: Database
    ) throws -> WriteOutcome {
        var outcome = WriteOutcome()
        for record in records {
            do {
                try write(record, &outcome, reportsChanges: reportsChanges, database)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                outcome.rejected += 1
            } catch is Missing {
                outcome.rejected += 1
            }
        }
        for change in detector.takeChanges() { try write(change, uptime, &outcome, database) }
        return outcome
    }

    /// Whatever a record refers to is not there.
    struct Missing: Error {}

    private mutating func write(
        _ record: StoreRecord, _ outcome: inout WriteOutcome, reportsChanges: Bool, _ database: Database
    ) throws {
        switch record {
        case .sample(let sample): try write(sample, &outcome, reportsChanges: reportsChanges, database)
        case .event(let event):
            let isNew = try write(event, database)
            if !isNew {
                outcome.duplicates += 1
            } else if reportsChanges {
                outcome.changes.append(.event(event))
            }
        case .report(let report): if try !write(report, database) { outcome.duplicates += 1 }
        case .rating(let rating):
            try RatingRow.write(rating, to: connection(rating.connection, database).id, database)
        case .session, .sessionEnded, .callEnded, .restorationOver, .connection, .connectionLeft, .stream,
            .streamEnded,
            .flow, .flowEnded:
            try writeLifecycle(record, database)
        }
    }
}

// MARK: - Measurements

extension BatchWriter {
    private mutating func write(
        _ record: SampleRecord, _ outcome: inout WriteOutcome, reportsChanges: Bool, _ database: Database
    ) throws {
        let flow = try flow(record.flow, database)
        var binder = StatementBinder(try database.cachedStatement(sql: SampleRow.insertion))
        let time = Int64(unixTime: record.mark.time)
        binder.bind(flow.id)
        binder.bind(record.observer.rawValue)
        binder.bind(time)
        binder.bind(Int64(unixTime: record.mark.capturedAt))
        binder.bind(Self.event(record.mark, flow.sender))
        SampleRow.bind(record.sample, to: &binder)
        guard try binder.run(database) else {
            outcome.duplicates += 1
            return
        }
        outcome.samples += 1
        judge(record, flow.id, time)
        if reportsChanges { outcome.changes.append(.sample(flow.description, record)) }
    }

    private static func event(_ mark: EventMark, _ sender: Int64) -> Int64 {
        (mark.event ^ sender) &* 0x100_0000_01b3
    }

    private mutating func judge(_ record: SampleRecord, _ flow: Int64, _ time: Int64) {
        let sample = record.sample
        detector.take(
            .init(flow: flow, observer: record.observer, side: .local),
            .init(
                time: time, condition: sample.networkCondition, reason: sample.networkConditionReason,
                source: sample.networkDegradationSource))
        guard let remote = sample.remoteNetworkCondition else { return }
        detector.take(
            .init(flow: flow, observer: record.observer, side: .remote),
            .init(
                time: time, condition: remote, reason: sample.remoteNetworkConditionReason,
                source: sample.networkDegradationSource))
    }

    private mutating func write(_ record: EventRecord, _ database: Database) throws -> Bool {
        let session = try session(record.session, database)
        let connection = try record.connection.map { try self.connection($0, database) }
        let sender = connection?.sender ?? 0
        let flow = try record.flow.map { number in
            try self.flow(FlowKey(connection: record.connection ?? "", number: number), database)
        }
        let detail = try JSONSerialization.data(withJSONObject: record.detail, options: .sortedKeys)
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO events
                    (session, connection, flow, time, captured_at, event, type, is_alarm, detail)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (captured_at, event) DO NOTHING
                """)
        try statement.execute(arguments: [
            session, connection?.id, flow?.id, Int64(unixTime: record.mark.time),
            Int64(unixTime: record.mark.capturedAt), Self.event(record.mark, sender), record.type,
            record.isAlarm,
            String(decoding: detail, as: UTF8.self),
        ])
        return database.changesCount > 0
    }

    private mutating func write(_ record: ReportRecord, _ database: Database) throws -> Bool {
        let flow = try flow(record.flow, database)
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO reports (flow, time, captured_at, event, report) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (captured_at, event) DO NOTHING
                """)
        try statement.execute(arguments: [
            flow.id, Int64(unixTime: record.mark.time), Int64(unixTime: record.mark.capturedAt),
            Self.event(record.mark, flow.sender),
            Data(record.stored { try? [UInt8](JSONEncoder().encode($0)) }),
        ])
        return database.changesCount > 0
    }

    private mutating func write(
        _ change: AlertDetector.Change, _ uptime: Duration, _ outcome: inout WriteOutcome,
        _ database: Database
    ) throws {
        // Its flow may have been deleted meanwhile.
        guard let flow = try flow(change.key.flow, database) else { return }
        if !change.run.isReported,
            !budget.take(session: flow.session, participant: flow.sender, at: uptime)
        {
            detector.mute(change)
            outcome.mutedAlerts += 1
            return
        }
        // What it began with stays until it is over: whoever ends it after a crash finds by it who was notified of what.
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO alerts
                    (flow, observer, side, first_at, last_at, samples, worst, reason, source, is_over)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (flow, observer, side, first_at) DO UPDATE SET last_at = excluded.last_at,
                    samples = excluded.samples, worst = excluded.worst,
                    reason = CASE WHEN excluded.is_over THEN excluded.reason ELSE reason END,
                    source = CASE WHEN excluded.is_over THEN excluded.source ELSE source END,
                    is_over = excluded.is_over
                """)
        let (key, run) = (change.key, change.run)
        try statement.execute(arguments: [
            key.flow, key.observer.rawValue, key.side.code, run.firstAt, run.lastAt, run.samples,
            run.worst.code, run.reason?.code, run.source?.code, change.isOver,
        ])
        let alert = Alert(
            flow: flow.description, side: key.side, observer: key.observer,
            first: Double(run.firstAt), last: Double(run.lastAt), samples: run.samples,
            worst: run.worst, reason: run.reason, source: run.source, isOver: change.isOver)
        outcome.alerts.append(AlertChange(alert: alert, isNew: !run.isReported))
    }
}

// MARK: - Numbers

extension BatchWriter {
    mutating func session(_ name: String, _ database: Database) throws -> Int64 {
        if let id = sessions[name] { return id }
        let row = try Row.fetchOne(
            database, sql: "SELECT id, ended_at FROM sessions WHERE name = ?", arguments: [name])
        guard let row else { throw Missing() }
        let id = row.key("id")
        // What comes late of one that has ended is little, and nothing would have it forgotten again.
        if row.timeIfPresent("ended_at") == nil { sessions[name] = id }
        return id
    }

    mutating func connection(_ name: String, _ database: Database) throws -> Connection {
        if let connection = connections[name] { return connection }
        let row = try Row.fetchOne(
            database, sql: "SELECT id, name, participant, left_at FROM connections WHERE name = ?",
            arguments: [name])
        guard let row else { throw Missing() }
        // As for a session.
        return row.timeIfPresent("left_at") == nil ? remember(name, row) : Connection(row)
    }

    /// - Parameter row: Has the connection's `id`, `name` and `participant`.
    @discardableResult
    mutating func remember(_ name: String, _ row: Row) -> Connection {
        if connections.count >= Self.capacity { connections.removeAll() }
        let connection = Connection(row)
        connections[name] = connection
        return connection
    }

    mutating func flow(_ key: FlowKey, _ database: Database) throws -> Flow {
        if let flow = connections[key.connection]?.flows[key.number] { return flow }
        // From before, or forgotten.
        _ = try connection(key.connection, database)
        let row = try Row.fetchOne(
            database,
            sql: "\(Self.flowQuery) WHERE connections.name = ? AND flows.number = ?",
            arguments: [key.connection, key.number])
        guard let row, let flow = Flow(row) else { throw Missing() }
        if row.timeIfPresent("ended_at") == nil { connections[key.connection]?.flows[key.number] = flow }
        return flow
    }

    private static let flowQuery = """
        SELECT flows.id, flows.session, flows.role, flows.ended_at, sessions.name AS session_name,
            connections.name AS connection_name, connections.participant, streams.name AS stream_name
        FROM flows
        JOIN connections ON connections.id = flows.connection
        JOIN sessions ON sessions.id = flows.session
        JOIN streams ON streams.id = flows.stream
        """

    private func flow(_ id: Int64, _ database: Database) throws -> Flow? {
        try Row.fetchOne(database, sql: "\(Self.flowQuery) WHERE flows.id = ?", arguments: [id])
            .flatMap(Flow.init)
    }
}

extension BatchWriter.Connection {
    fileprivate init(_ row: Row) {
        id = row.key("id")
        sender = Self.sender(participant: row.textIfPresent("participant"), name: row.text("name"))
    }

    fileprivate static func sender(participant: String?, name: String) -> Int64 {
        EventMark.hash(participant ?? name, participant == nil ? 1 : 0)
    }
}

extension BatchWriter.Flow {
    fileprivate init?(_ row: Row) {
        guard let description = FlowDescription(row) else { return nil }
        self.description = description
        id = row.key("id")
        session = row.key("session")
        sender = BatchWriter.Connection.sender(
            participant: row.textIfPresent("participant"), name: row.text("connection_name"))
    }
}
