// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import SessionWire
import TestSupport
import Testing

extension EndToEnd {
    /// A server with a store that is killed while many clients send telemetry.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct TelemetryTests {
        private static let sessions = 20
        private static let clientsPerSession = 10

        @Test(
            "a server is killed under 200 clients: what it acknowledged is there once, and so is what comes again"
        )
        func kill() async throws {
            let folder = try TemporaryFolder()
            try await Self.kill(
                ServerProcess(["--store", folder.file("calls.sqlite").path]))
        }

        @Test(
            "so it is with a server whose store is PostgreSQL",
            .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"))
        func killOfNode() async throws {
            try await Self.kill(
                ServerProcess(ClusterDatabase(PostgresCluster.shared.value).options(node: "n1")))
        }

        @Test(
            "while PostgreSQL says nothing, sessions begin and clients join; what they sent is acknowledged later, once",
            .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"))
        func outage() async throws {
            let cluster = try await PostgresCluster()
            let server = try await ServerProcess(ClusterDatabase(cluster).options(node: "n1"))
            let clients = (1...Self.sessions).map(TelemetryClient.init)
            let names = try await Self.everybody(clients, server) {
                try await $0.sendUntilCut($1, token: $2)
            } while: {
                try await eventually("every client is acknowledged something", within: .seconds(60)) {
                    clients.allSatisfy { $0.acknowledged.count >= 10 }
                }
                cluster.pause()
                let late = TelemetryClient(number: 1000)
                let session = try await server.createSession(mediaMode: .relayed)
                let token = try await server.token(session, .publisher, "late")
                try await late.join(server.url, token: token)
                let before = clients.map(\.acknowledged.count)
                try await eventually("the server says that nothing can be stored", within: .seconds(90)) {
                    server.errors.contains("nothing can be stored just now")
                }
                #expect(zip(clients, before).allSatisfy { $0.acknowledged.count - $1 < 10 })
                #expect(try await server.get("v1/sessions", Refusal.self).error.message.contains("just now"))
                cluster.resume()
                try await eventually("every client is acknowledged all", within: .seconds(120)) {
                    clients.allSatisfy { !$0.sent.isEmpty && $0.acknowledged.count == $0.sent.count }
                }
                server.kill()
            }
            try await server.startAgain()
            let found = try await Self.stored(names, server)
            #expect(found.sorted() == clients.flatMap(\.acknowledged).sorted())
            try await server.end()
            try await cluster.stop()
        }

        private static func kill(_ server: ServerProcess) async throws {
            let clients = (1...Self.sessions * Self.clientsPerSession).map(TelemetryClient.init)

            let before = try await Self.everybody(clients, server) {
                try await $0.sendUntilCut($1, token: $2)
            } while: {
                try await eventually("every client is acknowledged something", within: .seconds(120)) {
                    clients.allSatisfy { $0.acknowledged.count >= 10 }
                }
                server.kill()
            }
            let acknowledged = clients.flatMap(\.acknowledged)
            let sent = clients.flatMap(\.sent)
            #expect(acknowledged.count >= 2000 && acknowledged.count < sent.count)

            try await server.startAgain()
            let found = try await Self.stored(before, server)
            #expect(Set(found).count == found.count)
            #expect(Set(acknowledged).subtracting(found).isEmpty)

            let after = try await Self.everybody(clients, server) { try await $0.sendAgain($1, token: $2) }
            let all = try await Self.stored(before + after, server)
            #expect(all.sorted() == sent.sorted())
            print(
                "telemetry: \(acknowledged.count) of \(sent.count) events were acknowledged before the kill")
            try await server.end()
        }

        /// Has every client do something in a session of the server; gives the sessions.
        private static func everybody(
            _ clients: [TelemetryClient], _ server: ServerProcess,
            _ act: @escaping @Sendable (TelemetryClient, _ url: String, _ token: String) async throws -> Void,
            while meanwhile: () async throws -> Void = {}
        ) async throws -> [String] {
            var names: [String] = []
            for _ in 0..<sessions { names.append(try await server.createSession(mediaMode: .relayed)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, client) in clients.enumerated() {
                    let token = try await server.token(names[index % names.count], .publisher, "c\(index)")
                    group.addTask { try await act(client, server.url, token) }
                }
                try await meanwhile()
                try await group.waitForAll()
            }
            return names
        }

        /// The form of what the server refuses.
        private struct Refusal: Decodable {
            struct Message: Decodable { var message: String }
            var error: Message
        }

        /// What stands in the samples of sessions, page by page; by a figure that distinguishes them.
        static func stored(
            _ sessions: [String], _ server: ServerProcess,
            by mark: (StreamSample) -> Double? = { $0.bandwidthDemand }
        ) async throws -> [Int] {
            struct Samples: Decodable {
                var samples: [SampleEntry]
                var next: String?
            }
            var found: [Int] = []
            for session in sessions {
                var cursor = ""
                while true {
                    let page = try await server.get(
                        "v1/sessions/\(session)/samples?limit=1000\(cursor)", Samples.self)
                    guard !page.samples.isEmpty, let next = page.next else { break }
                    found += page.samples.compactMap { mark($0.sample).map { Int($0) } }
                    cursor = "&cursor=\(next)"
                }
            }
            return found
        }
    }
}
