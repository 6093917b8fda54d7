// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import PostgresClient

/// The tables of a cluster, which only ``migrate(_:)`` makes and changes.
package enum ClusterSchema {
    /// What the tables are of this version.
    package static let version: Int64 = 4

    /// Why a node cannot use the tables that are there.
    package enum Mismatch: Error, Equatable, CustomStringConvertible {
        /// There are none, or those of an earlier version.
        case older(found: Int64)
        /// Those of a later version.
        case newer(found: Int64)

        package var description: String {
            switch self {
            case .older(let found):
                found == 0
                    ? "the database has no tables of Sightline: make them with sightline cluster migrate"
                    : "the database has version \(found) of the tables, and this needs \(version): bring them up to date with sightline cluster migrate, or name an empty database if they are of before 0.2.0"
            case .newer(let found):
                "the database has version \(found) of the tables, and this knows \(version): install a later version"
            }
        }
    }

    /// Only one migrates at a time.
    private static let lock: Int64 = 0x5347_4854_0001

    /// Makes the tables, or brings them to this version; does nothing to those that are.
    ///
    /// - Throws: ``Mismatch/newer(found:)``, or `PostgresError`.
    package static func migrate(_ session: PostgresSession) throws {
        try session.execute("SELECT pg_advisory_xact_lock($1)", [.int64(lock)])
        let found = try foundVersion(session)
        guard found <= version else { throw Mismatch.newer(found: found) }
        guard found < version else { return }
        // No release had an earlier version: what is there is its owner's to remove.
        guard found == 0 else { throw Mismatch.older(found: found) }
        for statement in statements + HistoryTables.statements { try session.execute(statement) }
        try session.execute("DELETE FROM schema_version")
        try session.execute("INSERT INTO schema_version VALUES ($1)", [.int64(version)])
    }

    /// Looks whether the tables are of this version.
    ///
    /// - Throws: ``Mismatch``, or `PostgresError`.
    package static func check(_ session: PostgresSession) throws {
        let found = try foundVersion(session)
        if found < version { throw Mismatch.older(found: found) }
        if found > version { throw Mismatch.newer(found: found) }
    }

    /// 0 if there are none.
    private static func foundVersion(_ session: PostgresSession) throws -> Int64 {
        let isThere = try session.execute("SELECT to_regclass('schema_version') IS NOT NULL").first
        guard try isThere?.value(0) ?? false else { return 0 }
        return try session.execute("SELECT version FROM schema_version").first?.value(0) ?? 0
    }

    private static let statements = [
        "CREATE TABLE schema_version (version bigint NOT NULL)",
        // Runs of nodes. Who is declared dead has its log read by another one, and may add nothing to it.
        """
        CREATE TABLE instances (
            instance bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            node text NOT NULL CHECK (octet_length(node) BETWEEN 1 AND 255),
            began_at timestamptz NOT NULL DEFAULT now(),
            flushed_seq bigint NOT NULL DEFAULT 0,
            -- How often what was logged has been put elsewhere.
            flushes bigint NOT NULL DEFAULT 0,
            recovered_by bigint REFERENCES instances,
            recovered_at timestamptz CHECK (recovered_at IS NULL OR recovered_by IS NOT NULL)
        ) WITH (fillfactor = 50)
        """,
        "CREATE INDEX instances_open ON instances (instance) WHERE recovered_at IS NULL",
        "CREATE INDEX instances_node ON instances (node)",
        // Nodes that clients are sent to. No foreign keys: who has a session may be gone for good.
        """
        CREATE TABLE nodes (
            name text PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 255),
            tag text NOT NULL UNIQUE,
            instance bigint NOT NULL,
            url text NOT NULL,
            internal_url text NOT NULL,
            load double precision NOT NULL DEFAULT 0,
            -- When it gives up what it still has; no new session begins there meanwhile.
            drain_at timestamptz,
            beat_at timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50)
        """,
        // Of sessions that are not where their names say, or whose names say nothing.
        """
        CREATE TABLE placements (
            session text PRIMARY KEY,
            owner text NOT NULL,
            epoch bigint NOT NULL,
            at timestamptz NOT NULL DEFAULT now()
        )
        """,
        "CREATE INDEX placements_at ON placements (at)",
        // By the clock of PostgreSQL, so that no node's is asked for. The bytes are compressed already, or too short for it.
        """
        CREATE TABLE sample_log (
            instance bigint NOT NULL,
            seq bigint NOT NULL,
            at timestamptz NOT NULL,
            data bytea NOT NULL,
            PRIMARY KEY (instance, seq, at)
        ) PARTITION BY RANGE (at)
        """,
        "ALTER TABLE sample_log ALTER COLUMN data SET STORAGE EXTERNAL",
    ]
}
