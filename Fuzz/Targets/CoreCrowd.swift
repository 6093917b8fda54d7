// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

@testable import SessionCore

/// What each socket may hear, kept beside the core and by other means.
struct CoreCrowd {
    private struct Client {
        var session: String?
        var isResumable = false
        /// Requests by their ids that were not answered.
        var asked: [Int: Int] = [:]
        var lastSent = 0
        /// The number of the last message that has come.
        var lastHeard = 0
    }

    /// By the socket that each came on.
    private var clients: [SocketID: Client] = [:]
    private var owners: [SocketID: SocketID] = [:]
    private var open: Set<SocketID> = []
    private var clientsByToken: [String: SocketID] = [:]
    private var sessionsByConnection: [String: String] = [:]
    private var sessionsByStream: [String: String] = [:]
    private var resuming: [SocketID: ClientMessage.Resume] = [:]

    private func client(on socket: SocketID) -> SocketID { owners[socket] ?? socket }

    mutating func open(_ socket: SocketID) {
        open.insert(socket)
        clients[socket] = Client()
    }

    mutating func close(_ socket: SocketID) {
        open.remove(socket)
    }

    mutating func ask(_ id: Int?, on socket: SocketID) {
        if let id { clients[client(on: socket)]?.asked[id, default: 0] += 1 }
    }

    mutating func resumes(_ request: ClientMessage.Resume, on socket: SocketID) { resuming[socket] = request }

    /// The number of a client's next message; `nil` if it does not number them.
    mutating func nextNumber(of socket: SocketID) -> Int? {
        let key = client(on: socket)
        guard clients[key]?.isResumable == true else { return nil }
        clients[key]?.lastSent += 1
        return clients[key]?.lastSent
    }

    /// Takes note of what the core sends.
    ///
    /// - Throws: ``Finding`` if the socket should not hear it.
    mutating func take(_ message: ServerMessage, to socket: SocketID) throws {
        try require(open.contains(socket), "something is sent to a socket that is gone: \(message)")
        let key = client(on: socket)
        let isRepeated = try isRepeated(message, to: key)
        if let id = message.re, !isRepeated {
            try require(clients[key]?.asked[id] ?? 0 > 0, "an answer that no one waits for: \(message)")
            clients[key]?.asked[id, default: 1] -= 1
        }
        switch message.body {
        case .joined(let joined): try join(joined, key)
        case .resumed: resumed(on: socket)
        case .error, .goodbye: break
        default: try checkSession(message, key)
        }
    }

    /// Whether a numbered message came before, over another socket.
    private mutating func isRepeated(_ message: ServerMessage, to key: SocketID) throws -> Bool {
        guard let number = message.seq, let last = clients[key]?.lastHeard else { return false }
        guard number > last else { return true }
        try require(number == last + 1, "message \(number) follows \(last)")
        clients[key]?.lastHeard = number
        return false
    }

    private mutating func resumed(on socket: SocketID) {
        guard let request = resuming[socket], let client = clientsByToken[request.token] else { return }
        owners[socket] = client
        // What it says that it has got does not come again.
        let heard = clients[client]?.lastHeard ?? 0
        clients[client]?.lastHeard = max(heard, request.received)
    }

    private mutating func join(_ joined: ServerMessage.Joined, _ key: SocketID) throws {
        try require(clients[key]?.session == nil, "a client joins twice")
        clients[key]?.session = joined.session
        sessionsByConnection[joined.connection.id] = joined.session
        for connection in joined.connections {
            try require(
                sessionsByConnection[connection.id] == joined.session, "someone of another session is named")
        }
        guard let resumption = joined.resumption else { return }
        clients[key]?.isResumable = true
        clientsByToken[resumption.token] = key
    }

    /// Nothing of a session is for whoever is not in it.
    private mutating func checkSession(_ message: ServerMessage, _ key: SocketID) throws {
        guard let session = clients[key]?.session else { throw Finding("a stranger is sent: \(message)") }
        var origin: String? = session
        switch message.body {
        case .connectionCreated(let connection): origin = sessionsByConnection[connection.id]
        case .connectionDestroyed(let gone): origin = sessionsByConnection[gone.id]
        case .published(let published):
            origin = sessionsByConnection[published.stream.connection.id]
            sessionsByStream[published.stream.id] = origin
        case .streamCreated(let stream), .streamUpdated(let stream):
            origin = sessionsByConnection[stream.connection.id]
            sessionsByStream[stream.id] = origin
        case .streamDestroyed(let gone): origin = sessionsByStream[gone.id] ?? session
        case .networkQuality(let update):
            origin =
                update.participants.map { sessionsByConnection[$0.connection] }.first { $0 != session }
                .flatMap(\.self) ?? session
        default: break
        }
        try require(
            origin == session,
            "a client in \(session) is sent a message of \(origin ?? "nothing"): \(message)")
    }
}
