// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import GRDB

/// The tables.
///
/// The file names their version. One of before 0.2.0 (7), or of a later program, is refused, neither changed nor moved; those
/// since are brought up to date when they are opened (`Docs/compatibility.md`): they get the columns of figures that came later.
enum StoreSchema {
    /// `SGHT`: distinguishes a store from other programs' databases.
    static let application: Int64 = 0x5347_4854
    /// Goes up with every change to the tables that an older program could not live with.
    static let version: Int64 = 7

    /// Makes the tables if the file is empty.
    ///
    /// - Returns: Whether it was.
    /// - Throws: ``SQLiteCallStore/OpenError`` if it is not empty and is not a store of this version.
    static func prepare(_ database: Database) throws -> Bool {
        let application = try number("PRAGMA application_id", database)
        let version = try number("PRAGMA user_version", database)
        let objects = try number("SELECT count(*) FROM sqlite_master", database)
        if objects == 0, application == 0, version == 0 {
            try make(database)
            return true
        }
        guard application == Self.application else {
            throw SQLiteCallStore.OpenError(
                description:
                    "it is another program's database, or of an early trial version; name another file")
        }
        guard version == Self.version else {
            let maker = version > Self.version ? "a newer" : "an older"
            throw SQLiteCallStore.OpenError(
                description:
                    "it was made by \(maker) version (its tables are version \(version), this program's "
                    + "\(Self.version)); use that version, or move the file away to begin with an empty store"
            )
        }
        try addFigures(database)
        return false
    }

    /// Adds the columns that the program which made the file did not have; it finds its own by their names still.
    private static func addFigures(_ database: Database) throws {
        let found = try Row.fetchAll(database, sql: "SELECT name FROM pragma_table_info('samples')")
        let names = Set(found.compactMap { $0.text(at: 0) })
        for column in SampleColumns.all where !names.contains(column.name) {
            // Without its bounds, for which every row would be read; whoever writes keeps them.
            try database.execute(sql: "ALTER TABLE samples ADD COLUMN \(column.name) INTEGER")
        }
    }

    private static func make(_ database: Database) throws {
        for sql in [calls, samples, judgements, RatingRow.schema] { try database.execute(sql: sql) }
        try database.execute(sql: "PRAGMA application_id = \(application); PRAGMA user_version = \(version)")
    }

    private static func number(_ sql: String, _ database: Database) throws -> Int64 {
        try Row.fetchOne(database, sql: sql)?.integer(at: 0) ?? 0
    }

    /// A time that can be.
    static func time(_ column: String) -> String {
        "CHECK (\(column) BETWEEN 0 AND \(Int64.latestUnixTime))"
    }

    /// Who was there.
    ///
    /// Times are Unix ms by the server's clock.
    private static let calls = """
        CREATE TABLE sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 128),
            media_mode TEXT NOT NULL CHECK (media_mode IN ('relayed', 'routed', 'adaptive', 'observed')),
            created_at INTEGER NOT NULL \(time("created_at")),
            ended_at INTEGER \(time("ended_at")),
            last_at INTEGER NOT NULL \(time("last_at")),
            worst INTEGER CHECK (worst BETWEEN 1 AND 5),
            -- Whether it ended with its server, and its clients may open it again on the next one.
            may_return INTEGER NOT NULL DEFAULT 0 CHECK (may_return IN (0, 1))
        ) STRICT;
        CREATE INDEX sessions_created ON sessions (created_at, id);
        CREATE INDEX sessions_may_return ON sessions (id) WHERE may_return;

        CREATE TABLE connections (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
            name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 128),
            participant TEXT CHECK (length(participant) <= 128),
            display_name TEXT CHECK (length(display_name) <= 128),
            role TEXT NOT NULL CHECK (role IN ('subscriber', 'publisher', 'moderator')),
            client TEXT CHECK (length(client) <= 128),
            joined_at INTEGER NOT NULL \(time("joined_at")),
            left_at INTEGER \(time("left_at")),
            reason TEXT
        ) STRICT;
        CREATE INDEX connections_session ON connections (session);
        CREATE INDEX connections_participant ON connections (participant) WHERE participant IS NOT NULL;

        CREATE TABLE streams (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
            connection INTEGER REFERENCES connections ON DELETE SET NULL,
            name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 128),
            display_name TEXT CHECK (length(display_name) <= 128),
            has_audio INTEGER NOT NULL CHECK (has_audio IN (0, 1)),
            has_video INTEGER NOT NULL CHECK (has_video IN (0, 1)),
            video_type TEXT NOT NULL,
            width INTEGER CHECK (width > 0),
            height INTEGER CHECK (height > 0),
            created_at INTEGER NOT NULL \(time("created_at")),
            ended_at INTEGER \(time("ended_at")),
            reason TEXT
        ) STRICT;
        CREATE INDEX streams_session ON streams (session);
        CREATE INDEX streams_connection ON streams (connection);

        -- One stream at one connection: its publication, or a subscription to it.
        CREATE TABLE flows (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
            connection INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
            stream INTEGER NOT NULL REFERENCES streams ON DELETE CASCADE,
            number INTEGER NOT NULL,
            role TEXT NOT NULL CHECK (role IN ('publisher', 'subscriber')),
            created_at INTEGER NOT NULL \(time("created_at")),
            ended_at INTEGER \(time("ended_at")),
            UNIQUE (connection, number)
        ) STRICT;
        CREATE INDEX flows_session ON flows (session);
        CREATE INDEX flows_stream ON flows (stream);

        -- Observed calls that the application has ended: tokens that were made by then add no more to them.
        CREATE TABLE ended_calls (
            name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 128),
            ended_at INTEGER NOT NULL \(time("ended_at"))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX ended_calls_ended ON ended_calls (ended_at);
        """

    /// What was measured, in the order in which it came.
    ///
    /// `event` is 64 bits of the event's id and its sender: with the time of capture it identifies
    /// duplicates, and keeps the index growing at its end.
    private static let samples = """
        CREATE TABLE samples (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            flow INTEGER NOT NULL REFERENCES flows ON DELETE CASCADE,
            observer INTEGER NOT NULL CHECK (observer IN (0, 1)),
            time INTEGER NOT NULL \(time("time")),
            captured_at INTEGER NOT NULL \(time("captured_at")),
            event INTEGER NOT NULL,
            \(SampleRow.schema)
        ) STRICT;
        CREATE UNIQUE INDEX samples_event ON samples (captured_at, event);
        CREATE INDEX samples_flow ON samples (flow, time);

        CREATE TABLE events (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
            connection INTEGER REFERENCES connections ON DELETE CASCADE,
            flow INTEGER REFERENCES flows ON DELETE CASCADE,
            time INTEGER NOT NULL \(time("time")),
            captured_at INTEGER NOT NULL \(time("captured_at")),
            event INTEGER NOT NULL,
            type TEXT NOT NULL CHECK (length(type) BETWEEN 1 AND 128),
            is_alarm INTEGER NOT NULL CHECK (is_alarm IN (0, 1)),
            detail TEXT NOT NULL CHECK (json_valid(detail))
        ) STRICT;
        CREATE UNIQUE INDEX events_event ON events (captured_at, event);
        CREATE INDEX events_session ON events (session, time);
        CREATE INDEX events_connection ON events (connection) WHERE connection IS NOT NULL;
        CREATE INDEX events_flow ON events (flow) WHERE flow IS NOT NULL;

        CREATE TABLE reports (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            flow INTEGER NOT NULL REFERENCES flows ON DELETE CASCADE,
            time INTEGER NOT NULL \(time("time")),
            captured_at INTEGER NOT NULL \(time("captured_at")),
            event INTEGER NOT NULL,
            report BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX reports_event ON reports (captured_at, event);
        CREATE INDEX reports_flow ON reports (flow, time);
        """

    /// What follows from the samples.
    private static let judgements = """
        -- Sums of a minute's samples; `bad` are those with a condition of fair or worse, freezes and pauses are the
        -- flow's totals at its end.
        CREATE TABLE minutes (
            flow INTEGER NOT NULL REFERENCES flows ON DELETE CASCADE,
            observer INTEGER NOT NULL CHECK (observer IN (0, 1)),
            minute INTEGER NOT NULL CHECK (minute BETWEEN 0 AND \(Int64.latestMinute)),
            samples INTEGER NOT NULL CHECK (samples > 0),
            worst INTEGER CHECK (worst BETWEEN 1 AND 5),
            bad INTEGER NOT NULL, a_mos_sum INTEGER NOT NULL, a_mos_count INTEGER NOT NULL,
            v_mos_sum INTEGER NOT NULL, v_mos_count INTEGER NOT NULL, freezes INTEGER,
            freeze_ms INTEGER, pauses INTEGER, pause_ms INTEGER,
            PRIMARY KEY (flow, minute, observer)
        ) STRICT, WITHOUT ROWID;

        -- How many of a minute's samples have which condition (kind 0), blamed side (1) and cause (2).
        CREATE TABLE minute_counts (
            flow INTEGER NOT NULL,
            minute INTEGER NOT NULL,
            observer INTEGER NOT NULL,
            kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
            code INTEGER NOT NULL,
            samples INTEGER NOT NULL CHECK (samples > 0),
            PRIMARY KEY (flow, minute, observer, kind, code),
            FOREIGN KEY (flow, minute, observer) REFERENCES minutes ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE alerts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            flow INTEGER NOT NULL REFERENCES flows ON DELETE CASCADE,
            observer INTEGER NOT NULL CHECK (observer IN (0, 1)),
            side INTEGER NOT NULL CHECK (side IN (2, 3)),
            first_at INTEGER NOT NULL \(time("first_at")),
            last_at INTEGER NOT NULL \(time("last_at")) CHECK (last_at >= first_at),
            samples INTEGER NOT NULL CHECK (samples > 0),
            worst INTEGER NOT NULL CHECK (worst IN (1, 2)),
            reason INTEGER,
            source INTEGER,
            is_over INTEGER NOT NULL CHECK (is_over IN (0, 1)),
            UNIQUE (flow, observer, side, first_at)
        ) STRICT;
        CREATE INDEX alerts_first ON alerts (first_at, id);

        -- One row: the samples up to this one are in the minutes.
        CREATE TABLE progress (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            sample INTEGER NOT NULL
        ) STRICT;
        INSERT INTO progress (id, sample) VALUES (1, 0);
        """
}
