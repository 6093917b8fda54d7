// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

// MARK: - Moderation

extension ServerCore {
    /// Ends somebody's stream.
    mutating func forceUnpublish(
        _ request: ClientMessage.StreamName, id: Int, from socket: SocketID, _ member: ServerClient.Membership
    ) throws(ServerError) {
        try checkModerator(member, "end others' streams")
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

    /// Puts somebody out of the session.
    mutating func forceDisconnect(
        _ request: ClientMessage.ConnectionName, id: Int, from socket: SocketID,
        _ member: ServerClient.Membership
    ) throws(ServerError) {
        try checkModerator(member, "put others out of the session")
        let target = sessions[member.session]?.members.first {
            clients[$0]?.membership?.description.id == request.connection
        }
        guard let target else {
            throw ServerError(.unknownConnection, "there is no such connection; it may have left")
        }
        guard target != socket else {
            throw ServerError(.malformed, "to put oneself out of the session, leave it")
        }
        tell(target, .goodbye(.init(reason: "forced")))
        remove(target, reason: "forced")
        close(target, .forced)
        answer(socket, id, .done)
    }

    private func checkModerator(_ member: ServerClient.Membership, _ what: String) throws(ServerError) {
        guard member.role == .moderator else {
            throw ServerError(
                .forbidden, "the token's role, \(member.role.rawValue), does not allow to \(what)")
        }
    }
}
