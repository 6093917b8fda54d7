// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

// MARK: - Messages of clients

extension Lobby {
    /// The client that a socket belongs to.
    func client(on socket: SocketID) -> ClientID { owners[socket] ?? ClientID(socket) }

    mutating func receive(_ message: ClientMessage, on socket: SocketID) {
        let client = client(on: socket)
        switch message.body {
        case .resume(let request): resume(request, id: message.id, on: socket)
        case .ack(let acknowledgement): _ = confirms(acknowledgement.received, client)
        default:
            if let received = message.received, !confirms(received, client) { return }
            if takesTurn(message.seq, id: message.id, of: client) { take(message, from: client) }
        }
    }

    mutating func receive(unreadable error: ServerError, id: Int?, seq: Int?, on socket: SocketID) {
        let client = client(on: socket)
        guard seq == nil || takesTurn(seq, id: id, of: client) else { return }
        unreadable(client, id: id, error)
    }

    /// Whether a message is the client's next one.
    private mutating func takesTurn(_ number: Int?, id: Int?, of client: ClientID) -> Bool {
        guard clients[client]?.isResumable == true else { return true }
        guard let number else {
            refuse(client, id, .malformed, "\"seq\" is missing: a resumable client numbers its messages")
            return false
        }
        let elapsed = now.elapsed
        // In place: what is kept is not to be copied with each message.
        let reception = clients.change(client) { $0.receive(number, at: elapsed) } ?? nil
        if let count = clients[client]?.unreported, count >= Acknowledgement.mostWaiting {
            report(to: client)
        }
        if reception == .gap { cut(client) }
        return reception == .next
    }

    /// Whether a client can have got everything up to a number; the socket of one that cannot is closed.
    private mutating func confirms(_ number: Int, _ client: ClientID) -> Bool {
        guard clients.change(client, { $0.confirm(number) }) == false else { return true }
        cut(client)
        return false
    }

    /// Ends a socket on which nothing sensible can come any more; the client may try another one.
    private mutating func cut(_ client: ClientID) {
        guard let socket = clients[client]?.link.socket else { return }
        act(.close(socket, .garbage))
        closed(socket)
    }
}

// MARK: - Messages to clients

extension Lobby {
    /// Sends a message, or keeps it for a client that has no socket at the moment.
    mutating func deliver(_ message: ServerMessage, to client: ClientID) {
        guard let recipient = number(message, for: client) else { return }
        var message = message
        message.seq = recipient.number
        if recipient.number != nil, let count = clients[client]?.unreported, count > 0 {
            message.received = report(of: client)?.received
        }
        act(.send(recipient.socket, message))
    }

    /// Sends many clients the same message, or keeps it.
    mutating func broadcast(_ message: ServerMessage, to clients: [ClientID]) {
        let recipients = clients.compactMap { number(message, for: $0) }
        if !recipients.isEmpty { act(.broadcast(.init(message: message, recipients: recipients))) }
    }

    /// Numbers a message for a client and keeps it if the client is resumable.
    ///
    /// - Returns: Whom to send it to now; `nil` if the client has no socket at the moment.
    private mutating func number(_ message: ServerMessage, for client: ClientID) -> Broadcast.Recipient? {
        // A socket that was not taken gets the answer all the same.
        guard let isResumable = clients[client]?.isResumable else { return .init(socket: client.firstSocket) }
        let socket = clients[client]?.link.socket
        guard message.isNumbered, isResumable else { return socket.map { .init(socket: $0) } }
        // In place: what is kept is not to be copied with each message.
        guard let number = clients.change(client, { $0.number(message) }) ?? nil else {
            // It hears nothing any more, and is removed when the input at hand has been dealt with.
            overfull.insert(client)
            return nil
        }
        return socket.map { .init(socket: $0, number: number) }
    }

    /// Removes clients whose queues are too full.
    mutating func removeOverfull() {
        while let client = overfull.popFirst() {
            close(client, .tooMany)
            remove(client, reason: .lost)
        }
    }

    /// How far a client's messages have arrived; `nil` for one that cannot come back.
    private mutating func report(of client: ClientID) -> Acknowledgement? {
        clients.change(client) { $0.report() } ?? nil
    }

    private mutating func report(to client: ClientID) {
        guard let acknowledgement = report(of: client) else { return }
        notify(client, .ack(acknowledgement))
    }

    /// Confirms what has waited long enough.
    mutating func reportAll() {
        let due = clients.ids { $0.isReportDue(at: now.elapsed) }
        for client in due { report(to: client) }
    }
}

// MARK: - Losing a socket and coming back

extension Lobby {
    mutating func closed(_ socket: SocketID) {
        let client = client(on: socket)
        owners[socket] = nil
        guard let link = clients[client]?.link, link.socket == socket else { return }
        guard link.canComeBack else { return remove(client, reason: .lost) }
        let elapsed = now.elapsed
        clients.change(client) { $0.link.detach(at: elapsed) }
        note(client, isAway: true)
    }

    /// Removes those who did not come back in time.
    mutating func expireAway() {
        let moment = now.elapsed - timeouts.resumption
        let late = clients.ids { $0.isAway(since: moment) }
        for client in late.sorted() { remove(client, reason: .lost) }
    }

    private mutating func resume(_ request: ClientMessage.Resume, id: Int, on socket: SocketID) {
        do throws(ServerError) {
            guard owners[socket] == nil, let visitor = clients[ClientID(socket)], visitor.membership == nil
            else { throw ServerError(.notJoined, "this socket has joined already; open another one") }
            try checkVersion(request.version)
            let client = try resumable(request.token)
            guard let missed = clients.change(client, { $0.resume(after: request.received) }) ?? nil else {
                close(client, .tooMany)
                remove(client, reason: .lost)
                throw ServerError(.resumptionOver, "too much was lost to go on with the session")
            }
            move(client, to: socket)
            let received = report(of: client) ?? .init(received: 0)
            act(.send(socket, ServerMessage(re: id, .resumed(received))))
            for message in missed { act(.send(socket, message)) }
            note(client, isAway: false)
        } catch {
            answer(ClientID(socket), id, .error(error))
        }
    }

    /// The client that a token belongs to.
    private func resumable(_ token: String) throws(ServerError) -> ClientID {
        guard let claim = settings.seal.open(token), claim.subject == .connection,
            claim.instance == settings.instance
        else { throw ServerError(.unknownResumption, "the server does not know this client: join again") }
        guard let client = resumptions[token], clients[client]?.link.isOver != true else {
            // Who joins again is sent to where the session is by now.
            if home != nil, !has(claim.session) {
                throw ServerError(.unknownResumption, "the session is not here any more: join again")
            }
            throw ServerError(.resumptionOver, "the client was away for too long, and is out of the session")
        }
        return client
    }

    /// Gives a client another socket; the one before, which may not know yet that it is dead, is closed.
    private mutating func move(_ client: ClientID, to socket: SocketID) {
        if let old = clients[client]?.link.socket {
            act(.close(old, .replaced))
            owners[old] = nil
        }
        clients.remove(ClientID(socket))
        unjoined.remove(ClientID(socket))
        owners[socket] = client
        clients.change(client) { $0.link.attach(socket) }
    }

    private mutating func note(_ client: ClientID, isAway: Bool) {
        guard let session = clients[client]?.membership?.session else { return }
        put(.away(client, isAway), to: session)
    }

    /// Lets a client come back on other sockets.
    mutating func makeResumable(_ member: Identity, in id: SessionID) -> Resumption? {
        guard let mediaMode = sessions[id]?.live?.mediaMode else { return nil }
        let description = member.description
        let token = settings.restoration(
            .connection, id: description.id, creationTime: description.creationTime, of: member, in: id,
            mediaMode, at: now, nonce: ids.next())
        let ledger = MessageLedger<ServerMessage>(
            limit: limits.unconfirmedMessages, weightLimit: limits.unconfirmedBytes)
        clients.change(member.client) { $0.link.resumable = .init(token: token, ledger: ledger) }
        resumptions[token] = member.client
        return Resumption(token: token, seconds: timeouts.resumption.seconds)
    }
}
