// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterWire
import SessionWire

// MARK: - Coming and going

extension ServerCore {
    mutating func opened(_ socket: SocketID) {
        guard unjoined.count < limits.unjoinedConnections || closeOldestUnjoined() else {
            refuse(
                socket, nil, .tooMany,
                "\(limits.unjoinedConnections) clients are just joining; wait a few seconds and try again")
            return close(socket, .tooMany)
        }
        unjoined.insert(socket)
        clients[socket] = ServerClient(
            openedAt: now.elapsed, link: ClientLink(socket: socket),
            events: RecentNames(capacity: limits.rememberedEvents))
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
    mutating func endUnjoined(_ socket: SocketID) {
        tell(socket, .goodbye(.init(reason: "idle")))
        close(socket, .notJoined)
        clients[socket] = nil
        unjoined.remove(socket)
    }

    mutating func joining(
        _ socket: SocketID, id: Int, _ join: ClientMessage.Join, _ grant: Result<TokenGrant, ServerError>
    ) {
        clients[socket]?.unreadable = 0
        do throws(ServerError) {
            try use(id, from: socket)
            guard clients[socket]?.membership == nil else {
                throw ServerError(.notJoined, "this socket has joined already; open another one")
            }
            try checkVersion(join.version)
            _ = try ClientMessage(id: id, .join(join)).validated()
            let grant = try grant.get()
            let joined = try enter(socket, join, grant)
            try use(id, from: socket)
            answer(socket, id, .joined(joined))
            keepConnection(socket, client: Self.printable(join.client))
            tell(everybodyIn: joined.session, but: socket, .connectionCreated(joined.connection))
            membersChanged(in: joined.session)
            log(
                .joined(
                    session: joined.session, connection: joined.connection.id,
                    client: Self.printable(join.client).map { "\"\($0)\"" }))
        } catch {
            answer(socket, id, .error(error))
        }
    }

    /// What of a client's own words may stand in a log, between quotes.
    private static func printable(_ text: String?) -> String? {
        text.map {
            String(
                $0.unicodeScalars.prefix(64).map { scalar in
                    let isPlain = (32..<127).contains(scalar.value) && scalar != "\"" && scalar != "\\"
                    return isPlain ? Character(scalar) : "?"
                })
        }
    }

    func checkVersion(_ version: Int) throws(ServerError) {
        guard version == SessionProtocol.version else {
            throw ServerError(
                .unsupportedVersion,
                "the server speaks version \(SessionProtocol.version) of the session protocol, not \(version)"
            )
        }
    }

    private mutating func enter(
        _ socket: SocketID, _ join: ClientMessage.Join, _ grant: TokenGrant
    ) throws(ServerError) -> ServerMessage.Joined {
        let former = restorable(join.restore, .connection, grant)
        if let former { restoreSession(former) }
        try checkToken(grant)
        // Without those whose place it takes.
        guard let session = sessions[grant.session] else {
            throw ServerError(.unknownSession, "there is no such session; it may have ended")
        }
        guard clients.count - unjoined.count < limits.connections else {
            throw ServerError(.tooMany, "the server has \(limits.connections) clients and takes no more")
        }
        guard session.members.count < limits.connectionsPerSession else {
            throw ServerError(
                .tooMany, "the session has \(limits.connectionsPerSession) clients and takes no more")
        }
        let connection = describe(grant, former, in: session)
        clients[socket]?.membership = .init(
            session: session.id, role: grant.role, description: connection, grant: grant,
            isRestored: connection.id == former?.id)
        unjoined.remove(socket)
        sessions[session.id]?.members.append(socket)
        sessions[session.id]?.emptySince = nil
        let resumption = join.resumable == true ? makeResumable(socket, session) : nil
        return ServerMessage.Joined(
            session: session.id, mediaMode: session.mediaMode, role: grant.role, connection: connection,
            connections: session.members.compactMap { clients[$0]?.membership?.description },
            streams: descriptions(of: session.streams.values.filter(\.isAnnounced)),
            iceServers: iceServers(connection.id, now), resumption: resumption)
    }

    /// Whether a token lets another client in.
    ///
    /// One whose holder is away gives its place to the newcomer: whoever has a token may have lost what it takes to
    /// come back, and waits for nobody.
    private mutating func checkToken(_ grant: TokenGrant) throws(ServerError) {
        guard let session = sessions[grant.session] else { return }
        guard session.deniedTokens[grant.id] == nil else {
            throw ServerError(
                .forbidden, "a moderator has put this token's holder out of the session; get a new token")
        }
        let holders = session.members.filter { clients[$0]?.membership?.grant.id == grant.id }
        let limit = grant.connections ?? limits.connectionsPerToken
        guard holders.count >= limit else { return }
        guard let away = holders.first(where: { !isReachable($0) }) else {
            throw ServerError(
                .tooMany, "the token is in use by \(limit) clients, as many as it allows; get another one")
        }
        remove(away, reason: "lost")
    }

    /// A new connection, or the one that the client had before the server was started anew.
    private mutating func describe(
        _ grant: TokenGrant, _ former: RestorationSeal.Claim?, in session: ServerSession
    ) -> ConnectionDescription {
        let isFree = !session.members.contains { clients[$0]?.membership?.description.id == former?.id }
        guard let former, isFree else {
            return ConnectionDescription(id: ids.next(), name: grant.name, creationTime: now.unix)
        }
        return ConnectionDescription(id: former.id, name: grant.name, creationTime: former.creationTime)
    }

    private func descriptions(of streams: [ServerStream]) -> [StreamDescription] {
        streams.sorted { $0.slot < $1.slot }.compactMap(describe)
    }

    /// What others see of a stream; `nil` if its publisher is gone.
    func describe(_ stream: ServerStream) -> StreamDescription? {
        guard let connection = clients[stream.owner]?.membership?.description else { return nil }
        return StreamDescription(
            id: stream.id, connection: connection, creationTime: stream.creationTime, content: stream.content,
            senderStatsTrack: stream.senderStatsTrack)
    }

    mutating func leave(_ socket: SocketID, id: Int) {
        endStreams(of: socket, reason: "left")
        forgetRestoration(of: socket)
        answer(socket, id, .done)
        close(socket, .left)
        remove(socket, reason: "left")
    }

    /// A client is out of the session for good: what brought it back once does so no more.
    mutating func forgetRestoration(of client: SocketID) {
        guard let member = clients[client]?.membership, member.isRestored else { return }
        endedRestorations.insert(member.description.id)
    }

    private mutating func endStreams(of socket: SocketID, reason: String) {
        for slot in (clients[socket]?.slots ?? []).sorted() { end(slot, reason: reason) }
    }

    /// Removes a client and everything that is its own.
    mutating func remove(_ socket: SocketID, reason: String) {
        endStreams(of: socket, reason: reason)
        guard let client = clients.removeValue(forKey: socket) else { return }
        unjoined.remove(socket)
        if let token = client.link.resumable?.token { resumptions[token] = nil }
        guard let membership = client.membership else { return }
        sessions[membership.session]?.members.removeAll { $0 == socket }
        if sessions[membership.session]?.members.isEmpty == true {
            let elapsed = now.elapsed
            sessions[membership.session]?.emptySince = elapsed
        }
        let id = membership.description.id
        quality.forget(id)
        tell(
            everybodyIn: membership.session, but: socket, .connectionDestroyed(.init(id: id, reason: reason)))
        membersChanged(in: membership.session)
        keepEnd(ofConnection: id, in: membership.session, reason: reason)
        log(.left(session: membership.session, connection: id, reason: reason))
    }

    mutating func shutdown() {
        keepEndOfEverything()
        for socket in clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            tell(socket, .goodbye(.init(reason: "shutdown")))
            close(socket, .shutdown)
        }
        clients.removeAll()
        unjoined.removeAll()
        resumptions.removeAll()
        owners.removeAll()
        slots.removeAll()
        legs.removeAll()
        waitingLegs.removeAll()
        untoldUpdates.removeAll()
        saturations.removeAll()
        relays.removeAll()
        quality = QualityBook(quality.configuration)
        sessions.removeAll()
    }
}

// MARK: - Messages

extension ServerCore {
    /// Whether a socket's message is looked at: not after the server has ended it, and few before it has joined.
    mutating func admits(_ socket: SocketID) -> Bool {
        let client = client(on: socket)
        guard let sender = clients[client], !sender.link.isOver else { return false }
        guard sender.membership == nil else { return true }
        clients[client]?.messagesBeforeJoin += 1
        if sender.messagesBeforeJoin < limits.messagesBeforeJoin { return true }
        refuse(
            client, nil, .notJoined, "too many messages without a \"join\" that succeeds; open another socket"
        )
        close(client, .garbage)
        return false
    }

    /// Takes an id into use.
    ///
    /// Of who has not joined nothing is remembered.
    private mutating func use(_ id: Int, from socket: SocketID) throws(ServerError) {
        guard (1...SessionProtocol.numberLimit).contains(id) else {
            throw ServerError(.malformed, "\"id\" must be 1 to \(SessionProtocol.numberLimit)")
        }
        guard clients[socket]?.membership != nil else { return }
        guard clients[socket]?.usedIDs.insert(id) == true else {
            throw ServerError(.duplicateId, "the id \(id) has been used before on this socket")
        }
    }

    mutating func take(_ message: ClientMessage, from socket: SocketID) {
        guard clients[socket] != nil else { return }
        clients[socket]?.unreadable = 0
        do throws(ServerError) {
            try use(message.id, from: socket)
            guard let membership = clients[socket]?.membership else {
                throw ServerError(.notJoined, "the first message must be \"join\"")
            }
            try carryOut(try message.validated(), from: socket, membership)
        } catch {
            answer(socket, message.id, .error(error))
        }
    }

    private mutating func carryOut(
        _ message: ClientMessage, from socket: SocketID, _ member: ServerClient.Membership
    ) throws(ServerError) {
        let id = message.id
        switch message.body {
        case .join, .resume, .ack:
            throw ServerError(.notJoined, "this socket has joined already; open another one")
        case .publish(let request): try publish(request, id: id, from: socket, member)
        case .subscribe(let request): try subscribe(request, id: id, from: socket, member)
        case .offer(let request): try offer(request, id: id, from: socket)
        case .replace(let request): try replace(request, id: id, from: socket)
        case .candidate(let candidate): try take(candidate, from: socket)
        case .prefer(let request): try prefer(request, id: id, from: socket)
        case .update(let request): try update(request, id: id, from: socket)
        case .saturate(let request): try saturate(request, id: id, from: socket)
        case .unsubscribe(let leg): try end(leg.leg, .subscriber, id: id, from: socket)
        case .unpublish(let leg): try end(leg.leg, .publisher, id: id, from: socket)
        case .telemetry(let telemetry): try take(telemetry, id: id, from: socket)
        case .relay(let request): try relay(request, id: id, from: socket)
        case .answer(let request): try answerRelay(request, id: id, from: socket)
        case .settled(let leg): try settled(leg.leg, from: socket)
        case .legLost(let leg): try legLost(leg.leg, from: socket)
        case .giveUp(let request): try giveUp(request, from: socket)
        case .networkQuality(let request): askQuality(request, id: id, from: socket, member)
        case .forceUnpublish(let request): try forceUnpublish(request, id: id, from: socket, member)
        case .forceDisconnect(let request): try forceDisconnect(request, id: id, from: socket, member)
        case .leave: leave(socket, id: id)
        }
    }

    mutating func unreadable(_ socket: SocketID, id: Int?, _ error: ServerError) {
        guard let count = clients[socket]?.unreadable else { return }
        answer(socket, id, .error(error))
        clients[socket]?.unreadable = count + 1
        if count + 1 >= limits.unreadableMessages || error.code == .tooLarge { close(socket, .garbage) }
    }
}
