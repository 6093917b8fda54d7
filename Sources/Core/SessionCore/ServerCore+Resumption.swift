// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

// A client goes by the socket that it joined on, also when another one has taken its place.

// MARK: - Messages of clients

extension ServerCore {
    /// The client that a socket belongs to.
    func client(on socket: SocketID) -> SocketID { owners[socket] ?? socket }

    /// Whether a client can be told something at the moment.
    func isReachable(_ client: SocketID) -> Bool { clients[client]?.link.socket != nil }

    mutating func receive(_ message: ClientMessage, on socket: SocketID) {
        let client = client(on: socket)
        switch message.body {
        case .resume(let request): resume(request, id: message.id, on: socket)
        case .ack(let acknowledgement): confirmed(acknowledgement, by: client)
        default:
            if takesTurn(message.seq, id: message.id, of: client) { take(message, from: client) }
        }
    }

    mutating func receive(unreadable error: ServerError, id: Int?, seq: Int?, on socket: SocketID) {
        let client = client(on: socket)
        guard seq == nil || takesTurn(seq, id: id, of: client) else { return }
        unreadable(client, id: id, error)
    }

    /// Whether a message is the client's next one.
    private mutating func takesTurn(_ number: Int?, id: Int?, of client: SocketID) -> Bool {
        guard var resumable = clients[client]?.link.resumable else { return true }
        guard let number else {
            refuse(client, id, .malformed, "\"seq\" is missing: a resumable client numbers its messages")
            return false
        }
        let reception = resumable.ledger.receive(number)
        resumable.hasBegun = true
        resumable.unreportedSince = resumable.unreportedSince ?? now.elapsed
        clients[client]?.link.resumable = resumable
        if resumable.ledger.unreported >= Self.unreportedLimit { report(to: client) }
        if reception == .gap { cut(client) }
        return reception == .next
    }

    private mutating func confirmed(_ acknowledgement: Acknowledgement, by client: SocketID) {
        guard var resumable = clients[client]?.link.resumable else { return }
        let isPossible = resumable.ledger.confirm(acknowledgement.received)
        resumable.hasBegun = true
        clients[client]?.link.resumable = resumable
        if !isPossible { cut(client) }
    }

    /// Ends a socket on which nothing sensible can come any more; the client may try another one.
    private mutating func cut(_ client: SocketID) {
        guard let socket = clients[client]?.link.socket else { return }
        act(.close(socket, .garbage))
        closed(socket)
    }
}

// MARK: - Messages to clients

extension ServerCore {
    /// Most messages of a client that are not confirmed at once.
    private static let unreportedLimit = 16
    /// Longest that a message of a client is not confirmed.
    private static let reportDelay: Duration = .seconds(1)

    /// Sends a message, or keeps it for a client that has no socket at the moment.
    mutating func deliver(_ message: ServerMessage, to client: SocketID) {
        guard let recipient = number(message, for: client) else { return }
        var message = message
        message.seq = recipient.number
        act(.send(recipient.socket, message))
    }

    /// Numbers a message for a client and keeps it if the client is resumable.
    ///
    /// - Returns: Whom to send it to now; `nil` if the client has no socket at the moment.
    mutating func number(_ message: ServerMessage, for client: SocketID) -> Broadcast.Recipient? {
        // A socket that was not taken, or whose client is just being removed, is told all the same.
        guard let socket = clients[client].map(\.link.socket) else { return .init(socket: client) }
        guard message.isNumbered, clients[client]?.link.resumable != nil else {
            return socket.map { .init(socket: $0) }
        }
        // In place: what is kept is not to be copied with each message.
        let numbered = clients[client]?.link.resumable?.ledger.send(weight: message.weight) { number in
            var message = message
            message.seq = number
            return message
        }
        // It hears nothing any more, and is removed when the input at hand has been dealt with.
        guard let numbered else {
            overfull.insert(client)
            return nil
        }
        return socket.map { .init(socket: $0, number: numbered.seq) }
    }

    /// Removes clients that have let too much pile up.
    mutating func removeOverfull() {
        while let client = overfull.popFirst() {
            close(client, .tooMany)
            remove(client, reason: "lost")
        }
    }

    private mutating func report(to client: SocketID) {
        guard let acknowledgement = clients[client]?.link.resumable?.ledger.report() else { return }
        clients[client]?.link.resumable?.unreportedSince = nil
        deliver(ServerMessage(.ack(acknowledgement)), to: client)
    }

    /// Confirms what has waited long enough.
    mutating func reportAll() {
        let elapsed = now.elapsed
        let due = clients.filter { _, client in
            guard client.link.socket != nil, let since = client.link.resumable?.unreportedSince else {
                return false
            }
            return since + Self.reportDelay <= elapsed
        }
        for client in due.keys { report(to: client) }
    }
}

// MARK: - Losing a socket and coming back

extension ServerCore {
    mutating func closed(_ socket: SocketID) {
        let client = client(on: socket)
        owners[socket] = nil
        guard let link = clients[client]?.link, link.socket == socket else { return }
        guard link.canComeBack else { return remove(client, reason: "lost") }
        let elapsed = now.elapsed
        clients[client]?.link.socket = nil
        clients[client]?.link.awaySince = elapsed
        note(client) { .away(session: $0, connection: $1) }
    }

    /// Removes those who did not come back in time.
    mutating func expireAway() {
        let (elapsed, limit) = (now.elapsed, timeouts.resumption)
        let late = clients.filter { _, client in
            client.link.awaySince.map { $0 + limit <= elapsed } ?? false
        }
        for client in late.keys.sorted(by: { $0.rawValue < $1.rawValue }) { remove(client, reason: "lost") }
    }

    private mutating func resume(_ request: ClientMessage.Resume, id: Int, on socket: SocketID) {
        do throws(ServerError) {
            guard owners[socket] == nil, let visitor = clients[socket], visitor.membership == nil else {
                throw ServerError(.notJoined, "this socket has joined already; open another one")
            }
            try checkVersion(request.version)
            let client = try resumable(request.token)
            guard let missed = clients[client]?.link.resumable?.ledger.resume(after: request.received) else {
                close(client, .tooMany)
                remove(client, reason: "lost")
                throw ServerError(.resumptionOver, "too much was lost to go on with the session")
            }
            move(client, to: socket)
            let received = clients[client]?.link.resumable?.ledger.report() ?? .init(received: 0)
            clients[client]?.link.resumable?.unreportedSince = nil
            act(.send(socket, ServerMessage(re: id, .resumed(received))))
            for message in missed { act(.send(socket, message)) }
            note(client) { .resumed(session: $0, connection: $1) }
        } catch {
            answer(socket, id, .error(error))
        }
    }

    /// The client that a token belongs to.
    private func resumable(_ token: String) throws(ServerError) -> SocketID {
        guard let claim = seal.open(token), claim.thing == .connection, claim.instance == instance else {
            throw ServerError(.unknownResumption, "the server does not know this client: join again")
        }
        guard let client = resumptions[token] else {
            throw ServerError(.resumptionOver, "the client was away for too long, and is out of the session")
        }
        return client
    }

    /// Gives a client another socket; the one before, which may not know yet that it is dead, is closed.
    private mutating func move(_ client: SocketID, to socket: SocketID) {
        if let old = clients[client]?.link.socket {
            act(.close(old, .replaced))
            owners[old] = nil
        }
        clients[socket] = nil
        unjoined.remove(socket)
        owners[socket] = client
        clients[client]?.link.socket = socket
        clients[client]?.link.awaySince = nil
    }

    private mutating func note(_ client: SocketID, _ note: (String, String) -> CoreNote) {
        guard let membership = clients[client]?.membership else { return }
        log(note(membership.session, membership.description.id))
    }
}

// MARK: - What a client takes with it

extension ServerCore {
    /// Lets a client come back on other sockets.
    mutating func makeResumable(_ client: SocketID, _ session: ServerSession) -> Resumption? {
        guard let member = clients[client]?.membership else { return nil }
        let connection = member.description
        let claim = RestorationSeal.Claim(
            thing: .connection, instance: instance, session: session.id, mediaMode: session.mediaMode,
            connection: connection.id, id: connection.id, creationTime: connection.creationTime,
            grant: member.grant.id, issued: now.unix, nonce: ids.next())
        let token = seal.seal(claim)
        let ledger = MessageLedger<ServerMessage>(
            limit: limits.unconfirmedMessages, weightLimit: limits.unconfirmedBytes)
        clients[client]?.link.resumable = .init(token: token, ledger: ledger)
        resumptions[token] = client
        return Resumption(token: token, seconds: timeouts.resumption / .seconds(1))
    }

    /// What brings a stream back on a server that was started anew; `nil` for clients that do not come back.
    mutating func restoration(of stream: ServerStream, in session: String) -> String? {
        guard let client = clients[stream.owner], client.link.resumable != nil,
            let member = client.membership, let mode = sessions[session]?.mediaMode
        else { return nil }
        return seal.seal(
            .init(
                thing: .stream, instance: instance, session: session, mediaMode: mode,
                connection: member.description.id, id: stream.id, creationTime: stream.creationTime,
                grant: member.grant.id, issued: now.unix, nonce: ids.next()))
    }

    /// What a client of an earlier run of the server had; `nil` if it had nothing, or its token is not in order.
    ///
    /// Clients come back soon after the server is there again, with the token that they have joined with before; what
    /// comes later, or with another one, is none of theirs.
    func restorable(_ token: String?, _ thing: RestorationSeal.Claim.Thing, _ grant: TokenGrant)
        -> RestorationSeal.Claim?
    {
        guard now.elapsed - (startedAt ?? now.elapsed) < timeouts.restoration,
            let claim = token.flatMap(seal.open), claim.thing == thing, claim.session == grant.session,
            claim.instance != instance, claim.grant == grant.id, Self.isCurrent(claim, now),
            !endedRestorations.contains(claim.connection)
        else { return nil }
        return claim
    }

    /// Whether a claim was made while a token that is still good may have been.
    private static func isCurrent(_ claim: RestorationSeal.Claim, _ now: CoreTime) -> Bool {
        let age = (now.unix - claim.issued) / 1000
        let leeway = TokenGrant.leeway / .seconds(1)
        return age > -leeway && age < TokenGrant.maximumLifetime / .seconds(1)
    }

    /// Makes a session of an earlier run of the server again.
    mutating func restoreSession(_ claim: RestorationSeal.Claim) {
        guard sessions[claim.session] == nil else { return }
        // If there are too many, joining it is refused for want of it.
        _ = try? createSession(id: claim.session, mediaMode: claim.mediaMode, at: now)
    }
}
