// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import ClusterStore
import Foundation
import HistoryWriter
import PostgresClient
import SessionServer
import Synchronization

/// A million sessions in PostgreSQL, all of yesterday: what a page of today's waits, and what it costs to drop their samples.
struct MillionSessions {
    private static let sessions = 1_000_000
    private static let day = 86_400_000.0
    /// Between two commits of the node that writes while a day is dropped.
    private static let pause: Duration = .milliseconds(50)

    private let address: String
    private let connection: PostgresConnection
    /// Unix ms.
    private let midnight = (Date().timeIntervalSince1970 * 1000 / day).rounded(.down) * day

    init(_ address: String, _ connection: PostgresConnection) {
        self.address = address
        self.connection = connection
    }

    func rows() async throws -> [Row] {
        // The first hour of today, wherever today is by now: what counts is that its tables are there.
        let pages = SessionPages(
            sessions: Self.sessions, start: midnight, participant: "p00000000000010e1", goal: 30)
        let history = try await open()
        _ = try await history.write(pages.theHour)
        try await history.maintenance(now: midnight + 2 * 3_600_000)
        try await fill()
        var store = SessionServerConfiguration.Store()
        store.maximumAge = nil
        store.cluster = .init(address: address, node: "pages")
        let rows = try await pages.rows(store).map { row in
            var row = row
            row.name = "1,000,000: " + row.name
            return row
        }
        let dropping = try await drop(beside: history)
        try await history.close()
        return rows + dropping
    }

    private func open() async throws -> ClusterHistory {
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        return try await ClusterHistory.open(
            PostgresConfiguration(address), node: "million", configuration: configuration)
    }

    /// Sessions of two, with a minute of the hour's samples each; each participant is in twenty.
    private func fill() async throws {
        let (first, minute) = (Int64(midnight - Self.day), Int64((midnight - Self.day) / 60_000))
        let step = Int64(Self.day) / Int64(Self.sessions)
        let statements = [
            """
            INSERT INTO sessions (name, media_mode, created_at, ended_at, last_at, instance)
            SELECT 's' || n, 'routed', \(first) + n * \(step), \(first) + n * \(step) + 60000, \(first) + n * \(step) + 60000,
                (SELECT min(instance) FROM instances) FROM generate_series(0, \(Self.sessions - 1)) n
            """,
            """
            INSERT INTO connections (session, name, participant, role, joined_at, left_at)
            SELECT id, name || '-' || n, 'p' || lpad(to_hex((2 * id + n) % 100000), 16, '0'), 'publisher', created_at, ended_at
            FROM sessions, generate_series(0, 1) n WHERE created_at < \(Int64(midnight)) AND name LIKE 's%'
            """,
            """
            INSERT INTO streams (session, connection, name, has_audio, has_video, video_type, created_at, ended_at)
            SELECT session, id, name || '-stream', true, true, 'camera', joined_at, left_at
            FROM connections WHERE joined_at < \(Int64(midnight)) AND name LIKE 's%-0'
            """,
            """
            INSERT INTO flows (session, connection, stream, number, role, created_at, ended_at)
            SELECT connections.session, connections.id, streams.id, 1,
                CASE WHEN streams.connection = connections.id THEN 'publisher' ELSE 'subscriber' END, joined_at, left_at
            FROM connections JOIN streams ON streams.session = connections.session
            WHERE joined_at < \(Int64(midnight)) AND connections.name LIKE 's%'
            """,
            """
            INSERT INTO chunks (flow, first_at, last_at, minute, observer, samples, data)
            SELECT flows.id, created_at, ended_at, \(minute) + (created_at - \(first)) / 60000, observer, samples, data
            FROM flows, (SELECT * FROM chunks WHERE minute >= \(Int64(midnight / 60_000)) LIMIT 1) one
            WHERE created_at < \(Int64(midnight)) AND created_at >= \(first)
            """,
            """
            INSERT INTO minutes (flow, minute, a_mos_sum, v_mos_sum, samples, bad, a_mos_count, v_mos_count, observer, counts)
            SELECT flows.id, \(minute) + (created_at - \(first)) / 60000, a_mos_sum, v_mos_sum, samples, bad, a_mos_count,
                v_mos_count, observer, counts
            FROM flows, (SELECT * FROM minutes WHERE minute >= \(Int64(midnight / 60_000)) LIMIT 1) one
            WHERE created_at < \(Int64(midnight)) AND created_at >= \(first)
            """,
        ]
        // What PostgreSQL would do in the next minutes by itself, and disturb what is measured.
        for statement in statements + ["VACUUM (ANALYZE)", "CHECKPOINT"] {
            try await connection.run { _ = try $0.execute(statement) }
        }
    }

    /// Drops yesterday while a node writes, and puts minutes of its samples beside those that go.
    private func drop(beside history: ClusterHistory) async throws -> [Row] {
        let isOver = Mutex(false)
        let session = "beside"
        _ = try await history.write(StoredCalls.beginning(session, at: midnight))
        let minute = Int64(midnight / 60_000)
        let count = try await minutes(before: minute)
        guard count == 2 * Self.sessions else {
            throw BenchServer.Failure(description: "\(count) minutes of yesterday are stored")
        }
        async let commits = write(session, history) { isOver.withLock { $0 } }
        // Writing is under way, and a minute of it in its place.
        try await Task.sleep(for: .seconds(2))
        let start = ContinuousClock.now
        try await connection.run { try MinutePartitions.chunks.drop(before: minute, $0) }
        let end = ContinuousClock.now
        let left = try await minutes(before: minute)
        guard left == 0 else {
            throw BenchServer.Failure(description: "\(left) minutes of yesterday are left")
        }
        isOver.withLock { $0 = true }
        let meanwhile = try await commits.filter { $0.end > start && $0.start < end }
        let longest = meanwhile.map { ($0.end - $0.start) / .milliseconds(1) }.max() ?? 0
        return [
            Row(
                name: "  a day of two million minutes dropped", (end - start) / .milliseconds(1),
                .milliseconds,
                goal: 1000),
            Row(name: "  longest of \(meanwhile.count) commits meanwhile", longest, .milliseconds, goal: 50),
        ]
    }

    private func minutes(before minute: Int64) async throws -> Int64 {
        try await connection.run { session in
            try session.execute("SELECT count(*) FROM chunks WHERE minute < $1", [.int64(minute)]).first?
                .value(0)
                ?? 0
        }
    }

    /// Commits one after the other; when each began and was done.
    ///
    /// Every tenth puts a minute into its place.
    private func write(
        _ session: String, _ history: ClusterHistory, until isOver: () -> Bool
    ) async throws -> [(start: ContinuousClock.Instant, end: ContinuousClock.Instant)] {
        var times: [(start: ContinuousClock.Instant, end: ContinuousClock.Instant)] = []
        while !isOver() {
            // Ten samples a minute.
            let time = midnight + Double(times.count) * 6000
            let records = StoredCalls.flows(session).map {
                StoredCalls.record($0, time, StoredCalls.sample(times.count))
            }
            let begin = ContinuousClock.now
            if times.count % 10 == 9 { try await history.maintenance(now: time) }
            _ = try await history.write(records)
            times.append((begin, .now))
            try await Task.sleep(for: Self.pause)
        }
        return times
    }
}
