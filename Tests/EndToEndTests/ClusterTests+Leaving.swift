// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import LibWebRTC
import SessionWire
import Sightline
import TestSupport
import Testing

@testable import SessionServer

extension EndToEnd.ClusterTests {
    private typealias Telemetry = EndToEnd.TelemetryTests

    @Test(
        "what a server knows of the last minute another one reads and shows live; once it is killed, all that it acknowledged is in the history without it"
    )
    func killed() async throws {
        let database = try await ClusterDatabase(PostgresCluster.shared.value)
        let nodes = try await database.nodes(2)
        let sessions = try await Self.sessions(1, at: nodes[0])
        let client = TelemetryClient(number: 1)
        let watchers = [
            Task { try await Self.watch(sessions[0], at: nodes[1]) },
            Task { try await Self.watch(nil, at: nodes[1]) },
        ]
        let token = try await nodes[0].token(sessions[0], .publisher, "alice")
        let sending = Task { try await client.sendUntilCut(nodes[0].url, token: token) }
        try await eventually("it is acknowledged", within: .seconds(60)) { client.acknowledged.count >= 20 }
        try await eventually("the other one reads what is just acknowledged", within: .seconds(30)) {
            let before = client.acknowledged
            return try await Set(before).isSubset(of: Telemetry.stored(sessions, nodes[1]))
        }
        for watcher in watchers { #expect(try await watcher.value.session == sessions[0]) }
        nodes[0].kill()
        try await sending.value
        var found: [Int] = []
        try await eventually("the other one has recovered it", within: .seconds(60)) {
            found = try await Telemetry.stored(sessions, nodes[1])
            return Set(client.acknowledged).subtracting(found).isEmpty
        }
        #expect(Set(found).count == found.count && Set(found).isSubset(of: client.sent))
        let summary = try await nodes[1].get("v1/sessions?live=true", SessionList.self)
        #expect(summary.sessions.isEmpty)
        try await nodes[1].end()
    }

    /// The flow of the first sample that is shown.
    private static func watch(_ session: String?, at node: ServerProcess) async throws -> FlowDescription {
        let query = session.map { "?session=\($0)" } ?? ""
        let url = try #require(URL(string: "\(node.url)/v1/live\(query)"))
        while !Task.isCancelled {
            let request = OutgoingRequest(
                url, headers: ["Authorization": "Bearer \(try await node.apiToken([.read]))"])
            var sample: Result<SampleEntry, any Error>?
            // The node may end its feeds, as it leaves.
            try? await request.follow { event in
                if event.type == "sample" {
                    sample = Result {
                        try JSONDecoder().decode(SampleEntry.self, from: Data(event.data.utf8))
                    }
                }
                return sample == nil
            }
            if let sample { return try sample.get().flow }
        }
        throw CancellationError()
    }

    @Test(
        "SIGTERM has a server give its sessions to others and end; without anyone who takes them, a second one ends it"
    )
    func terminated() async throws {
        let database = try await ClusterDatabase(PostgresCluster.shared.value)
        let nodes = try await database.nodes(2, drainWithin: 3)
        let engine = try LibWebRTCEngine()
        var clients: [Session] = []
        for session in try await Self.sessions(2, at: nodes[0]) {
            for name in ["alice", "bob"] {
                // Not at once, as from a slow line: that server has sent them away, and still says where to.
                clients.append(
                    try await Self.join(session, by: nodes[0], name, engine, comesBackAfter: .seconds(2)))
            }
        }
        let ids = clients.map { $0.connection?.connectionId }
        nodes[0].terminate()
        try await eventually("it is not ready for others", within: .seconds(20)) {
            try await Self.health(nodes[0]).problems.contains(.shuttingDown)
        }
        let all = clients
        try await eventually("it has ended, and all are at the other one", within: .seconds(40)) {
            try await Self.health(nodes[1]).connections == 4 && all.allSatisfy(\.isConnected)
                && !nodes[0].isRunning
        }
        #expect(clients.map { $0.connection?.connectionId } == ids)
        for client in clients { await client.disconnect() }
        try await nodes[1].end()
        let patient = try await database.nodes(1, drainWithin: 3600)[0]
        let late = try await Self.join(
            patient.createSession(mediaMode: .relayed), by: patient, "late", engine)
        patient.terminate()
        try await eventually("it waits", within: .seconds(20)) {
            try await Self.health(patient).problems.contains(.shuttingDown)
        }
        #expect(patient.isRunning && late.isConnected)
        patient.terminate()
        try await eventually("it has ended", within: .seconds(20)) { !patient.isRunning }
        await late.disconnect()
    }
}
