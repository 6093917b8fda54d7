// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

@testable import SessionCore

/// The client's end of a session that outlives its sockets.
struct ResumableClient {
    let name: String
    /// The id of the token that it joins with.
    var grant: String
    var token = ""
    var ledger = MessageLedger<ClientMessage>(limit: 10_000)
    /// The name of its present socket.
    var socket: String
    private var sockets = 1
    private var lastID = 1

    init(_ name: String) {
        self.name = name
        grant = name
        socket = "\(name)-1"
    }

    /// Numbers a message; it is not sent yet.
    mutating func make(_ body: ClientMessage.Body) -> ClientMessage? {
        lastID += 1
        let id = lastID
        return ledger.send { ClientMessage(id: id, seq: $0, body) }
    }

    /// Takes another socket.
    mutating func nextSocket() -> String {
        sockets += 1
        socket = "\(name)-\(sockets)"
        return socket
    }

    /// An id that nothing else has.
    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// What of some messages is new; takes note of them.
    mutating func take(_ messages: [ServerMessage]) -> [ServerMessage] {
        messages.filter { message in
            guard let number = message.seq else { return true }
            return ledger.receive(number, at: .zero) == .next
        }
    }
}

extension CoreScenario {
    /// Opens a socket and joins on it; gives the answer.
    mutating func join(
        _ client: inout ResumableClient, restore: String? = nil, session: String? = nil
    ) -> ServerMessage.Joined? {
        open(client.socket)
        let grant = TokenGrant(
            session: session ?? self.session, role: .publisher, name: client.name, id: client.grant)
        let join = ClientMessage.Join(token: "t", resumable: true, restore: restore)
        put(.join(socket(client.socket), id: 1, join, .success(grant)))
        guard case .joined(let joined) = inbox(client.socket).last?.body else { return nil }
        client.token = joined.resumption?.token ?? ""
        put(.message(socket(client.socket), ClientMessage(id: 0, .ack(.init(received: 0)))))
        return joined
    }

    /// Sends a numbered message.
    @discardableResult
    mutating func send(_ client: inout ResumableClient, _ body: ClientMessage.Body) -> Int? {
        guard let message = client.make(body) else { return nil }
        put(.message(socket(client.socket), message))
        return message.id
    }

    /// Opens another socket and asks to continue; gives what comes on it.
    mutating func resume(_ client: inout ResumableClient) -> [ServerMessage] {
        open(client.nextSocket())
        let request = ClientMessage.Resume(token: client.token, received: client.ledger.received)
        put(.message(socket(client.socket), ClientMessage(id: client.nextID(), .resume(request))))
        return inbox(client.socket)
    }
}
