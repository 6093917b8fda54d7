// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import ClusterStore
import Foundation
import HistoryWriter
import PostgresClient

/// What samples cost a node whose store is PostgreSQL, and how much of its disk they take.
func clusterRows() async throws -> [Row] {
    try await inEmptyDatabase { address, connection in
        let postgres = try await postgresSeconds(connection)
        let address = PostgresConfiguration(address)
        let rows = try await ClusterBench(address, isTogether: false).rows(connection, postgres)
        return rows + [try await ClusterBench(address, isTogether: true).togetherRow()]
    }
}

/// What calls cost at one node, at two and at four, and their PostgreSQL.
func nodeRows() async throws -> [Row] {
    try await inEmptyDatabase { address, connection in
        try await TwoPartyCalls.nodeRows(address, try await postgresSeconds(connection))
    }
}

/// Tells the CPU seconds of all of PostgreSQL's processes so far; `nil` if it is on another machine.
private func postgresSeconds(_ connection: PostgresConnection) async throws -> () -> Double? {
    let backend: Int64? = try await connection.run { session in
        try session.execute("SELECT pg_backend_pid()::bigint").first?.value(0)
    }
    let postmaster = backend.flatMap { ProcessTimes(Int32($0)) }?.parent
    return { postmaster.flatMap { ProcessTimes.family(of: $0) } }
}

/// What a page waits where a million sessions are stored, and what dropping a day of them costs.
func millionRows() async throws -> [Row] {
    try await inEmptyDatabase { try await MillionSessions($0, $1).rows() }
}

/// Measures in the empty database that `SIGHTLINE_CLUSTER` names; without it nothing is measured.
private func inEmptyDatabase(
    _ body: (String, PostgresConnection) async throws -> [Row]
) async throws -> [Row] {
    guard let address = ProcessInfo.processInfo.environment["SIGHTLINE_CLUSTER"] else {
        FileHandle.standardError.write(Data("SIGHTLINE_CLUSTER names no empty database: not measured\n".utf8))
        return []
    }
    var configuration = PostgresConfiguration(address)
    // Filling a table takes a while.
    configuration.answerTimeout = .seconds(1800)
    let connection = PostgresConnection(configuration)
    try await connection.transaction { try ClusterSchema.migrate($0) }
    let rows = try await body(address, connection)
    await connection.close()
    return rows
}

/// Five minutes of 500 calls of two, as their node's writer puts them together: what came in a fifth of a second.
private final class ClusterBench {
    private static let calls = 500
    private static let minutes = 5

    private let store: ClusterHistory
    private let flows: [FlowKey]
    private let isTogether: Bool

    /// - Parameter isTogether: Whether all calls are bad in the same seconds; else each flow is in some of its own.
    init(_ address: PostgresConfiguration, isTogether: Bool) async throws {
        self.isTogether = isTogether
        let node = isTogether ? "together" : "bench"
        var configuration = StoreConfiguration()
        configuration.maximumAge = nil
        store = try await ClusterHistory.open(address, node: node, configuration: configuration)
        let names = (0..<Self.calls).map { "\(node)-call\($0)" }
        flows = names.flatMap { StoredCalls.flows($0) }
        _ = try await store.write(names.flatMap { StoredCalls.beginning($0, at: StoredCalls.start) })
    }

    /// - Parameter postgres: CPU seconds of PostgreSQL so far; `nil` if it is on another machine.
    func rows(_ connection: PostgresConnection, _ postgres: () -> Double?) async throws -> [Row] {
        let before = postgres()
        let (cpu, commits) = try await write(minutes: Self.minutes)
        let count = Double(flows.count * 60 * Self.minutes)
        let used = before.flatMap { before in postgres().map { $0 - before } }
        let bytes = try await Self.bytes(connection)
        let ofPostgres = used.map { seconds in
            Row(
                name: "  PostgreSQL for 80,000 a second (extrapolated): CPU",
                seconds / count * 80_000 * 1000, .milliseconds, goal: 250)
        }
        return [
            Row(
                name: "samples logged and put into minutes, per CPU second", count / cpu, .perSecond,
                goal: 150_000),
            Row(name: "  their commits, median", commits[commits.count / 2], .milliseconds),
            Row(
                name: "  their commits, 99th percentile", commits[commits.count * 99 / 100], .milliseconds,
                goal: 20),
            Row(name: "  their samples on disk, with indexes", bytes / count, .bytes, goal: 25),
        ] + [ofPostgres].compactMap(\.self)
    }

    /// Two minutes, in which all become bad in the same second, as behind one bad line: the slowest commits are those of that
    /// second and of the one in which they are good again.
    func togetherRow() async throws -> Row {
        let commits = try await write(minutes: 2).commits
        return Row(
            name: "  where all calls are bad at once: commits, 99th percentile",
            commits[commits.count * 99 / 100], .milliseconds)
    }

    /// CPU seconds of the node, and how long each commit took, ms, in order.
    private func write(minutes: Int) async throws -> (cpu: Double, commits: [Double]) {
        var (cpu, commits): (Double, [Double]) = (0, [])
        for minute in 0..<minutes {
            let batches = (0..<60).flatMap { written(second: minute * 60 + $0) }
            let start = Stopwatch.processSeconds
            for batch in batches {
                let begin = ContinuousClock.now
                _ = try await store.write(batch)
                commits.append((ContinuousClock.now - begin) / .milliseconds(1))
            }
            try await store.maintenance(now: StoredCalls.start + Double(minute + 1) * 60_000 + 15_000)
            cpu += Stopwatch.processSeconds - start
        }
        let start = Stopwatch.processSeconds
        try await store.close()
        cpu += Stopwatch.processSeconds - start
        return (cpu, commits.sorted())
    }

    /// Of the samples' tables, with what they come to by the minute.
    private static func bytes(_ connection: PostgresConnection) async throws -> Double {
        let bytes: Int64 = try await connection.run { session in
            try session.execute("VACUUM (ANALYZE) chunks")
            return try session.execute(
                """
                SELECT sum(pg_total_relation_size(inhrelid))::bigint FROM pg_inherits
                WHERE inhparent IN ('chunks'::regclass, 'minutes'::regclass)
                """
            ).first?.value(0) ?? 0
        }
        return Double(bytes)
    }

    /// What is written in a second.
    private func written(second: Int) -> [[StoreRecord]] {
        let time = StoredCalls.start + Double(second) * 1000
        let records = flows.enumerated().map { number, flow in
            // In each batch as many begin to be bad as in any other.
            let shift = isTogether ? 0 : number * 37 % StoredCalls.period
            return StoredCalls.record(flow, time, StoredCalls.sample(second, shift: shift))
        }
        let size = (records.count + 4) / 5
        return stride(from: 0, to: records.count, by: size).map { first in
            Array(records[first..<min(first + size, records.count)])
        }
    }
}
