// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import GRDB

/// Ends what an earlier process left open, at the time at which it was last heard of.
enum StoreRecovery {
    /// Why what was open is said to have ended.
    static let reason = EndReason.serverLost.name

    static func run(_ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE connections SET reason = '\(reason)', left_at = max(joined_at,
                    (SELECT last_at FROM sessions WHERE sessions.id = session))
                WHERE left_at IS NULL;
                UPDATE streams SET reason = '\(reason)', ended_at = max(created_at,
                    (SELECT last_at FROM sessions WHERE sessions.id = session))
                WHERE ended_at IS NULL;
                UPDATE flows SET ended_at = max(created_at,
                    (SELECT last_at FROM sessions WHERE sessions.id = session))
                WHERE ended_at IS NULL;
                UPDATE sessions SET ended_at = last_at, may_return = 1 WHERE ended_at IS NULL;
                """)
    }
}
