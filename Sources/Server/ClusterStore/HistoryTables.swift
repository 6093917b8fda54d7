// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

/// The tables of calls, as ``ClusterSchema`` makes them.
///
/// Times are Unix ms, minutes are counted since 1970.
enum HistoryTables {
    static let statements = lives + measurements + judgements

    /// Who was there.
    private static let lives = [
        """
        CREATE TABLE sessions (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            media_mode text NOT NULL,
            created_at bigint NOT NULL,
            ended_at bigint,
            last_at bigint NOT NULL,
            worst smallint,
            -- Whether it ended with its server, and its clients may open it again on the next one.
            may_return boolean NOT NULL DEFAULT false,
            -- The run of a node that has it open, or had it last.
            instance bigint NOT NULL REFERENCES instances
        ) WITH (fillfactor = 80)
        """,
        "CREATE INDEX sessions_created ON sessions (created_at, id)",
        "CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL",
        "CREATE INDEX sessions_open ON sessions (instance) WHERE ended_at IS NULL",
        "CREATE INDEX sessions_may_return ON sessions (id) WHERE may_return",
        """
        CREATE TABLE connections (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            session bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
            name text NOT NULL UNIQUE,
            participant text,
            display_name text,
            role text NOT NULL,
            client text,
            joined_at bigint NOT NULL,
            left_at bigint,
            reason text
        )
        """,
        "CREATE INDEX connections_session ON connections (session)",
        "CREATE INDEX connections_participant ON connections (participant) WHERE participant IS NOT NULL",
        """
        CREATE TABLE streams (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            session bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
            connection bigint REFERENCES connections ON DELETE SET NULL,
            name text NOT NULL UNIQUE,
            display_name text,
            has_audio boolean NOT NULL,
            has_video boolean NOT NULL,
            video_type text NOT NULL,
            width bigint,
            height bigint,
            created_at bigint NOT NULL,
            ended_at bigint,
            reason text
        )
        """,
        "CREATE INDEX streams_session ON streams (session)",
        "CREATE INDEX streams_connection ON streams (connection)",
        """
        CREATE TABLE flows (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            session bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
            connection bigint NOT NULL REFERENCES connections ON DELETE CASCADE,
            stream bigint NOT NULL REFERENCES streams ON DELETE CASCADE,
            number bigint NOT NULL,
            role text NOT NULL,
            created_at bigint NOT NULL,
            ended_at bigint,
            UNIQUE (connection, number)
        )
        """,
        "CREATE INDEX flows_session ON flows (session)",
        "CREATE INDEX flows_stream ON flows (stream)",
        // Empty for tokens of the API.
        """
        CREATE TABLE refused_tokens (
            session text NOT NULL, id text NOT NULL, expires_at bigint NOT NULL,
            -- For the other nodes, which look for what is new.
            at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (session, id)
        )
        """,
        "CREATE INDEX refused_tokens_at ON refused_tokens (at)",
        """
        CREATE TABLE ended_calls (
            name text PRIMARY KEY, ended_at bigint NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp()
        )
        """,
        "CREATE INDEX ended_calls_ended ON ended_calls (ended_at)",
        "CREATE INDEX ended_calls_at ON ended_calls (at)",
    ]

    /// What was measured: samples by the minute, each table of a time dropped whole; what is of no such time is in the rest.
    private static let measurements = [
        """
        CREATE TABLE chunks (
            flow bigint NOT NULL,
            -- When the first and the last of them came.
            first_at bigint NOT NULL,
            last_at bigint NOT NULL,
            minute int NOT NULL,
            observer smallint NOT NULL,
            samples smallint NOT NULL,
            data bytea NOT NULL,
            PRIMARY KEY (flow, minute, observer)
        ) PARTITION BY RANGE (minute)
        """,
        "ALTER TABLE chunks ALTER COLUMN data SET STORAGE EXTERNAL",
        "CREATE TABLE chunks_rest PARTITION OF chunks DEFAULT",
        """
        CREATE TABLE minutes (
            flow bigint NOT NULL,
            freezes bigint, freeze_ms bigint, pauses bigint, pause_ms bigint,
            minute int NOT NULL,
            a_mos_sum int NOT NULL, v_mos_sum int NOT NULL,
            samples smallint NOT NULL, bad smallint NOT NULL,
            a_mos_count smallint NOT NULL, v_mos_count smallint NOT NULL,
            observer smallint NOT NULL,
            worst smallint,
            -- Of each word its kind, its number and how many samples have it, as one number.
            counts bigint[] NOT NULL,
            PRIMARY KEY (flow, minute, observer)
        ) PARTITION BY RANGE (minute)
        """,
        "CREATE TABLE minutes_rest PARTITION OF minutes DEFAULT",
        """
        CREATE TABLE events (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            session bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
            connection bigint REFERENCES connections ON DELETE CASCADE,
            flow bigint REFERENCES flows ON DELETE CASCADE,
            time bigint NOT NULL,
            captured_at bigint NOT NULL,
            event bigint NOT NULL,
            type text NOT NULL,
            is_alarm boolean NOT NULL,
            detail jsonb NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX events_event ON events (captured_at, event)",
        "CREATE INDEX events_session ON events (session, id)",
        "CREATE INDEX events_connection ON events (connection) WHERE connection IS NOT NULL",
        "CREATE INDEX events_flow ON events (flow) WHERE flow IS NOT NULL",
        "CREATE INDEX events_time ON events USING brin (time)",
        """
        CREATE TABLE reports (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            flow bigint NOT NULL REFERENCES flows ON DELETE CASCADE,
            time bigint NOT NULL,
            captured_at bigint NOT NULL,
            event bigint NOT NULL,
            report bytea NOT NULL
        )
        """,
        "CREATE UNIQUE INDEX reports_event ON reports (captured_at, event)",
        "CREATE INDEX reports_flow ON reports (flow, id)",
        "CREATE INDEX reports_time ON reports USING brin (time)",
    ]

    /// What follows from the samples, and what people say.
    private static let judgements = [
        """
        CREATE TABLE alerts (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            flow bigint NOT NULL REFERENCES flows ON DELETE CASCADE,
            observer smallint NOT NULL,
            side smallint NOT NULL,
            first_at bigint NOT NULL,
            last_at bigint NOT NULL,
            samples bigint NOT NULL,
            worst smallint NOT NULL,
            reason smallint,
            source smallint,
            is_over boolean NOT NULL,
            instance bigint NOT NULL REFERENCES instances,
            UNIQUE (flow, observer, side, first_at)
        )
        """,
        "CREATE INDEX alerts_first ON alerts (first_at, id)",
        "CREATE INDEX alerts_open ON alerts (instance) WHERE NOT is_over",
        """
        CREATE TABLE ratings (
            connection bigint PRIMARY KEY REFERENCES connections ON DELETE CASCADE,
            score smallint NOT NULL,
            reason text,
            comment text,
            rated_at bigint NOT NULL,
            -- The score of the call for the participant by the rules, 0 to 100; NULL if nothing could be judged, or has been.
            judged double precision,
            -- When the session was last active as it was judged; NULL if that is due, also since more came of it.
            judged_at bigint
        )
        """,
        "CREATE INDEX ratings_rated ON ratings (rated_at, connection)",
        "CREATE INDEX ratings_unjudged ON ratings (connection) WHERE judged_at IS NULL",
    ]
}
