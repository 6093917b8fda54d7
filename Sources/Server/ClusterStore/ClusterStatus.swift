// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import PostgresClient

/// What a cluster's database says of it.
package struct ClusterStatus: Sendable, Equatable {
    /// A node by its last run.
    package struct Node: Sendable, Equatable {
        /// Its name.
        package var name: String
        /// The number of its last run.
        package var instance: Int64
        /// When that began, Unix ms.
        package var beganAt: Double
        /// Sessions that it has open, or had when it was last heard of.
        package var sessions: Int
        /// Batches in the log that are in no chunk yet.
        package var pendingBatches: Int
        /// Where clients reach it; `nil` if they are not sent to it.
        package var url: String?
        /// For how long it has said nothing; `nil` if it says nothing of itself.
        package var silence: Duration?
        /// In what time it gives up its sessions; `nil` if it is not drained.
        package var drainsIn: Duration?
    }

    /// Version of the tables.
    package var version: Int64
    /// Bytes of the database.
    package var bytes: Int64
    /// For how long there are tables that were made ahead, hours, of that which has the fewest.
    package var hoursLeft: Int64
    /// By their names.
    package var nodes: [Node]

    /// Asks the database.
    ///
    /// - Throws: ``ClusterSchema/Mismatch``, or `PostgresError`.
    package static func read(_ session: PostgresSession) throws -> Self {
        try ClusterSchema.check(session)
        let entered = Dictionary(try NodeTable.all(session).map { ($0.name, $0) }) { first, _ in first }
        let rows = try session.execute(
            """
            SELECT DISTINCT ON (node) node, instance, (extract(epoch FROM began_at) * 1000)::bigint,
                (SELECT count(*) FROM sessions
                    WHERE sessions.instance = instances.instance AND ended_at IS NULL),
                (SELECT count(DISTINCT seq) FROM sample_log
                    WHERE sample_log.instance = instances.instance AND seq > flushed_seq)
            FROM instances ORDER BY node, instance DESC
            """)
        return ClusterStatus(
            version: ClusterSchema.version,
            bytes: try session.execute("SELECT pg_database_size(current_database())").first?.value(0) ?? 0,
            hoursLeft: try Self.hoursLeft(session),
            nodes: try rows.map { row in
                let name: String = try row.value(0)
                return Node(
                    name: name, instance: try row.value(1), beganAt: try row.time(2),
                    sessions: try row.count(3), pendingBatches: try row.count(4), url: entered[name]?.url,
                    silence: entered[name]?.silence, drainsIn: entered[name]?.drainsIn)
            })
    }

    /// For how many hours more there are tables of every kind.
    static func hoursLeft(_ session: PostgresSession) throws -> Int64 {
        try min(
            LogPartitions.hoursLeft(session), MinutePartitions.chunks.daysLeft(session) * 24,
            MinutePartitions.minutes.daysLeft(session) * 24)
    }
}
