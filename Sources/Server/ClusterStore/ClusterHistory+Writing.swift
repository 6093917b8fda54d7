// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient
import Synchronization

extension ClusterHistory {
    package func write(
        _ records: [StoreRecord], reportsChanges: Bool, uptime: Duration
    ) async throws -> WriteOutcome {
        try await noticing {
            try await writing.take { [self] in
                if let outcome = try await settle(records) { return outcome }
                do { return try await commit(records, reportsChanges, uptime) } catch let error
                    as PostgresError where error.kind == .refused(.foreignKeyViolation)
                {
                    // Another node has deleted what this one remembers; looked up again, it is missing.
                    state.withLock { $0.writer.forgetLives() }
                    return try await commit(records, reportsChanges, uptime)
                }
            }
        }
    }

    /// Finds out whether the batch before is committed, if no one knows.
    ///
    /// - Returns: What it came to, if it is committed and these are its records.
    private func settle(_ records: [StoreRecord]) async throws -> WriteOutcome? {
        guard let former = state.withLock({ $0.unresolved }) else { return nil }
        let (sequence, instance) = (former.prepared.sequence, former.prepared.instance)
        // To the log of a run that was declared dead nothing comes any more.
        let mayGrow = instance == self.instance
        // Whoever has no samples has no number: what it has is done again, which changes nothing.
        var isCommitted = false
        if former.prepared.hasSamples {
            isCommitted = try await log.transaction(repeating: true) { session in
                if mayGrow { try SampleLog.requireAlive(instance, session) }
                return try SampleLog.contains(sequence, of: instance, session)
            }
        }
        let hasCommitted = isCommitted
        state.withLock { state in
            state.unresolved = nil
            if hasCommitted { Self.apply(former.prepared, to: &state) }
            // Its number is not used again: if it is committed late all the same, it is there beside the next one.
            if state.instance == instance { state.sequence = max(state.sequence, sequence) }
        }
        return isCommitted && former.records == records ? former.prepared.batch.outcome : nil
    }

    private func commit(
        _ records: [StoreRecord], _ reportsChanges: Bool, _ uptime: Duration
    ) async throws -> WriteOutcome {
        let start = try state.withLock { state in
            guard state.minutes.hasRoom(for: records.count) else { throw Overfull() }
            return (
                writer: state.writer, fence: state.fence, sequence: state.sequence + 1,
                receivedAt: max(Self.now, state.lastReceived + 1)
            )
        }
        // Known outside of the transaction as well, whose commit may fail.
        let written = Mutex<Prepared?>(nil)
        do {
            let prepared = try await log.transaction { [self] session in
                let prepared = try prepare(records, start, reportsChanges, uptime, session)
                written.withLock { $0 = prepared }
                return prepared
            }
            state.withLock { state in
                state.figures.commits += 1
                Self.apply(prepared, to: &state)
            }
            return prepared.batch.outcome
        } catch {
            let isUnknown = (error as? PostgresError)?.consequence == .unknown
            let prepared = written.withLock { $0 }
            state.withLock { state in
                if isUnknown { state.figures.unknownCommits += 1 } else { state.figures.failedCommits += 1 }
                guard isUnknown, let prepared else { return }
                state.unresolved = Unresolved(records: records, prepared: prepared)
            }
            throw error
        }
    }

    private func prepare(
        _ records: [StoreRecord],
        _ start: (writer: RecordWriter, fence: CallFence, sequence: Int64, receivedAt: Int64),
        _ reportsChanges: Bool, _ uptime: Duration, _ session: PostgresSession
    ) throws -> Prepared {
        let instance = start.writer.instance
        let version = try SampleLog.requireAlive(instance, session)
        var (writer, fence) = (start.writer, start.fence)
        let moved = try fence.moved(in: records, from: node, version, session)
        let own = moved.isEmpty ? records : records.filter { !moved.contains($0) }
        var batch = RecordWriter.Batch(
            receivedAt: start.receivedAt, reportsChanges: reportsChanges,
            result: { [weak self] sample, flow, observer, event, others in
                self?.state.withLock { state in
                    state.minutes.result(
                        of: sample, flow: flow, observer: observer, event: event, after: others)
                } ?? .full
            })
        batch.outcome.moved = moved
        try writer.write(own, uptime: uptime, &batch, session)
        if !batch.samples.isEmpty {
            try SampleLog.append(
                SampleBatch.bytes(batch.samples, receivedAt: start.receivedAt), sequence: start.sequence,
                of: instance, session)
        }
        return Prepared(sequence: start.sequence, writer: writer, fence: fence, batch: batch)
    }

    /// What was prepared is committed; of a run that was declared dead since then someone else has the samples.
    private static func apply(_ prepared: Prepared, to state: inout State) {
        let instance = state.instance
        state.writer = prepared.writer
        state.writer.instance = instance
        // Of another run, too: that has another row, of another version, and what did not begin here is known by this alone.
        state.fence = prepared.fence
        for (session, touch) in prepared.batch.touched { state.touched[session, default: touch].add(touch) }
        guard prepared.hasSamples else { return }
        state.lastReceived = max(state.lastReceived, prepared.batch.receivedAt)
        guard prepared.instance == instance else {
            for entry in prepared.batch.samples {
                state.minutes.remember(
                    capturedAt: entry.sample.capturedAt, event: entry.event,
                    receivedAt: entry.sample.receivedAt)
            }
            return
        }
        state.sequence = max(state.sequence, prepared.sequence)
        for entry in prepared.batch.samples {
            _ = state.minutes.add(
                entry.sample, flow: entry.flow, observer: entry.observer, event: entry.event,
                position: prepared.sequence)
        }
    }

    package func rate(
        session: String, participant: String, _ rating: CallRating, at time: Double
    ) async throws -> Bool {
        try await changing { database in
            let row = try database.execute(
                """
                SELECT connections.id, connections.name FROM connections
                JOIN sessions ON sessions.id = connections.session
                WHERE sessions.name = $1 AND participant = $2 ORDER BY connections.id DESC LIMIT 1
                """, [.stored(session), .stored(participant)]
            ).first
            guard let row else { return false }
            let record = RatingRecord(connection: try row.value(1), rating: rating, time: time)
            guard RecordRules.canBeStored(.rating(record)) else { return false }
            try RatingRows.write(record, to: row.value(0), database)
            return true
        }
    }

    package func judge(_ session: UnjudgedSession, _ scores: [String: Double]) async throws {
        try await changing { database in
            let last = Int64(unixTime: session.lastTime)
            let rows = try database.execute(
                """
                SELECT ratings.connection, connections.name
                FROM ratings JOIN connections ON connections.id = ratings.connection
                JOIN sessions ON sessions.id = connections.session
                WHERE sessions.name = $1 AND sessions.last_at = $2
                """, [.stored(session.session), .int64(last)])
            for row in rows {
                let score = scores[try row.value(1)].flatMap { $0.isFinite ? min(max($0, 0), 100) : nil }
                try database.execute(
                    "UPDATE ratings SET judged = $1, judged_at = $2 WHERE connection = $3",
                    [.optional(score) { .double($0) }, .int64(last), .int64(try row.value(0))])
            }
        }
    }

    /// Changes something, as a transaction, between what is written.
    func changing<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        try await writing.take { [log] in try await log.transaction(body) }
    }
}

extension SQLState {
    /// What a row refers to is not there.
    fileprivate static let foreignKeyViolation = Self("23503")
}
