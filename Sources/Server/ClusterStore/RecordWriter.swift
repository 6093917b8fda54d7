// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import PostgresClient

/// Writes records, within a transaction; remembers the numbers of what it has written.
struct RecordWriter: Sendable {
    /// The store's numbers of a flow.
    struct Flow: Sendable {
        var id: Int64
        var session: Int64
        /// Of its connection.
        var sender: Int64
        var description: FlowDescription
    }

    struct Connection: Sendable {
        var id: Int64
        var session: Int64
        /// Stands for the person, or for the connection of one without a name.
        ///
        /// It is part of an event's identity: the same person may send one again from a new
        /// connection, and no one can take another's place with an event of the same id.
        var sender: Int64
        var flows: [Int64: Flow] = [:]
    }

    /// A batch that is being written: what is put into the database at its end, all at once.
    struct Batch: Sendable {
        let receivedAt: Int64
        let reportsChanges: Bool
        /// Whether a sample is there already, or has no room.
        let result:
            @Sendable (ChunkSample, _ flow: Int64, Observer, _ event: Int64, _ others: Int) ->
                OpenMinutes.Result
        var outcome = WriteOutcome()
        var samples: [SampleBatch.Entry] = []
        var touched: [Int64: Touch] = [:]
        fileprivate var marks: Set<SampleMark> = []
        fileprivate var minutes: [OpenMinutes.Key: Int] = [:]
        fileprivate var events: [StoredEvent] = []
        fileprivate var reports: [StoredReport] = []

        init(
            receivedAt: Int64, reportsChanges: Bool,
            result: @escaping @Sendable (ChunkSample, Int64, Observer, Int64, Int) -> OpenMinutes.Result
        ) {
            self.receivedAt = receivedAt
            self.reportsChanges = reportsChanges
            self.result = result
        }
    }

    /// When a session was last active, and its worst condition since that was last stored.
    struct Touch: Sendable {
        var last: Int64
        var worst: Int64?

        mutating func add(_ other: Touch) {
            last = max(last, other.last)
            worst = [worst, other.worst].compactMap(\.self).min()
        }
    }

    /// Whatever a record refers to is not there.
    struct Missing: Error {}

    /// Number of connections from which on those that have left are discarded.
    static let capacity = 20_000

    /// The run of the node that writes.
    var instance: SampleLog.Instance
    var sessions: [String: Int64] = [:]
    var connections: [String: Connection] = [:]
    var detector = AlertDetector()
    private var budget: AlertBudget

    init(_ instance: SampleLog.Instance, _ configuration: StoreConfiguration) {
        self.instance = instance
        budget = AlertBudget(configuration)
    }

    /// Writes a batch in its order; what the tables do not take is counted.
    ///
    /// - Throws: `PostgresError`; then nothing of the batch is stored, and this value is of no further use.
    mutating func write(
        _ records: [StoreRecord], uptime: Duration, _ batch: inout Batch, _ session: PostgresSession
    ) throws {
        for record in records {
            guard RecordRules.canBeStored(record) else {
                batch.outcome.rejected += 1
                continue
            }
            do { try write(record, &batch, session) } catch is Missing { batch.outcome.rejected += 1 }
        }
        try writeEvents(&batch, session)
        try writeReports(&batch, session)
        try writeAlerts(detector.takeChanges(), uptime, &batch.outcome, session)
    }

    private mutating func write(
        _ record: StoreRecord, _ batch: inout Batch, _ session: PostgresSession
    ) throws {
        switch record {
        case .sample(let sample): try take(sample, &batch, session)
        case .event(let event): try take(event, &batch, session)
        case .report(let report): try take(report, &batch, session)
        case .rating(let rating):
            try RatingRows.write(rating, to: connection(rating.connection, session).id, session)
        case .session, .sessionEnded, .callEnded, .restorationOver, .connection, .connectionLeft, .stream,
            .streamEnded, .flow, .flowEnded:
            try writeLifecycle(record, session)
        }
    }
}

/// What no two samples of a time have in common.
private struct SampleMark: Hashable, Sendable {
    let capturedAt: Int64
    let event: Int64
}

private struct StoredEvent: Sendable {
    let record: EventRecord
    let session: Int64
    let connection: Int64
    let flow: Int64
    let capturedAt: Int64
    let event: Int64
}

private struct StoredReport: Sendable {
    let record: ReportRecord
    let flow: Int64
    let capturedAt: Int64
    let event: Int64
}

// MARK: - Measurements

extension RecordWriter {
    private mutating func take(
        _ record: SampleRecord, _ batch: inout Batch, _ session: PostgresSession
    ) throws {
        let flow = try flow(record.flow, session)
        let event = Self.event(record.mark, flow.sender)
        let time = Int64(unixTime: record.mark.time)
        let sample = ChunkSample(
            receivedAt: batch.receivedAt, time: time, capturedAt: Int64(unixTime: record.mark.capturedAt),
            sample: record.sample)
        let key = OpenMinutes.Key(flow: flow.id, observer: record.observer, minute: time.unixMinute)
        let mark = SampleMark(capturedAt: sample.capturedAt, event: event)
        let known =
            batch.marks.contains(mark)
            ? .duplicate : batch.result(sample, flow.id, record.observer, event, batch.minutes[key] ?? 0)
        switch known {
        case .duplicate: batch.outcome.duplicates += 1
        case .full: batch.outcome.rejected += 1
        case .added:
            batch.marks.insert(mark)
            batch.minutes[key, default: 0] += 1
            batch.samples.append(
                .init(flow: flow.id, observer: record.observer, event: event, sample: sample))
            batch.outcome.samples += 1
            let condition = record.sample.networkCondition.map(\.code).flatMap {
                (1...5).contains($0) ? $0 : nil
            }
            let touch = Touch(last: time, worst: condition)
            batch.touched[flow.session, default: touch].add(touch)
            judge(record, flow.id, time)
            if batch.reportsChanges { batch.outcome.changes.append(.sample(flow.description, record)) }
        }
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

    private mutating func take(
        _ record: EventRecord, _ batch: inout Batch, _ session: PostgresSession
    ) throws {
        let id = try self.session(record.session, session)
        let connection = try record.connection.map { try self.connection($0, session) }
        let flow = try record.flow.map { number in
            try self.flow(FlowKey(connection: record.connection ?? "", number: number), session)
        }
        batch.events.append(
            .init(
                record: record, session: id, connection: connection?.id ?? 0, flow: flow?.id ?? 0,
                capturedAt: Int64(unixTime: record.mark.capturedAt),
                event: Self.event(record.mark, connection?.sender ?? 0)))
    }

    private mutating func take(
        _ record: ReportRecord, _ batch: inout Batch, _ session: PostgresSession
    ) throws {
        let flow = try flow(record.flow, session)
        batch.reports.append(
            .init(
                record: record, flow: flow.id, capturedAt: Int64(unixTime: record.mark.capturedAt),
                event: Self.event(record.mark, flow.sender)))
    }

    private func writeEvents(_ batch: inout Batch, _ session: PostgresSession) throws {
        let events = batch.events
        guard !events.isEmpty else { return }
        let details = try events.map { event in
            let detail = event.record.detail.reduce(into: [String: String]()) { detail, entry in
                detail[StoredText.of(entry.key)] = StoredText.of(entry.value)
            }
            return String(decoding: try JSONSerialization.data(withJSONObject: detail), as: UTF8.self)
        }
        let rows = try session.execute(
            """
            INSERT INTO events
                (session, connection, flow, time, captured_at, event, type, is_alarm, detail)
            SELECT session, nullif(connection, 0), nullif(flow, 0), time, captured_at, event, type,
                is_alarm = 1, detail::jsonb
            FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) WITH ORDINALITY AS new
                (session, connection, flow, time, captured_at, event, type, is_alarm, detail, place)
            ORDER BY place
            ON CONFLICT (captured_at, event) DO NOTHING RETURNING captured_at, event
            """,
            [
                .int64s(events.map(\.session)), .int64s(events.map(\.connection)),
                .int64s(events.map(\.flow)), .int64s(events.map { Int64(unixTime: $0.record.mark.time) }),
                .int64s(events.map(\.capturedAt)), .int64s(events.map(\.event)),
                .texts(events.map { StoredText.of($0.record.type) }),
                .int64s(events.map { $0.record.isAlarm ? 1 : 0 }), .texts(details),
            ])
        var new = Set(try rows.map { try SampleMark(capturedAt: $0.value(0), event: $0.value(1)) })
        batch.outcome.duplicates += events.count - new.count
        guard batch.reportsChanges else { return }
        for event in events where new.remove(.init(capturedAt: event.capturedAt, event: event.event)) != nil {
            batch.outcome.changes.append(.event(event.record))
        }
    }

    private func writeReports(_ batch: inout Batch, _ session: PostgresSession) throws {
        let reports = batch.reports
        guard !reports.isEmpty else { return }
        let written = try session.execute(
            """
            INSERT INTO reports (flow, time, captured_at, event, report)
            SELECT flow, time, captured_at, event, report
            FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS new
                (flow, time, captured_at, event, report, place)
            ORDER BY place ON CONFLICT (captured_at, event) DO NOTHING
            """,
            [
                .int64s(reports.map(\.flow)), .int64s(reports.map { Int64(unixTime: $0.record.mark.time) }),
                .int64s(reports.map(\.capturedAt)), .int64s(reports.map(\.event)),
                .blobs(reports.map { $0.record.stored { try? [UInt8](JSONEncoder().encode($0)) } }),
            ])
        batch.outcome.duplicates += reports.count - written.changes
    }

    /// Writes all alerts of a batch at once: where a network is bad they grow with each sample of its flows.
    private mutating func writeAlerts(
        _ changes: [AlertDetector.Change], _ uptime: Duration, _ outcome: inout WriteOutcome,
        _ session: PostgresSession
    ) throws {
        guard !changes.isEmpty else { return }
        // Flows may have been deleted meanwhile.
        let flows = try flows(Set(changes.map(\.key.flow)), session)
        var rows: [AlertPlace: AlertDetector.Change] = [:]
        for change in changes {
            guard let flow = flows[change.key.flow] else { continue }
            if !change.run.isReported,
                !budget.take(session: flow.session, participant: flow.sender, at: uptime)
            {
                detector.mute(change)
                outcome.mutedAlerts += 1
                continue
            }
            // No row twice in one statement; the last is what it came to.
            rows[AlertPlace(key: change.key, firstAt: change.run.firstAt)] = change
            let run = change.run
            let alert = Alert(
                flow: flow.description, side: change.key.side, observer: change.key.observer,
                first: Double(run.firstAt), last: Double(run.lastAt), samples: run.samples,
                worst: run.worst, reason: run.reason, source: run.source, isOver: change.isOver)
            outcome.alerts.append(AlertChange(alert: alert, isNew: !run.isReported))
        }
        try insert(rows.values.sorted { $0.run.firstAt < $1.run.firstAt }, session)
    }

    private func insert(_ alerts: [AlertDetector.Change], _ session: PostgresSession) throws {
        guard !alerts.isEmpty else { return }
        func column(_ value: (AlertDetector.Change) -> Int64?) -> PostgresValue {
            .int64s(alerts.map { value($0) ?? Self.absent })
        }
        // What it began with stays until it is over: whoever ends it after a crash finds by it who was notified of what.
        try session.execute(
            """
            INSERT INTO alerts
                (flow, observer, side, first_at, last_at, samples, worst, reason, source, is_over, instance)
            SELECT flow, observer, side, first_at, last_at, samples, worst, nullif(reason, $12),
                nullif(source, $12), is_over = 1, $11
            FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) WITH ORDINALITY AS new
                (flow, observer, side, first_at, last_at, samples, worst, reason, source, is_over, place)
            ORDER BY place
            ON CONFLICT (flow, observer, side, first_at) DO UPDATE SET last_at = excluded.last_at,
                samples = excluded.samples, worst = excluded.worst,
                reason = CASE WHEN excluded.is_over THEN excluded.reason ELSE alerts.reason END,
                source = CASE WHEN excluded.is_over THEN excluded.source ELSE alerts.source END,
                is_over = excluded.is_over, instance = excluded.instance
            """,
            [
                column { $0.key.flow }, column { $0.key.observer.rawValue }, column { $0.key.side.code },
                column { $0.run.firstAt }, column { $0.run.lastAt }, column { Int64($0.run.samples) },
                column { $0.run.worst.code }, column { $0.run.reason?.code },
                column { $0.run.source?.code }, column { $0.isOver ? 1 : 0 }, .int64(instance.number),
                .int64(Self.absent),
            ])
    }

    /// Stands for a word that is absent, where there is an array of them: no code is below zero.
    private static let absent: Int64 = -1
}

/// What no two alerts have in common.
private struct AlertPlace: Hashable {
    let key: AlertDetector.Key
    let firstAt: Int64
}
