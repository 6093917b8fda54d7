// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A server that is killed while participants of calls that are not its own report to it.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct ObservedCrashTests {
        @Test(
            "a server is killed under 40 participants who report: what they send is stored once, and all of it"
        )
        func kill() async throws {
            let folder = try TemporaryFolder()
            try await Self.kill(ServerProcess(["--store", folder.file("calls.sqlite").path]))
        }

        @Test(
            "so it is with a server whose store is PostgreSQL",
            .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"))
        func killOfNode() async throws {
            try await Self.kill(
                ServerProcess(ClusterDatabase(PostgresCluster.shared.value).options(node: "n1")))
        }

        @Test(
            "a server that is gone for good is followed by another one, to which the same is sent, and it counts once",
            .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"))
        func takeover() async throws {
            let database = try await ClusterDatabase(PostgresCluster.shared.value)
            let nodes = try await database.nodes(2)
            let reporters = (0..<20).map(ObservedReporter.init)
            try await Self.report(reporters, to: nodes) {
                try await eventually("everyone is acknowledged something", within: .seconds(60)) {
                    reporters.allSatisfy { $0.acknowledged >= 20 }
                }
                nodes[0].kill()
            }
            try await Self.check(reporters, nodes[1])
            try await nodes[1].end()
        }

        private static func kill(_ server: ServerProcess) async throws {
            let reporters = (0..<40).map(ObservedReporter.init)
            try await report(reporters, to: [server]) {
                for count in [20, 60, 100] {
                    try await eventually("everyone is acknowledged something", within: .seconds(60)) {
                        reporters.allSatisfy { $0.acknowledged >= count }
                    }
                    server.kill()
                    try await server.startAgain()
                }
            }
            try await check(reporters, server)
            try await server.end()
        }

        private static func report(
            _ reporters: [ObservedReporter], to servers: [ServerProcess],
            while meanwhile: () async throws -> Void
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for reporter in reporters { group.addTask { try await reporter.run(servers) } }
                try await meanwhile()
                try await group.waitForAll()
            }
        }

        private static func check(_ reporters: [ObservedReporter], _ server: ServerProcess) async throws {
            #expect(reporters.flatMap(\.refusals).isEmpty)
            let calls = Set(reporters.map(\.call)).sorted()
            let found = try await TelemetryTests.stored(
                calls, server, by: { $0.connectionEstimatedBandwidth })
            #expect(found.sorted() == reporters.flatMap(\.marks).sorted())
        }
    }
}
