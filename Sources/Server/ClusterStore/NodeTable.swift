// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import PostgresClient

/// The nodes of a cluster that clients are sent to, in the database: who they are, and when each was last heard of.
package enum NodeTable {
    /// A node, with what the others have to know.
    package struct Node: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// What stands for it in the names of sessions.
        package var tag: String
        /// Where clients reach it.
        package var url: String
        /// Where the other nodes reach it.
        package var internalURL: String
        /// How much of what it can do it does, by the number in which nodes say that.
        package var load: Double
        /// For how long it has said nothing, by the clock of the database.
        package var silence: Duration
        /// In what time it gives up what it still has, and no new session begins there meanwhile; `nil` if it is not drained.
        package var drainsIn: Duration?
        /// Whether it has a run that ended in no order, or still runs: what that has logged may be in no chunk.
        package var isOpen: Bool
    }

    /// There are as many nodes as there are tags.
    package struct Full: Error, CustomStringConvertible {
        package var description: String {
            "the cluster has as many nodes as names of sessions can say; remove one"
        }
    }

    /// Only one node at a time looks for a tag.
    private static let lock: Int64 = 0x5347_4854_0002

    /// Adds a node, or one that was there before, under the same tag.
    ///
    /// - Parameter tags: Those there are, in the order in which they are taken.
    /// - Returns: Its tag.
    /// - Throws: ``Full``, or `PostgresError`.
    package static func enter(
        _ name: String, instance: SampleLog.Instance, url: String, internalURL: String, tags: [String],
        _ session: PostgresSession
    ) throws -> String {
        try session.execute("SELECT pg_advisory_xact_lock($1)", [.int64(lock)])
        let known = try session.execute("SELECT name, tag FROM nodes").map { row in
            (name: try row.value(0, as: String.self), tag: try row.value(1, as: String.self))
        }
        let taken = Set(known.map(\.tag))
        guard
            let tag = known.first(where: { $0.name == name })?.tag
                ?? tags.first(where: { !taken.contains($0) })
        else { throw Full() }
        try session.execute(
            """
            INSERT INTO nodes (name, tag, instance, url, internal_url) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (name) DO UPDATE SET instance = excluded.instance, url = excluded.url,
                internal_url = excluded.internal_url, load = 0, beat_at = now(), drain_at = NULL
            """,
            [.text(name), .text(tag), .int64(instance.number), .text(url), .text(internalURL)])
        return tag
    }

    /// Says that a node is there; nothing if another run has its name by now.
    ///
    /// - Returns: Whether the name is still this run's.
    /// - Throws: `PostgresError`.
    package static func beat(
        _ name: String, instance: SampleLog.Instance, load: Double, _ session: PostgresSession
    ) throws -> Bool {
        try session.execute(
            "UPDATE nodes SET beat_at = clock_timestamp(), load = $3 WHERE name = $1 AND instance = $2",
            [.text(name), .int64(instance.number), .double(load)]
        ).changes == 1
    }

    /// Says that a node continues as another run.
    ///
    /// - Throws: `PostgresError`.
    static func `continue`(
        _ name: String, as next: SampleLog.Instance, after former: SampleLog.Instance,
        _ session: PostgresSession
    ) throws {
        try session.execute(
            "UPDATE nodes SET instance = $3 WHERE name = $1 AND instance = $2",
            [.text(name), .int64(former.number), .int64(next.number)])
    }

    /// Whether a node has said nothing for longer than a time, by the clock of the database, or is not known; a beat of it waits
    /// for the end of the transaction.
    ///
    /// - Throws: `PostgresError`.
    static func isSilent(_ name: String, after silence: Duration, _ session: PostgresSession) throws -> Bool {
        try session.execute(
            """
            SELECT clock_timestamp() - beat_at > $2 * interval '1 millisecond' FROM nodes
            WHERE name = $1 FOR SHARE
            """, [.text(name), .double(silence.milliseconds)]
        ).first?.value(0) ?? true
    }

    /// Says that a node is gone, so that no one waits for its silence.
    ///
    /// - Throws: `PostgresError`.
    package static func leave(
        _ name: String, instance: SampleLog.Instance, _ session: PostgresSession
    ) throws {
        try session.execute(
            "UPDATE nodes SET beat_at = to_timestamp(0) WHERE name = $1 AND instance = $2",
            [.text(name), .int64(instance.number)])
    }

    /// Has a node give up its sessions after a time, until it is started again.
    ///
    /// - Returns: Whether there is one of that name.
    /// - Throws: `PostgresError`.
    package static func drain(_ name: String, within time: Duration, _ session: PostgresSession) throws
        -> Bool
    {
        try session.execute(
            "UPDATE nodes SET drain_at = clock_timestamp() + $2 * interval '1 millisecond' WHERE name = $1",
            [.text(name), .double(time.milliseconds)]
        ).changes == 1
    }

    /// All nodes.
    ///
    /// - Throws: `PostgresError`.
    package static func all(_ session: PostgresSession) throws -> [Node] {
        try session.execute(
            """
            SELECT name, tag, url, internal_url, load,
                (extract(epoch FROM clock_timestamp() - beat_at) * 1000)::bigint,
                (extract(epoch FROM drain_at - clock_timestamp()) * 1000)::bigint,
                EXISTS (SELECT 1 FROM instances WHERE node = name AND recovered_at IS NULL)
            FROM nodes ORDER BY name
            """
        ).map { row in
            Node(
                name: try row.value(0), tag: try row.value(1), url: try row.value(2),
                internalURL: try row.value(3), load: try row.value(4),
                silence: .milliseconds(try row.value(5, as: Int64.self)),
                drainsIn: try row.optional(6, as: Int64.self).map { .milliseconds($0) },
                isOpen: try row.value(7))
        }
    }
}
