// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB
import SessionWire

extension BatchWriter {
    mutating func writeLifecycle(_ record: StoreRecord, _ database: Database) throws {
        switch record {
        case .session(let name, let kind, let createdAt):
            let time = Int64(unixTime: createdAt)
            sessions[name] = try Row.fetchOne(
                database,
                sql: """
                    INSERT INTO sessions (name, media_mode, created_at, last_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE
                    SET media_mode = excluded.media_mode, ended_at = NULL, may_return = 0,
                        last_at = max(last_at, excluded.last_at)
                    RETURNING id
                    """, arguments: [name, kind.name, time, time])?.key("id")
        case .sessionEnded(let name, let time, let mayReturn):
            let time = Int64(unixTime: time)
            try database.execute(
                sql: """
                    UPDATE sessions SET ended_at = ?, last_at = max(last_at, ?), may_return = ? WHERE name = ?
                    """, arguments: [time, time, mayReturn, name])
            try RatingRow.judgeAgain("SELECT id FROM sessions WHERE name = ?", [name], database)
            sessions[name] = nil
        case .callEnded(let name, let time):
            try database.execute(
                sql: """
                    INSERT INTO ended_calls (name, ended_at) VALUES (?, ?)
                    ON CONFLICT (name) DO UPDATE SET ended_at = max(ended_at, excluded.ended_at)
                    """, arguments: [name, Int64(unixTime: time)])
        case .restorationOver:
            try database.execute(
                sql: "UPDATE sessions SET may_return = 0 WHERE may_return AND ended_at IS NOT NULL")
        case .connection(let connection): try write(connection, database)
        case .connectionLeft(let name, let time, let reason):
            try database.execute(
                sql: "UPDATE connections SET left_at = ?, reason = ? WHERE name = ?",
                arguments: [Int64(unixTime: time), reason.name, name])
            connections[name] = nil
        case .stream(let stream): try write(stream, database)
        case .streamEnded(let name, let time, let reason):
            try database.execute(
                sql: "UPDATE streams SET ended_at = ?, reason = ? WHERE name = ?",
                arguments: [Int64(unixTime: time), reason.name, name])
        case .flow(let flow): try write(flow, database)
        case .flowEnded(let key, let time):
            let flow = try flow(key, database)
            try database.execute(
                sql: "UPDATE flows SET ended_at = ? WHERE id = ?",
                arguments: [Int64(unixTime: time), flow.id])
            detector.end(flow: flow.id)
            connections[key.connection]?.flows[key.number] = nil
        case .sample, .event, .report, .rating: break
        }
    }

    private mutating func write(_ record: ConnectionRecord, _ database: Database) throws {
        let row = try Row.fetchOne(
            database,
            sql: """
                INSERT INTO connections (session, name, participant, display_name, role, client, joined_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET left_at = NULL, reason = NULL,
                    client = coalesce(excluded.client, client)
                RETURNING id, name, participant
                """,
            arguments: [
                try session(record.session, database), record.name, record.participant, record.displayName,
                record.role.rawValue, record.client, Int64(unixTime: record.joinedAt),
            ])
        if let row { remember(record.name, row) }
    }

    private mutating func write(_ record: StreamRecord, _ database: Database) throws {
        let content = record.content
        try database.execute(
            sql: """
                INSERT INTO streams (session, connection, name, display_name, has_audio, has_video, video_type,
                    width, height, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET display_name = excluded.display_name,
                    has_audio = excluded.has_audio, has_video = excluded.has_video,
                    video_type = excluded.video_type, width = excluded.width, height = excluded.height,
                    ended_at = NULL, reason = NULL
                    -- Not what belonged to someone whose data was deleted.
                    WHERE connection IS NOT NULL
                """,
            arguments: [
                try session(record.session, database),
                try record.connection.map { try connection($0, database).id }, record.name,
                content.name, content.hasAudio, content.hasVideo, content.videoType.name,
                content.videoDimensions?.width, content.videoDimensions?.height,
                Int64(unixTime: record.createdAt),
            ])
    }

    private mutating func write(_ record: FlowRecord, _ database: Database) throws {
        let session = try session(record.session, database)
        let connection = try connection(record.key.connection, database)
        let row = try Row.fetchOne(
            database,
            sql: """
                INSERT INTO flows (session, connection, stream, number, role, created_at)
                SELECT ?, ?, streams.id, ?, ?, ? FROM streams WHERE name = ?
                ON CONFLICT (connection, number) DO UPDATE SET ended_at = NULL
                RETURNING id
                """,
            arguments: [
                session, connection.id, record.key.number, record.role.name,
                Int64(unixTime: record.createdAt), record.stream,
            ])
        guard let id = row?.key("id") else { throw Missing() }
        connections[record.key.connection]?.flows[record.key.number] = Flow(
            id: id, session: session, sender: connection.sender,
            description: .init(
                session: record.session, connection: record.key.connection, stream: record.stream,
                role: record.role))
    }
}
