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
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let server = try await ServerProcess(["--store", folder.appending(path: "calls.sqlite").path])
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

        /// What stands in the samples of sessions, page by page.
        private static func stored(_ sessions: [String], _ server: ServerProcess) async throws -> [Int] {
            struct Samples: Decodable {
                var samples: [SampleEntry]
                var next: String?
            }
            var found: [Int] = []
            for session in sessions {
                var cursor = "0"
                while true {
                    let page = try await server.get(
                        "v1/sessions/\(session)/samples?limit=1000&cursor=\(cursor)", Samples.self)
                    guard !page.samples.isEmpty, let next = page.next else { break }
                    found += page.samples.compactMap { $0.sample.bandwidthDemand.map { Int($0) } }
                    cursor = next
                }
            }
            return found
        }
    }
}
