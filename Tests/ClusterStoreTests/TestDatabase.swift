// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import ClusterStore
import PostgresClient
import TestSupport
import Testing

/// A database of the test's own.
struct TestDatabase {
    let configuration: PostgresConfiguration

    init() async throws {
        let cluster = try await PostgresCluster.shared.value
        let name = "c\(UInt64.random(in: .min ... .max))"
        let maker = PostgresConnection(.init("host=\(cluster.folder) user=sightline dbname=postgres"))
        try await maker.run { _ = try $0.execute("CREATE DATABASE \(name)") }
        await maker.close()
        configuration = .init("host=\(cluster.folder) user=sightline dbname=\(name)")
    }

    var connection: PostgresConnection { PostgresConnection(configuration) }

    /// With the tables, and the hours of the log.
    static func migrated() async throws -> TestDatabase {
        let database = try await TestDatabase()
        try await database.connection.transaction { session in
            try ClusterSchema.migrate(session)
            try LogPartitions.make(ahead: 1, session)
        }
        return database
    }

    func begin(_ node: String = "n") async throws -> SampleLog.Instance {
        try await connection.transaction { try SampleLog.begin(node: node, $0) }
    }

    func append(_ sequences: ClosedRange<Int64>, of instance: SampleLog.Instance) async throws {
        let connection = connection
        for sequence in sequences {
            try await connection.transaction { session in
                try SampleLog.append([UInt8(sequence)], sequence: sequence, of: instance, session)
            }
        }
    }

    func tail(of instance: SampleLog.Instance, after sequence: Int64 = 0) async throws -> [Int64] {
        try await connection.run { session in
            var found: [Int64] = []
            try SampleLog.readTail(of: instance, after: sequence, session) { sequence, data in
                #expect(data == [UInt8(sequence)])
                found.append(sequence)
            }
            return found
        }
    }
}
