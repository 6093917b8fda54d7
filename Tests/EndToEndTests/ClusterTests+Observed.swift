// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import LibWebRTC
import SessionWire
import TestSupport
import Testing

@testable import SessionServer
@testable import Sightline

extension EndToEnd.ClusterTests {
    /// Has a participant report to a server what it sends or receives; gives the status.
    private static func report(
        _ second: Int, _ participant: String, sends: Bool, to node: ServerProcess, call: String = "call"
    ) async throws -> Int {
        let rtp =
            sends
            ? #""id":"O","type":"outbound-rtp","kind":"audio","ssrc":7,"packetsSent":\#(50 * second),"bytesSent":\#(5000 * second)"#
            : #""id":"I","type":"inbound-rtp","kind":"audio","ssrc":7,"packetsReceived":\#(50 * second),"packetsLost":0,"bytesReceived":\#(5000 * second)"#
        let body = "[{\(rtp),\"timestamp\":\(1_700_000_000_000 + 1000 * second)}]"
        let url = try #require(URL(string: "\(node.url)/v1/calls/\(call)/reports"))
        var request = OutgoingRequest(url, method: "POST", body: Data(body.utf8))
        request.headers["Authorization"] =
            "Bearer \(try await node.observerToken(call: call, participant: participant))"
        request.headers["Content-Type"] = "application/json"
        return try #require(await request.answer()).status
    }

    @Test("who reports of a session as of a call is refused, and the session stays where it is")
    func hosted() async throws {
        let database = try await ClusterDatabase(PostgresCluster.shared.value)
        let nodes = try await database.nodes(2)
        let session = try #require(try await Self.sessions(1, at: nodes[0]).first)
        #expect(try await Self.report(1, "alice", sends: true, to: nodes[1], call: session) == 409)
        // Who had noted the session as its own would not send anyone there.
        let client = try await Self.join(session, by: nodes[1], "alice", try LibWebRTCEngine())
        #expect(try await Self.health(nodes[0]).connections == 1)
        await client.disconnect()
        for node in nodes { try await node.end() }
    }

    @Test(
        "what participants of an observed call report meets at one server, whichever they report to, also at the next one"
    )
    func observed() async throws {
        let database = try await ClusterDatabase(PostgresCluster.shared.value)
        let nodes = try await database.nodes(2)
        for second in 1...5 {
            #expect(try await Self.report(second, "alice", sends: true, to: nodes[0]) == 200)
            #expect(try await Self.report(second, "bob", sends: false, to: nodes[1]) == 200)
        }
        #expect(try await Self.health(nodes[0]).connections == 2)
        #expect(try await Self.health(nodes[1]).connections == 0)
        // The one is given the other's stream; the history has it soon.
        try await eventually("it is one call", within: .seconds(20)) {
            let call = try? await nodes[1].get("v1/sessions/call", SessionSummary.self)
            let roles = Set(call?.flows.map(\.flow.role) ?? [])
            return roles == [.publisher, .subscriber] && call?.connections.count == 2
                && Set(call?.flows.map(\.flow.stream) ?? []).count == 1
        }
        try await database.drain("n1", within: 0)
        try await eventually("it has given the call away", within: .seconds(20)) {
            try await Self.health(nodes[0]).connections == 0
        }
        for second in 6...8 {
            for (participant, sends) in [("alice", true), ("bob", false)] {
                try await eventually("\(participant)'s report is taken", within: .seconds(20)) {
                    try await Self.report(second, participant, sends: sends, to: nodes[second % 2]) == 200
                }
            }
        }
        #expect(try await Self.health(nodes[0]).connections == 0)
        #expect(try await Self.health(nodes[1]).connections == 2)
        let sessions: SessionsPage = try await nodes[0].get("v1/sessions")
        #expect(sessions.sessions.map(\.session) == ["call"])
        for node in nodes { try await node.end() }
    }
}

/// As much of the list of sessions as is looked at.
private struct SessionsPage: Decodable {
    struct Entry: Decodable {
        let session: String
    }

    let sessions: [Entry]
}
