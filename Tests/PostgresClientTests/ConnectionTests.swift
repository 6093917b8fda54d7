// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import PostgresClient
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension PostgresTests {
    @Suite("Connections")
    struct Connections {
        @Test("block none of Swift's threads, however many wait")
        func threads() async throws {
            let holder = try await PostgresConnection.shared()
            let lock = Int64.random(in: .min ... .max)
            try await holder.lock(lock)
            // More than there are cores. If each held one of Swift's threads, no one could give the lock back.
            let waiting = ProcessInfo.processInfo.activeProcessorCount + 4
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<waiting {
                    group.addTask {
                        let connection = try await PostgresConnection.shared()
                        try await connection.run {
                            _ = try $0.execute("SELECT pg_advisory_lock_shared($1)", [.int64(lock)])
                        }
                    }
                }
                try await eventually("all wait") {
                    try await holder.run { session in
                        try session.execute(
                            """
                            SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                            AND classid = ($1 >> 32 & 4294967295)::oid AND objid = ($1 & 4294967295)::oid
                            """, [.int64(lock)]
                        ).count == waiting
                    }
                }
                try await holder.unlock(lock)
                try await group.waitForAll()
            }
        }

        @Test("to no server say so")
        func unreachable() async throws {
            for address in [
                "host=/nowhere dbname=x", "postgresql://%2Fnowhere/x", "host=/nowhere,/elsewhere",
                "no such key",
            ] {
                var configuration = PostgresConfiguration(address)
                configuration.connectTimeout = .seconds(2)
                let connection = PostgresConnection(configuration)
                let error = await outcome { try await connection.run { try $0.execute("SELECT 1").count } }
                    .postgresError
                #expect(error?.kind == .unreachable && error?.consequence == .again, "\(address)")
            }
        }

        @Test(
            "of an address that libpq cannot read say so, and not what its password is",
            arguments: [
                "\0", "postgresql://u:hunter%2@h/db", "postgresql://u:100%hunter@h/db",
                "postgresql://u:hunter2@[::1]x/db", "password=my hunter2 host=h",
                "postgresql://u:pa/hunter2@h/db",
                "postgresql://u:hunt@er2@h/db", "port=hunter2",
            ])
        func unreadable(address: String) async throws {
            let connection = PostgresConnection(PostgresConfiguration(address))
            let error = await outcome { try await connection.run { try $0.execute("SELECT 1").count } }
                .postgresError
            #expect(error?.kind == .invalid && error?.consequence == .never)
            #expect(error?.message.contains("hunter") == false && error?.message.contains("er2") == false)
        }

        @Test("to one that says nothing end after their time")
        func silent() async throws {
            let folder = URL(filePath: "/tmp/slpg-\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            // It takes the connection, and never answers.
            let silent = try ListeningSocket(folder.appending(path: ".s.PGSQL.5432").path)
            let cluster = try await PostgresCluster.shared.value
            var configuration = PostgresConfiguration(
                "host=\(folder.path),\(cluster.folder) user=sightline dbname=postgres")
            configuration.connectTimeout = .seconds(2)
            let connection = PostgresConnection(configuration)
            // And go on with the next host.
            #expect(try await connection.run { try $0.execute("SELECT 1").count } == 1)
            withExtendedLifetime(silent) {}
        }

        @Test("of several hosts take the one that can be written, and go there after it has moved")
        func hosts() async throws {
            let standby = try await PostgresCluster(settings: ["default_transaction_read_only=on"])
            let primary = try await PostgresCluster.shared.value
            let address = "host=\(standby.folder),\(primary.folder) user=sightline dbname=postgres"
            func host(_ target: PostgresConfiguration.Target) async throws -> String {
                var configuration = PostgresConfiguration(address)
                configuration.target = target
                return try await PostgresConnection(configuration).run {
                    try $0.execute("SELECT current_setting('unix_socket_directories')").one()
                }
            }
            #expect(try await host(.readWrite) == primary.folder)
            #expect(try await host(.any) == standby.folder)
            try await standby.stop()
            #expect(try await host(.any) == primary.folder)
        }

        @Test("that the server ended while nothing was asked of them are made again, and no one notices")
        func idle() async throws {
            let connection = try await PostgresConnection.shared()
            let other = try await PostgresConnection.shared()
            let first = try await connection.serverProcess
            try await other.terminate(first)
            #expect(try await connection.serverProcess != first)
        }

        @Test("that are lost in a transaction have done nothing, and the next one is on another connection")
        func lost() async throws {
            let connection = try await PostgresConnection.shared()
            let other = try await PostgresConnection.shared()
            try await connection.run { _ = try $0.execute("CREATE TABLE t (a bigint)") }
            let first = try await connection.serverProcess
            async let done = outcome {
                try await connection.transaction { session in
                    try session.execute("INSERT INTO t VALUES (1)")
                    try session.execute("SELECT pg_sleep(60)")
                }
            }
            try await other.waits(first, for: "PgSleep")
            try await other.terminate(first)
            let error = await done.postgresError
            #expect(error?.kind == .lost && error?.consequence == .again)
            #expect(try await connection.count(of: "t") == 0)
        }

        @Test("that are lost outside of one may have done it")
        func unknown() async throws {
            let connection = try await PostgresConnection.shared()
            let other = try await PostgresConnection.shared()
            let first = try await connection.serverProcess
            async let done = outcome {
                try await connection.run { try $0.execute("SELECT pg_sleep(60)").count }
            }
            try await other.waits(first, for: "PgSleep")
            try await other.terminate(first)
            let error = await done.postgresError
            #expect(error?.kind == .outcomeUnknown && error?.consequence == .unknown)
        }

        @Test("end after what is asked of them, and do nothing more")
        func closed() async throws {
            let connection = try await PostgresConnection.shared()
            let other = try await PostgresConnection.shared()
            let process = try await connection.serverProcess
            let lock = Int64.random(in: .min ... .max)
            try await other.lock(lock)
            async let last: Void = connection.lock(lock)
            try await other.waits(process, for: "advisory")
            async let closing: Void = connection.close()
            try await other.unlock(lock)
            try await last
            await closing
            let error = await outcome { try await connection.run { try $0.execute("SELECT 1").count } }
                .postgresError
            #expect(error?.kind == .closed)
            await connection.close()
            try await eventually("the server's process ends") {
                try await other.run {
                    try $0.execute("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [.int64(process)]).count
                        == 0
                }
            }
        }

        @Test("that no one has any more are ended")
        func released() async throws {
            let other = try await PostgresConnection.shared()
            func use() async throws -> Int64 { try await PostgresConnection.shared().serverProcess }
            let process = try await use()
            try await eventually("the server's process ends") {
                try await other.run {
                    try $0.execute("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [.int64(process)]).count
                        == 0
                }
            }
        }
    }
}

/// A socket that no one answers at.
private final class ListeningSocket {
    private let descriptor: Int32

    init(_ path: String) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(descriptor >= 0 && bound == 0 && listen(descriptor, 5) == 0)
    }

    deinit { close(descriptor) }
}
