// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient

/// Which node has the sessions that are not where their names say, in the database.
package enum PlacementTable {
    /// Who has a session.
    package struct Placement: Sendable, Hashable {
        /// The node's name.
        package var owner: String
        /// How often it was taken over; 0 if it began there.
        package var epoch: Int64

        /// Names one.
        package init(owner: String, epoch: Int64) {
            self.owner = owner
            self.epoch = epoch
        }
    }

    /// The outcome of a takeover.
    package enum Takeover: Sendable, Equatable {
        /// The session is the new owner's, or someone else's who was first.
        case owned(by: String)
        /// The node is there after all.
        case alive
        /// What the node has logged is put into the history just now, for which no one waits: its observed calls are taken afterwards.
        case recovering
        /// The store has the session as one that has ended.
        case over
    }

    /// How a session may be opened again.
    package enum Return: Sendable, Equatable {
        /// Its clients may come back; how media flows, if the store knows it.
        case open(MediaMode?)
        /// It is a call of an app's own, which its next report begins again.
        case observed
        /// It has ended.
        case over
    }

    /// For how long one is kept that no one renews: no token lets anyone in for longer.
    private static let age = "31 days"

    /// Who has a session; `nil` if it is where its name says.
    ///
    /// - Throws: `PostgresError`.
    package static func find(_ name: String, _ session: PostgresSession) throws -> Placement? {
        try session.execute("SELECT owner, epoch FROM placements WHERE session = $1", [.stored(name)]).first
            .map {
                Placement(owner: try $0.value(0), epoch: try $0.value(1))
            }
    }

    /// Notes where a session of a name begins that says nothing of it, unless it is noted already.
    ///
    /// - Returns: Who has it.
    /// - Throws: `PostgresError`.
    package static func begin(_ name: String, at node: String, _ session: PostgresSession) throws -> String {
        let row = try session.execute(
            """
            INSERT INTO placements (session, owner, epoch) VALUES ($1, $2, 0)
            ON CONFLICT (session) DO UPDATE SET at = now() RETURNING owner
            """, [.stored(name), .text(node)]
        ).first
        return try row?.value(0) ?? node
    }

    /// Gives a dead node's session to another one: of those who try, one does.
    ///
    /// - Parameters:
    ///   - dead: Who has it. It must have been silent, by the clock of the database, for longer than `silence`, and a beat of it that
    ///     comes meanwhile waits for the end of the transaction.
    ///   - isBegun: Whether the application begins it again, so that it may have ended.
    /// - Throws: `PostgresError`.
    package static func takeOver(
        _ name: String, from dead: String, to node: String, after silence: Duration, isBegun: Bool = false,
        _ session: PostgresSession
    ) throws -> Takeover {
        guard try NodeTable.isSilent(dead, after: silence, session) else { return .alive }
        if !isBegun {
            guard case .open = try state(of: name, session) else { return .over }
        }
        guard try SampleLog.holdOffRecovery(of: dead, for: name, session) else { return .recovering }
        guard try move(name, from: dead, to: node, session) else {
            return .owned(by: try find(name, session)?.owner ?? node)
        }
        return .owned(by: node)
    }

    /// Gives a node's session to another one, as a transaction, and ends what was open of it: who does not come back has left.
    ///
    /// Of an observed call, what its node has committed is in its log from then on, and it adds nothing more.
    ///
    /// - Returns: Whether it was the node's.
    /// - Throws: `PostgresError`.
    package static func move(
        _ name: String, from node: String, to other: String, _ session: PostgresSession
    ) throws -> Bool {
        try SampleLog.fence(name, of: node, session)
        let changes = try session.execute(
            """
            INSERT INTO placements (session, owner, epoch) VALUES ($1, $2, 1)
            ON CONFLICT (session) DO UPDATE SET owner = excluded.owner, epoch = placements.epoch + 1, at = now()
            WHERE placements.owner = $3
            """, [.stored(name), .text(other), .text(node)]
        ).changes
        guard changes == 1 else { return false }
        try ClusterHistory.endLives(ofSession: name, session)
        return true
    }

    /// Notes sessions of chosen names that are at a node and were begun while no one could note it, unless another node has noted them.
    ///
    /// - Throws: `PostgresError`.
    package static func claim(_ names: [String], by node: String, _ session: PostgresSession) throws {
        guard !names.isEmpty else { return }
        try session.execute(
            """
            INSERT INTO placements (session, owner, epoch) SELECT name, $2, 0 FROM unnest($1::text[]) AS name
            WHERE NOT EXISTS (SELECT FROM placements WHERE session = name) ON CONFLICT DO NOTHING
            """, [.texts(names.map(StoredText.of)), .text(node)])
    }

    /// Whether the clients of a session may come back to it; an observed call has none.
    ///
    /// - Parameter node: The one at which it has ended, which may not be stored yet; what another one has begun since is open all the
    ///   same. `nil` if it has at none.
    /// - Throws: `PostgresError`.
    package static func state(
        of name: String, endedAt node: String? = nil, _ session: PostgresSession
    ) throws -> Return {
        let row = try session.execute(
            """
            SELECT media_mode, (ended_at IS NULL OR may_return)
                AND NOT EXISTS (SELECT FROM instances WHERE instance = sessions.instance AND node = $2)
            FROM sessions WHERE name = $1
            """, [.stored(name), .optional(node) { .text($0) }]
        ).first
        guard let row else { return node == nil ? .open(nil) : .over }
        let mode: String = try row.value(0)
        guard mode != SessionKind.observed.name else { return .observed }
        guard try row.value(1) else { return .over }
        return .open(MediaMode(rawValue: mode))
    }

    /// How long after its end a session may have samples that are in no minute of the tables: two minutes, and some more.
    private static let unsettled: Int64 = 180_000

    /// The node that has of a session what is in no minute of the tables; `nil` if all of it is there.
    ///
    /// - Throws: `PostgresError`.
    package static func holder(of name: String, _ session: PostgresSession) throws -> String? {
        try session.execute(
            """
            SELECT node FROM sessions JOIN instances USING (instance)
            WHERE name = $1
                AND (ended_at IS NULL OR ended_at > extract(epoch FROM now()) * 1000 - \(unsettled))
            """, [.stored(name)]
        ).first?.value(0)
    }

    /// Which of a node's sessions are another one's by now.
    ///
    /// - Throws: `PostgresError`.
    package static func lost(_ names: [String], by node: String, _ session: PostgresSession) throws
        -> [String]
    {
        try session.execute(
            "SELECT session FROM placements WHERE session = ANY($1) AND owner <> $2",
            [.texts(names.map(StoredText.of)), .text(node)]
        ).map { try $0.value(0) }
    }

    /// Most rows that are deleted at once: who waits for the connection does so for no longer than that takes.
    private static let portion = 1000

    /// Renews what is noted of a node's sessions, and deletes some of what no one has renewed for a month.
    ///
    /// - Returns: Whether there may be more of that.
    /// - Throws: `PostgresError`.
    package static func tidy(_ names: [String], of node: String, _ session: PostgresSession) throws -> Bool {
        try session.execute(
            "UPDATE placements SET at = now() WHERE session = ANY($1) AND owner = $2",
            [.texts(names.map(StoredText.of)), .text(node)])
        return try session.execute(
            """
            DELETE FROM placements WHERE session IN (
                SELECT session FROM placements WHERE at < now() - interval '\(age)' LIMIT \(portion))
            """
        ).changes == portion
    }
}
