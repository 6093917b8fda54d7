// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterProtocol
import SessionProtocol

// MARK: - Coming and going

extension ServerCore {
    mutating func opened(_ socket: SocketID) {
        guard clients.count < limits.connections else {
            refuse(socket, nil, .tooMany, "the server has \(limits.connections) clients and takes no more")
            return close(socket, .tooMany)
        }
        clients[socket] = ServerClient(
            openedAt: now.elapsed, link: ClientLink(socket: socket),
            events: RecentNames(capacity: limits.rememberedEvents))
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
        let former = restorable(join.restore, .connection, in: grant.session)
        if let former { restoreSession(former) }
        guard let session = sessions[grant.session] else {
            throw ServerError(.unknownSession, "there is no such session; it may have ended")
        }
        guard session.members.count < limits.connectionsPerSession else {
            throw ServerError(
                .tooMany, "the session has \(limits.connectionsPerSession) clients and takes no more")
        }
        let connection = describe(grant, former, in: session)
        clients[socket]?.membership = .init(session: session.id, role: grant.role, description: connection)
        sessions[session.id]?.members.append(socket)
        sessions[session.id]?.emptySince = nil
        let resumption = join.resumable == true ? makeResumable(socket, session) : nil
        return ServerMessage.Joined(
            session: session.id, mediaMode: session.mediaMode, role: grant.role, connection: connection,
            connections: session.members.compactMap { clients[$0]?.membership?.description },
            streams: descriptions(of: session.streams.values.filter(\.isAnnounced)),
            iceServers: iceServers(connection.id, now), resumption: resumption)
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
        answer(socket, id, .done)
        close(socket, .left)
        remove(socket, reason: "left")
    }

    private mutating func endStreams(of socket: SocketID, reason: String) {
        for slot in (clients[socket]?.slots ?? []).sorted() { end(slot, reason: reason) }
    }

    /// Removes a client and everything that is its own.
    mutating func remove(_ socket: SocketID, reason: String) {
        endStreams(of: socket, reason: reason)
        guard let client = clients.removeValue(forKey: socket) else { return }
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
        resumptions.removeAll()
        owners.removeAll()
        slots.removeAll()
        legs.removeAll()
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
