// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import NIOSignaling
import SessionServer
import SessionWire
import Sightline

/// What a server needs for clients that are in a session and do nothing: a server of its own process, and
/// this one full of clients.
enum IdleClients {
    /// Makes this program that server.
    static let serverWord = "--idle-server"
    private static let application = "bench"
    private static let secret = "a secret of the benchmarks, long enough"
    private static let perSession = 100
    /// Those who come first pay for what the first of anything costs.
    private static let first = 200
    private static let more = 2000

    /// Serves until standard input ends; says at which port.
    static func serve() async throws {
        BenchServer.raiseDescriptorLimit()
        var configuration = SessionServerConfiguration(applicationID: application, applicationSecret: secret)
        configuration.port = 0
        configuration.limits.openConnectionsPerAddress = nil
        configuration.sessions = (0..<(first + more) / perSession).map { "session\($0)" }
        try await BenchServer.serve(configuration)
    }

    /// Opens sockets to such a server, and looks at its memory.
    static func rows() async throws -> [Row] {
        BenchServer.raiseDescriptorLimit()
        let server = try BenchServer(serverWord)
        defer { server.end() }
        let issuer = await TokenIssuer(applicationID: application, applicationSecret: secret)
        var clients: [any SignalingChannel] = []
        var sizes: [Double] = []
        for total in [first, first + more] {
            while clients.count < total {
                let session = "session\(clients.count / perSession)"
                let token = try await issuer.token(session: session, role: .publisher).token
                clients.append(try await join(server.port, token))
                if clients.count.isMultiple(of: perSession) { try await confirm(clients.suffix(perSession)) }
            }
            sizes.append(try await server.settledKilobytes())
        }
        let row = Row(
            name: "memory of a server per idle client", (sizes[1] - sizes[0]) / Double(more), .kilobytes,
            goal: 20)
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.close() } }
        }
        return [row]
    }

    private static func join(_ port: Int, _ token: String) async throws -> any SignalingChannel {
        let channel = try await NIOSignalingTransport().open(SignalingAddress("ws://127.0.0.1:\(port)"))
        let join = ClientMessage(id: 1, .join(.init(token: token, resumable: true)))
        try await channel.send(String(decoding: try join.json(), as: UTF8.self))
        for try await text in channel.messages {
            if case .joined = try ServerMessage(json: text.utf8).body { return channel }
            break
        }
        throw BenchServer.Failure(description: "a client could not join")
    }

    /// Confirms what the clients of a session were sent, as clients do after a second: everyone who joined
    /// after them.
    private static func confirm(_ clients: ArraySlice<any SignalingChannel>) async throws {
        for (later, client) in clients.reversed().enumerated() {
            let message = ClientMessage(id: 0, .ack(.init(received: later)))
            try await client.send(String(decoding: try message.json(), as: UTF8.self))
        }
    }
}
