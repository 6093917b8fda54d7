// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

// MARK: - Moderation

extension LiveSession {
    /// Ends someone's stream.
    mutating func forceUnpublish(
        _ request: ClientMessage.StreamName, id: Int, _ member: Identity
    ) throws(ServerError) {
        try checkModerator(member, "end others' streams")
        try pace(.moderation, by: member.client)
        guard let stream = streams[StreamID(request.stream)], stream.isAnnounced else {
            throw ServerError(.unknownStream, "there is no such stream; it may have ended")
        }
        // The owner of a stream is notified of its end only if someone else wanted it.
        let isHeardByOwner = isHeardByOwner(stream)
        end(stream.publication, reason: .forced)
        if !isHeardByOwner, stream.owner != member.client {
            notify(stream.owner, .streamDestroyed(.init(id: stream.id.rawValue, reason: .forced)))
        }
        answer(member.client, id, .done)
    }

    /// Puts someone out of the session, who does not come back by the same token.
    mutating func forceDisconnect(
        _ request: ClientMessage.ConnectionName, id: Int, _ member: Identity
    ) throws(ServerError) {
        try checkModerator(member, "put others out of the session")
        try pace(.moderation, by: member.client)
        let target = members.values.first { $0.identity.description.id == request.connection }?.identity
        guard let target else {
            throw ServerError(.unknownConnection, "there is no such connection; it may have left")
        }
        guard target.client != member.client else {
            throw ServerError(.malformed, "to put oneself out of the session, leave it")
        }
        add(
            .deny(.init(session: self.id.rawValue, id: target.grant.id, expires: target.grant.expires)))
        add(.expel(target.client))
        answer(member.client, id, .done)
    }

    private func checkModerator(_ member: Identity, _ what: String) throws(ServerError) {
        let role = member.grant.role
        guard role == .moderator else {
            throw ServerError(.forbidden, "the token's role, \(role.rawValue), does not allow to \(what)")
        }
    }
}
