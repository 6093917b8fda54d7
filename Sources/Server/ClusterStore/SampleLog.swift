// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import PostgresClient

/// The log that acknowledges what a node stores: batches in the order of their numbers, for each run of a node.
///
/// What is in it survives its node. A node says up to which number it needs nothing of it any more; of one that is declared
/// dead exactly one other reads what is left. All times are those of PostgreSQL.
package enum SampleLog {
    /// A run of a node.
    package struct Instance: Sendable, Hashable {
        /// Given by the database, each once.
        package let number: Int64

        /// Names one.
        package init(number: Int64) { self.number = number }
    }

    /// How the row of a run is: another one after each change of it.
    package struct Version: Sendable, Hashable {
        fileprivate let text: String
    }

    /// This run was declared dead, and what it had not put elsewhere has been read by another one.
    package struct DeclaredDead: Error, Equatable {}

    /// Begins a run of a node.
    ///
    /// - Throws: `PostgresError`.
    package static func begin(node: String, _ session: PostgresSession) throws -> Instance {
        let row = try session.execute(
            "INSERT INTO instances (node) VALUES ($1) RETURNING instance", [.text(node)])
        guard let number: Int64 = try row.first?.value(0) else { throw DeclaredDead() }
        return Instance(number: number)
    }

    /// Gives a number to a run that is still to begin, by which can be seen later whether it has.
    ///
    /// - Throws: `PostgresError`.
    package static func reserve(_ session: PostgresSession) throws -> Instance? {
        try session.execute("SELECT nextval(pg_get_serial_sequence('instances', 'instance'))").first.map {
            Instance(number: try $0.value(0))
        }
    }

    /// Begins a run that has its number already, unless it has begun.
    ///
    /// - Throws: `PostgresError`.
    package static func begin(_ instance: Instance, node: String, _ session: PostgresSession) throws {
        try session.execute(
            """
            INSERT INTO instances (instance, node) OVERRIDING SYSTEM VALUE VALUES ($1, $2)
            ON CONFLICT (instance) DO NOTHING
            """, [.int64(instance.number), .text(node)])
    }

    /// Has only one server at a time begin a run of a node; in a transaction.
    ///
    /// - Throws: `PostgresError`.
    package static func lock(node: String, _ session: PostgresSession) throws {
        try session.execute("SELECT pg_advisory_xact_lock(x'53474854'::int, hashtext($1))", [.text(node)])
    }

    /// Appends a batch.
    ///
    /// In a transaction: whoever declares the run dead waits for its end, and finds the batch or prevents it.
    ///
    /// - Parameters:
    ///   - sequence: One more than that of the batch before.
    ///   - isRepeated: Whether it may be there already, since no one knows what happened to it.
    /// - Throws: ``DeclaredDead``, or `PostgresError`.
    package static func append(
        _ data: [UInt8], sequence: Int64, of instance: Instance, repeating isRepeated: Bool = false,
        _ session: PostgresSession
    ) throws {
        try requireAlive(instance, session)
        if isRepeated, try contains(sequence, of: instance, session) { return }
        try session.execute(
            "INSERT INTO sample_log (instance, seq, at, data) VALUES ($1, $2, now(), $3)",
            [.int64(instance.number), .int64(sequence), .bytes(data)])
    }

    /// Has whoever declares the run dead, or takes an observed call of its node, wait for the end of the transaction.
    ///
    /// - Returns: How its row is meanwhile.
    /// - Throws: ``DeclaredDead``, or `PostgresError`.
    @discardableResult
    package static func requireAlive(_ instance: Instance, _ session: PostgresSession) throws -> Version {
        let row = try session.execute(
            "SELECT xmin::text FROM instances WHERE instance = $1 AND recovered_by IS NULL FOR SHARE",
            [.int64(instance.number)]
        ).first
        guard let row else { throw DeclaredDead() }
        return Version(text: try row.value(0))
    }

    /// Waits until the runs of a node have committed what they add to an observed call, and has them look for it before they add more;
    /// first of all in the transaction that gives it to another node, since commits change what it changes after that.
    ///
    /// Nothing is done for a session of the server's own, which waits for no one.
    ///
    /// - Throws: `PostgresError`.
    static func fence(_ call: String, of node: String, _ session: PostgresSession) throws {
        // A node that begins another run changes it, so that none is overlooked.
        try session.execute("SELECT 1 FROM nodes WHERE name = $1 FOR SHARE", [.text(node)])
        try session.execute(
            """
            UPDATE instances SET node = node WHERE node = $1 AND recovered_by IS NULL
                AND NOT EXISTS (SELECT FROM sessions WHERE name = $2 AND media_mode <> $3)
            """, [.text(node), .stored(call), .text(SessionKind.observed.name)])
    }

    /// Has no one recover the runs of a node until the end of the transaction, for one that takes an observed call of it.
    ///
    /// Whoever recovers them has their rows for as long as it takes to put all that they have logged elsewhere, and a session of the
    /// server's own waits for none of that.
    ///
    /// - Returns: Whether no one does just now.
    /// - Throws: `PostgresError`.
    static func holdOffRecovery(
        of node: String, for call: String, _ session: PostgresSession
    ) throws -> Bool {
        try session.execute(
            """
            SELECT CASE WHEN EXISTS (SELECT FROM sessions WHERE name = $2 AND media_mode <> $3) THEN true
                ELSE pg_try_advisory_xact_lock_shared(\(recoveryLock)) END
            """, [.text(node), .stored(call), .text(SessionKind.observed.name)]
        ).first?.value(0) ?? false
    }

    /// Has no one take observed calls of a node until the end of the transaction, in which its runs are recovered.
    ///
    /// - Returns: Whether no one takes or recovers just now.
    /// - Throws: `PostgresError`.
    static func beginRecovery(of node: String, _ session: PostgresSession) throws -> Bool {
        try session.execute("SELECT pg_try_advisory_xact_lock(\(recoveryLock))", [.text(node)])
            .first?.value(0) ?? false
    }

    /// Of the node `$1`.
    private static let recoveryLock = "x'53474855'::int, hashtext($1)"

    /// Whether a batch is there.
    ///
    /// - Throws: `PostgresError`.
    package static func contains(
        _ sequence: Int64, of instance: Instance, _ session: PostgresSession
    ) throws -> Bool {
        try session.execute(
            "SELECT 1 FROM sample_log WHERE instance = $1 AND seq = $2",
            [.int64(instance.number), .int64(sequence)]
        ).count > 0
    }

    /// Says that nothing up to a batch is needed any more; never goes back.
    ///
    /// In the transaction that puts it elsewhere, and last in it: appends of this run wait for its end.
    ///
    /// - Throws: ``DeclaredDead``, or `PostgresError`.
    package static func advance(_ instance: Instance, to sequence: Int64, _ session: PostgresSession) throws {
        let changed = try session.execute(
            """
            UPDATE instances SET flushed_seq = greatest(flushed_seq, $2), flushes = flushes + 1
            WHERE instance = $1 AND recovered_by IS NULL
            """, [.int64(instance.number), .int64(sequence)])
        guard changed.changes == 1 else { throw DeclaredDead() }
    }

    /// Gives what a run has left, batch by batch in their order, and each once.
    ///
    /// - Throws: `PostgresError`, or what `take` throws.
    package static func readTail(
        of instance: Instance, after sequence: Int64, _ session: PostgresSession,
        _ take: (_ sequence: Int64, _ data: [UInt8]) throws -> Void
    ) throws {
        var last = sequence
        try session.forEach(
            "SELECT seq, data FROM sample_log WHERE instance = $1 AND seq > $2 ORDER BY seq",
            [.int64(instance.number), .int64(sequence)]
        ) { row in
            let sequence: Int64 = try row.value(0)
            guard sequence > last else { return }
            last = sequence
            try take(sequence, row.value(1))
        }
    }
}

// MARK: - Recovery

extension SampleLog {
    /// Declares a run dead, for one that will read what is left of it: at most one of all who try, unless that one is
    /// declared dead itself before it is done.
    ///
    /// Whether the run is dead is the caller's to know.
    ///
    /// - Returns: Up to which batch nothing is needed; `nil` if someone else has taken it over, or it is recovered.
    /// - Throws: `PostgresError`.
    package static func takeOver(
        _ dead: Instance, by recoverer: Instance, _ session: PostgresSession
    ) throws -> Int64? {
        guard dead != recoverer else { return nil }
        let taken = try session.execute(
            """
            UPDATE instances SET recovered_by = $2
            WHERE instance = $1 AND recovered_at IS NULL AND (recovered_by IS NULL OR EXISTS (
                SELECT 1 FROM instances AS other
                WHERE other.instance = instances.recovered_by AND other.recovered_by IS NOT NULL))
            RETURNING flushed_seq
            """, [.int64(dead.number), .int64(recoverer.number)])
        return try taken.first?.value(0)
    }

    /// Says that all of a dead run is elsewhere; in the transaction that puts it there.
    ///
    /// - Throws: ``DeclaredDead`` if the recoverer does not have it any more, or `PostgresError`.
    package static func finish(_ dead: Instance, by recoverer: Instance, _ session: PostgresSession) throws {
        let done = try session.execute(
            """
            UPDATE instances SET recovered_at = now()
            WHERE instance = $1 AND recovered_by = $2 AND recovered_at IS NULL
            """, [.int64(dead.number), .int64(recoverer.number)])
        guard done.changes == 1 else { throw DeclaredDead() }
    }
}
