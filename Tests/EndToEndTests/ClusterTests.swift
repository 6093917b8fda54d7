// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import LibWebRTC
import NIOSignaling
import SessionWire
import TestSupport
import Testing

@testable import Sightline

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEnd {
    /// Servers that share a PostgreSQL and send clients to each other.
    @Suite(
        .serialized, .timeLimit(.minutes(5)),
        .enabled(if: PostgresCluster.isInstalled, "needs PostgreSQL (apt install postgresql)"))
    struct ClusterTests {
        /// A participant who asked a server first.
        ///
        /// - Parameter wait: Longest time before the first attempt to come back; `nil` for what is usual.
        static func join(
            _ session: String, by entry: ServerProcess, _ name: String, _ engine: LibWebRTCEngine,
            _ role: TokenRole = .publisher, comesBackAfter wait: Duration? = nil
        ) async throws -> Session {
            var configuration = SessionConfiguration()
            configuration.loopbackOnly = true
            if let wait { configuration.reconnection.waits[0] = wait }
            let client = Session(
                url: entry.url, token: try await entry.token(session, role, name), engine: engine,
                signaling: NIOSignalingTransport(), configuration: configuration)
            try await client.connect()
            return client
        }

        static func health(_ node: ServerProcess) async throws -> Health {
            try await node.get("readyz")
        }

        /// Sessions that begin at a server: so their names say.
        static func sessions(_ count: Int, at node: ServerProcess) async throws -> [String] {
            var sessions: [String] = []
            try await eventually("sessions at \(node.url)", within: .seconds(20)) {
                let before = try await health(node).unusedSessions
                let session = try await node.createSession(mediaMode: .relayed)
                if try await health(node).unusedSessions > before { sessions.append(session) }
                return sessions.count == count
            }
            return sessions
        }

        @Test(
            "by whatever server they come, clients of a session meet, and sessions are spread over the servers"
        )
        func anyNode() async throws {
            let database = try await ClusterDatabase(PostgresCluster.shared.value)
            let nodes = try await database.nodes(3)
            let engine = try LibWebRTCEngine()
            // Each has heard of the others.
            try await eventually("sessions begin everywhere", within: .seconds(20)) {
                _ = try await nodes[0].createSession(mediaMode: .relayed)
                return try await nodes.asyncMap { try await Self.health($0).unusedSessions }.allSatisfy {
                    $0 > 0
                }
            }
            var clients: [Session] = []
            for number in 0..<6 {
                let session = try await nodes[0].createSession(mediaMode: .relayed)
                let first = try await Self.join(session, by: nodes[number % 3], "first", engine)
                let second = try await Self.join(session, by: nodes[(number + 1) % 3], "second", engine)
                clients += [first, second]
                #expect(second.connections.map(\.name) == ["first"])
                // The application asks any of them, too.
                let token = try await nodes[(number + 2) % 3].send(
                    "POST", "v1/sessions/\(session)/tokens", CreateToken(role: .subscriber), TokenCreated.self
                )
                #expect(token.expires > 0)
            }
            let health = try await nodes.asyncMap { try await Self.health($0) }
            #expect(health.reduce(0) { $0 + $1.connections } == 12)
            let rooms = try await nodes.asyncMap {
                try await $0.send(
                    "PUT", "v1/sessions/room%201", CreateSession(mediaMode: .relayed), SessionCreated.self)
            }
            #expect(Set(rooms.map(\.creationTime)).count == 1)
            let third = try await Self.join("room 1", by: nodes[2], "third", engine)
            let fourth = try await Self.join("room 1", by: nodes[0], "fourth", engine)
            #expect(fourth.connections.map(\.name) == ["third"])
            for client in clients + [third, fourth] { await client.disconnect() }
            for node in nodes { try await node.end() }
        }

        @Test(
            "of a server that was stopped the sessions continue at another one, and it releases them when it continues"
        )
        func stopped() async throws {
            let database = try await ClusterDatabase(PostgresCluster.shared.value)
            let nodes = try await database.nodes(2)
            let engine = try LibWebRTCEngine()
            let room = try await nodes[0].send(
                "PUT", "v1/sessions/room", CreateSession(mediaMode: .relayed), SessionCreated.self)
            let alice = try await Self.join(room.session, by: nodes[0], "alice", engine)
            let isFirst = try await Self.health(nodes[0]).connections == 1
            let (home, other) = isFirst ? (nodes[0], nodes[1]) : (nodes[1], nodes[0])
            let id = try #require(alice.connection?.connectionId)
            home.pause()
            // Its client may have asked this one first, or the one that is stopped: someone comes by the other.
            try await eventually("it is taken over", within: .seconds(40)) {
                guard let bob = try? await Self.join(room.session, by: other, "bob", engine) else {
                    return false
                }
                await bob.disconnect()
                return true
            }
            home.resume()
            try await eventually("it has released it", within: .seconds(20)) {
                try await Self.health(home).connections == 0
            }
            try await eventually("alice is at the other one", within: .seconds(30)) {
                try await Self.health(other).connections == 1 && alice.isConnected
            }
            #expect(alice.connection?.connectionId == id)
            await alice.disconnect()
            for node in nodes { try await node.end() }
        }

        @Test(
            "a server that is drained gives its sessions to others, under their ids, and can be ended: no one is lost"
        )
        func drained() async throws {
            let database = try await ClusterDatabase(PostgresCluster.shared.value)
            let nodes = try await database.nodes(2)
            let engine = try LibWebRTCEngine()
            let sessions = try await Self.sessions(3, at: nodes[0])
            var clients: [Session] = []
            for session in sessions {
                clients.append(try await Self.join(session, by: nodes[1], "alice", engine))
                clients.append(try await Self.join(session, by: nodes[0], "bob", engine))
            }
            let ids = clients.map { $0.connection?.connectionId }
            #expect(try await Self.health(nodes[0]).connections == 6)
            try await database.drain("n1", within: 2)
            try await eventually("it is not ready for others", within: .seconds(20)) {
                try await Self.health(nodes[0]).problems.contains(.shuttingDown)
            }
            let new = try await nodes[0].createSession(mediaMode: .relayed)
            let all = clients
            try await eventually("all are at the other one", within: .seconds(30)) {
                try await Self.health(nodes[1]).connections == 6 && all.allSatisfy(\.isConnected)
            }
            #expect(clients.map { $0.connection?.connectionId } == ids)
            #expect(try await Self.health(nodes[0]).sessions == 0)
            try await nodes[0].end()
            let late = try await Self.join(sessions[0], by: nodes[1], "late", engine)
            #expect(Set(late.connections.map(\.name)) == ["alice", "bob"])
            let other = try await Self.join(new, by: nodes[1], "other", engine)
            for client in clients + [late, other] { await client.disconnect() }
            try await nodes[1].end()
        }

        @Test(
            "while PostgreSQL says nothing, sessions begin, and clients come by any server; none counts as gone"
        )
        func outage() async throws {
            let cluster = try await PostgresCluster()
            let nodes = try await ClusterDatabase(cluster).nodes(2)
            let engine = try LibWebRTCEngine()
            try await eventually("sessions begin everywhere", within: .seconds(20)) {
                _ = try await nodes[0].createSession(mediaMode: .relayed)
                return try await nodes.asyncMap { try await Self.health($0).unusedSessions }.allSatisfy {
                    $0 > 0
                }
            }
            let before = try await nodes[0].createSession(mediaMode: .relayed)
            cluster.pause()
            try await eventually("both notice", within: .seconds(30)) {
                nodes.allSatisfy { $0.errors.contains("does not say where sessions are") }
            }
            let during = try await nodes[1].createSession(mediaMode: .relayed)
            for session in [before, during] {
                let first = try await Self.join(session, by: nodes[0], "first", engine)
                let second = try await Self.join(session, by: nodes[1], "second", engine)
                #expect(second.connections.map(\.name) == ["first"])
                await first.disconnect()
                await second.disconnect()
            }
            cluster.resume()
            for node in nodes { try await node.end() }
            try await cluster.stop()
        }
    }
}

extension Array where Element: Sendable {
    /// What becomes of each, one after the other.
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
