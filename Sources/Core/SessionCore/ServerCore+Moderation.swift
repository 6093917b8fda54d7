// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

// MARK: - Moderation

extension ServerCore {
    /// Ends somebody's stream.
    mutating func forceUnpublish(
        _ request: ClientMessage.StreamName, id: Int, from socket: SocketID, _ member: ServerClient.Membership
    ) throws(ServerError) {
        try checkModerator(member, "end others' streams")
        try pace(.moderation, by: socket)
        guard let stream = sessions[member.session]?.streams[request.stream], stream.isAnnounced else {
            throw ServerError(.unknownStream, "there is no such stream; it may have ended")
        }
        // The end of a stream is told to its owner only where somebody else than the owner wanted it.
        let isHeardByOwner = stream.subscriptions.contains { slots[$0]?.socket == stream.owner }
        end(stream.slot, reason: "forced")
        if !isHeardByOwner, stream.owner != socket {
            tell(stream.owner, .streamDestroyed(.init(id: stream.id, reason: "forced")))
        }
        answer(socket, id, .done)
    }

    /// Puts somebody out of the session, who does not come back by the same token.
    mutating func forceDisconnect(
        _ request: ClientMessage.ConnectionName, id: Int, from socket: SocketID,
        _ member: ServerClient.Membership
    ) throws(ServerError) {
        try checkModerator(member, "put others out of the session")
        try pace(.moderation, by: socket)
        let target = sessions[member.session]?.members.first {
            clients[$0]?.membership?.description.id == request.connection
        }
        guard let target else {
            throw ServerError(.unknownConnection, "there is no such connection; it may have left")
        }
        guard target != socket else {
            throw ServerError(.malformed, "to put oneself out of the session, leave it")
        }
        deny(target)
        tell(target, .goodbye(.init(reason: "forced")))
        remove(target, reason: "forced")
        close(target, .forced)
        answer(socket, id, .done)
    }

    /// Lets nobody in any more by a client's token, nor have what the client had.
    private mutating func deny(_ client: SocketID) {
        guard let member = clients[client]?.membership else { return }
        forgetRestoration(of: client)
        let denied = sessions[member.session]?.deniedTokens ?? [:]
        // Whichever expires first has the least to lose.
        if denied.count >= limits.deniedTokens, let first = denied.min(by: { $0.value < $1.value })?.key {
            sessions[member.session]?.deniedTokens[first] = nil
        }
        sessions[member.session]?.deniedTokens[member.grant.id] = member.grant.expires
    }

    /// Forgets those whose tokens have expired, and let nobody in anyway.
    mutating func expireDenials() {
        let time = now.unix
        for (id, session) in sessions where session.deniedTokens.contains(where: { $0.value <= time }) {
            sessions[id]?.deniedTokens = session.deniedTokens.filter { $0.value > time }
        }
    }

    private func checkModerator(_ member: ServerClient.Membership, _ what: String) throws(ServerError) {
        guard member.role == .moderator else {
            throw ServerError(
                .forbidden, "the token's role, \(member.role.rawValue), does not allow to \(what)")
        }
    }
}
