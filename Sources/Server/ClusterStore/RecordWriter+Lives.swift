// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient
import SessionWire

extension RecordWriter {
    mutating func writeLifecycle(_ record: StoreRecord, _ session: PostgresSession) throws {
        switch record {
        case .session(let name, let kind, let createdAt):
            try writeSession(name, kind, Int64(unixTime: createdAt), session)
        case .sessionEnded(let name, let time, let mayReturn):
            try session.execute(
                """
                UPDATE sessions SET ended_at = $2, last_at = greatest(last_at, $2), may_return = $3
                WHERE name = $1 AND instance IN (\(Self.ownInstances(of: 4)))
                """, [.stored(name), .time(time), .bool(mayReturn), .int64(instance.number)])
            try RatingRows.judgeAgain("SELECT id FROM sessions WHERE name = $1", [.stored(name)], session)
            sessions[name] = nil
        case .callEnded(let name, let time):
            try session.execute(
                """
                INSERT INTO ended_calls (name, ended_at) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET ended_at = greatest(ended_calls.ended_at, excluded.ended_at),
                    at = excluded.at
                """, [.stored(name), .time(time)])
        case .restorationOver:
            try session.execute(
                """
                UPDATE sessions SET may_return = false WHERE may_return AND ended_at IS NOT NULL
                    AND instance IN (\(Self.ownInstances))
                """, [.int64(instance.number)])
        case .connection(let connection): try write(connection, session)
        case .connectionLeft(let name, let time, let reason):
            try session.execute(
                """
                UPDATE connections SET left_at = $2, reason = $3
                FROM sessions WHERE connections.name = $1 AND sessions.id = session
                    AND instance IN (\(Self.ownInstances(of: 4)))
                """, [.stored(name), .time(time), .text(reason.name), .int64(instance.number)])
            connections[name] = nil
        case .stream(let stream): try write(stream, session)
        case .streamEnded(let name, let time, let reason):
            try session.execute(
                """
                UPDATE streams SET ended_at = $2, reason = $3
                FROM sessions WHERE streams.name = $1 AND sessions.id = session
                    AND instance IN (\(Self.ownInstances(of: 4)))
                """, [.stored(name), .time(time), .text(reason.name), .int64(instance.number)])
        case .flow(let flow): try write(flow, session)
        case .flowEnded(let key, let time):
            let flow = try flow(key, session)
            try session.execute(
                "UPDATE flows SET ended_at = $2 WHERE id = $1", [.int64(flow.id), .time(time)])
            detector.end(flow: flow.id)
            connections[key.connection]?.flows[key.number] = nil
        case .sample, .event, .report, .rating: break
        }
    }

    /// All runs of the node of run `$1`.
    static let ownInstances = ownInstances(of: 1)

    /// All runs of the node of the run that a parameter names.
    ///
    /// What is another node's by now is no more for this one to end.
    private static func ownInstances(of parameter: Int) -> String {
        """
        SELECT other.instance FROM instances AS own JOIN instances AS other USING (node)
        WHERE own.instance = $\(parameter)
        """
    }

    private mutating func writeSession(
        _ name: String, _ kind: SessionKind, _ time: Int64, _ session: PostgresSession
    ) throws {
        sessions[name] = try session.execute(
            """
            INSERT INTO sessions (name, media_mode, created_at, last_at, instance)
            VALUES ($1, $2, $3, $3, $4)
            ON CONFLICT (name) DO UPDATE
            SET media_mode = excluded.media_mode, ended_at = NULL, may_return = false,
                last_at = greatest(sessions.last_at, excluded.last_at), instance = excluded.instance
            RETURNING id
            """, [.stored(name), .text(kind.name), .int64(time), .int64(instance.number)]
        ).first?.value(0)
    }

    private mutating func write(_ record: ConnectionRecord, _ session: PostgresSession) throws {
        let row = try session.execute(
            """
            INSERT INTO connections (session, name, participant, display_name, role, client, joined_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (name) DO UPDATE SET left_at = NULL, reason = NULL,
                client = coalesce(excluded.client, connections.client)
            RETURNING id, session, name, participant
            """,
            [
                .int64(try self.session(record.session, session)), .stored(record.name),
                .stored(record.participant), .stored(record.displayName), .text(record.role.rawValue),
                .stored(record.client), .time(record.joinedAt),
            ]
        ).first
        if let row { try remember(record.name, row) }
    }

    private mutating func write(_ record: StreamRecord, _ session: PostgresSession) throws {
        let content = record.content
        try session.execute(
            """
            INSERT INTO streams (session, connection, name, display_name, has_audio, has_video, video_type,
                width, height, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (name) DO UPDATE SET display_name = excluded.display_name,
                has_audio = excluded.has_audio, has_video = excluded.has_video,
                video_type = excluded.video_type, width = excluded.width, height = excluded.height,
                ended_at = NULL, reason = NULL
                -- Not what belonged to someone whose data was deleted.
                WHERE streams.connection IS NOT NULL
            """,
            [
                .int64(try self.session(record.session, session)),
                .optional(try record.connection.map { try connection($0, session).id }) { .int64($0) },
                .stored(record.name), .stored(content.name), .bool(content.hasAudio),
                .bool(content.hasVideo), .text(content.videoType.name),
                .optional(content.videoDimensions?.width) { .int64(Int64($0)) },
                .optional(content.videoDimensions?.height) { .int64(Int64($0)) }, .time(record.createdAt),
            ])
    }

    private mutating func write(_ record: FlowRecord, _ session: PostgresSession) throws {
        let owner = try self.session(record.session, session)
        let connection = try connection(record.key.connection, session)
        let row = try session.execute(
            """
            INSERT INTO flows (session, connection, stream, number, role, created_at)
            SELECT $1, $2, streams.id, $3, $4, $5 FROM streams WHERE name = $6
            ON CONFLICT (connection, number) DO UPDATE SET ended_at = NULL
            RETURNING id
            """,
            [
                .int64(owner), .int64(connection.id), .int64(record.key.number), .text(record.role.name),
                .time(record.createdAt), .stored(record.stream),
            ]
        ).first
        guard let row else { throw Missing() }
        connections[record.key.connection]?.flows[record.key.number] = Flow(
            id: try row.value(0), session: owner, sender: connection.sender,
            description: .init(
                session: record.session, connection: record.key.connection, stream: record.stream,
                role: record.role))
    }
}
