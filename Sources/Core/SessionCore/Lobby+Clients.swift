// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

// MARK: - Coming and going

extension Lobby {
    mutating func opened(_ socket: SocketID) {
        let client = ClientID(socket)
        guard unjoined.count < limits.unjoinedConnections || closeOldestUnjoined() else {
            refuse(
                client, nil, .tooMany,
                "\(limits.unjoinedConnections) clients are just joining; wait a few seconds and try again")
            return act(.close(socket, .tooMany))
        }
        unjoined.insert(client)
        clients.add(Client(openedAt: now.elapsed, link: ClientLink(socket: socket)), as: client)
    }

    /// A socket that has had this long to join gives way to a newer one when there are too many.
    private static let quickJoin: Duration = .seconds(1)

    /// Closes the socket that has had the most time to join; whether there was one that had enough.
    private mutating func closeOldestUnjoined() -> Bool {
        let oldest = unjoined.min { (clients[$0]?.openedAt ?? .zero) < (clients[$1]?.openedAt ?? .zero) }
        guard let oldest, let openedAt = clients[oldest]?.openedAt, openedAt + Self.quickJoin <= now.elapsed
        else { return false }
        endUnjoined(oldest)
        return true
    }

    /// Closes a socket whose client has not joined.
    private mutating func endUnjoined(_ client: ClientID) {
        notify(client, .goodbye(.init(reason: .idle)))
        close(client, .notJoined)
        clients.remove(client)
        unjoined.remove(client)
    }

    /// Closes the sockets that had their time to join.
    mutating func expireJoins() {
        for client in unjoined {
            let isLate = clients[client].map { $0.openedAt + timeouts.join <= now.elapsed } ?? true
            if isLate { endUnjoined(client) }
        }
    }

    mutating func joining(
        _ client: ClientID, id: Int, _ join: ClientMessage.Join, _ grant: Result<TokenGrant, ServerError>
    ) {
        clients.change(client) { $0.noteReadable() }
        do throws(ServerError) {
            try use(id, of: client)
            guard clients[client]?.membership == nil else {
                throw ServerError(.notJoined, "this socket has joined already; open another one")
            }
            try checkVersion(join.version)
            _ = try ClientMessage(id: id, .join(join)).validated()
            let (member, resumption) = try enter(client, join, grant.get())
            try use(id, of: client)
            let software = join.client?.printable
            put(.joined(member, id: id, resumption, software: software), to: member.session)
        } catch {
            answer(client, id, .error(error))
        }
    }

    func checkVersion(_ version: Int) throws(ServerError) {
        guard SessionProtocol.servedVersions.contains(version) else {
            throw ServerError(
                .unsupportedVersion,
                "the server speaks version \(SessionProtocol.version) of the session protocol, not \(version)"
            )
        }
    }

    private mutating func enter(
        _ client: ClientID, _ join: ClientMessage.Join, _ grant: TokenGrant
    ) throws(ServerError) -> (Identity, Resumption?) {
        guard !denied.contains(grant) else {
            throw ServerError(
                .forbidden, "a moderator has put this token's holder out of the session; get a new token")
        }
        let former = restorable(join.restore, grant)
        // The first to come after a restart need not be one of those who were there.
        restoreSession(grant.session, former?.mediaMode ?? grant.mediaMode)
        let id = SessionID(grant.session)
        if let away = try sessions[id]?.admit(grant, at: now.elapsed) { remove(away, reason: .lost) }
        // Without those whose place it takes.
        try checkRoom(in: id)
        let member = identify(client, join, grant, former, in: id)
        let membership = Client.Membership(
            session: id, connection: member.connection,
            isRestored: member.isRestored)
        clients.change(client) { $0.membership = membership }
        unjoined.remove(client)
        let resumption = join.resumable == true ? makeResumable(member, in: id) : nil
        return (member, resumption)
    }

    /// The connection that a client had before the server was restarted; `nil` if it had none, or its time is over.
    private func restorable(_ token: String?, _ grant: TokenGrant) -> RestorationSeal.Claim? {
        guard mayRestore(in: SessionID(grant.session)),
            let claim = settings.restorable(token, .connection, grant, at: now),
            !endedRestorations.contains(ConnectionID(claim.connection))
        else { return nil }
        return claim
    }

    /// Whether there is room for one more client.
    private func checkRoom(in id: SessionID) throws(ServerError) {
        guard let count = sessions[id]?.live?.roster.count else { throw Self.unknownSession }
        if count == 0 { try checkSessions() }
        guard spareConnections > 0 else {
            throw ServerError(.tooMany, "the server has \(limits.connections) clients and takes no more")
        }
        guard count < limits.connectionsPerSession else {
            throw ServerError(
                .tooMany, "the session has \(limits.connectionsPerSession) clients and takes no more")
        }
    }

    private static let unknownSession = ServerError(
        .unknownSession, "there is no such session; it may have ended")

    /// A new connection, or the one that the client had before the server was restarted.
    private mutating func identify(
        _ client: ClientID, _ join: ClientMessage.Join, _ grant: TokenGrant, _ former: RestorationSeal.Claim?,
        in session: SessionID
    ) -> Identity {
        let description: ConnectionDescription
        if let former, sessions[session]?.live?.isFree(former.id) == true {
            description = .init(id: former.id, name: grant.name, creationTime: former.creationTime)
        } else {
            description = .init(id: ids.next(), name: grant.name, creationTime: now.unix)
        }
        return Identity(
            client: client, session: session, description: description, grant: grant,
            isResumable: join.resumable == true, isRestored: description.id == former?.id)
    }

    private mutating func leave(_ client: ClientID, id: Int, _ session: SessionID) {
        put(.leaving(client, reason: .left), to: session)
        forgetRestoration(of: client)
        answer(client, id, .done)
        close(client, .left)
        remove(client, reason: .left)
    }

    /// Puts a client out of its session for good.
    mutating func putOut(_ client: ClientID, _ reason: EndReason, closing: CloseReason) {
        forgetRestoration(of: client)
        notify(client, .goodbye(.init(reason: reason)))
        // Who is removed has no socket any more that it could be asked for.
        let socket = clients[client]?.link.socket
        remove(client, reason: reason)
        if let socket { act(.close(socket, closing)) }
    }

    /// A client is out of the session for good: what brought it back once does so no more.
    private mutating func forgetRestoration(of client: ClientID) {
        guard let membership = clients[client]?.membership, membership.isRestored else { return }
        endedRestorations.insert(membership.connection)
    }

    /// Removes a client and everything that is its own.
    mutating func remove(_ client: ClientID, reason: EndReason) {
        let session = clients[client]?.membership?.session
        if let session { put(.leaving(client, reason: reason), to: session) }
        guard let gone = clients.remove(client) else { return }
        unjoined.remove(client)
        if let token = gone.link.resumable?.token { resumptions[token] = nil }
        if let session { put(.left(client, reason: reason), to: session) }
    }

    mutating func shutdown() {
        for id in sessions.keys.sorted() { put(.ended(isShutdown: true), to: id) }
        for client in clients.ids.sorted() {
            notify(client, .goodbye(.init(reason: .shutdown)))
            close(client, .shutdown)
        }
        clients.removeAll()
        unjoined.removeAll()
        resumptions.removeAll()
        owners.removeAll()
        sessions.removeAll()
        sessionsByNumber.removeAll()
        unused = UnusedSessions()
        census = Census()
        routers.forgetSessions()
        storing?.tickets.longestWait = ReportTickets.longestWaitAtEnd
    }
}

// MARK: - Messages

extension Lobby {
    /// Whether a socket's message is looked at: not after the server has ended it, and few before it has joined.
    mutating func admits(_ socket: SocketID) -> Bool {
        let client = client(on: socket)
        guard let sender = clients[client], !sender.link.isOver else { return false }
        guard sender.membership == nil else { return true }
        let earlier = clients.change(client) { $0.countBeforeJoin() }
        if earlier ?? 0 < limits.messagesBeforeJoin { return true }
        refuse(
            client, nil, .notJoined, "too many messages without a \"join\" that succeeds; open another socket"
        )
        close(client, .garbage)
        return false
    }

    mutating func take(_ message: ClientMessage, from client: ClientID) {
        guard clients[client] != nil else { return }
        clients.change(client) { $0.noteReadable() }
        do throws(ServerError) {
            try use(message.id, of: client)
            guard let session = clients[client]?.membership?.session else {
                throw ServerError(.notJoined, "the first message must be \"join\"")
            }
            let message = try message.validated()
            switch message.body {
            case .join, .resume, .ack:
                throw ServerError(.notJoined, "this socket has joined already; open another one")
            case .leave: leave(client, id: message.id, session)
            default: put(.message(message, client), to: session)
            }
        } catch {
            answer(client, message.id, .error(error))
        }
    }

    /// Takes a message's id into use.
    private mutating func use(_ id: Int, of client: ClientID) throws(ServerError) {
        try clients.change(client) { client throws(ServerError) in try client.use(id) }
    }

    mutating func unreadable(_ client: ClientID, id: Int?, _ error: ServerError) {
        guard let count = clients.change(client, { $0.noteUnreadable() }) else { return }
        answer(client, id, .error(error))
        if count >= limits.unreadableMessages || error.code == .tooLarge { close(client, .garbage) }
    }
}

extension String {
    /// What of a client's own words may stand in a log, between quotes: one short line.
    var printable: String {
        String(
            unicodeScalars.prefix(128).map { scalar in
                let isPlain = (32..<127).contains(scalar.value) && scalar != "\"" && scalar != "\\"
                return isPlain ? Character(scalar) : "?"
            })
    }
}
