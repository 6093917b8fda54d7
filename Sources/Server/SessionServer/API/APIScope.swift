// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionCore
import SessionWire

/// Scopes of an API token.
package enum APIScope: String, Sendable, Codable, CaseIterable {
    /// Sessions, their summaries, timelines, samples and alerts; what happens live.
    case read
    /// The names of people and streams, if they are kept, wherever they stand.
    case names
    /// Raw reports: to have them kept, and to read them.
    case reports
    /// To delete participants.
    case delete
    /// The server's metrics.
    case metrics
    /// To make tokens for clients: of what sessions and roles the token says, for no longer than it lasts
    /// itself.
    case tokens
    /// To emulate networks for participants, which makes their calls worse.
    case emulate
    /// To add reports to an observed call, as the participant that the token names; such a token has no other scope.
    case observe
}

/// Request for an API token: `POST /v1/api-tokens` with the application's credentials.
package struct CreateAPIToken: Sendable, Equatable, Codable {
    /// Its scopes.
    package var scopes: [APIScope]
    /// The sessions that it reaches, 16 at most; all if `nil`.
    ///
    /// Such a token opens only paths that are of one of these sessions.
    package var sessions: [String]?
    /// The roles of the clients' tokens that may be made with it; all if `nil`.
    package var roles: [TokenRole]?
    /// The call that it adds to, and as whom: with the scope `observe`, and with no other.
    package var observer: ObserverDescription?
    /// Seconds from now, 1 to 30 days; a day if `nil`.
    package var expiresIn: Double?

    /// Creates a request.
    package init(
        scopes: [APIScope], sessions: [String]? = nil, roles: [TokenRole]? = nil,
        observer: ObserverDescription? = nil, expiresIn: Double? = nil
    ) {
        self.scopes = scopes
        self.sessions = sessions
        self.roles = roles
        self.observer = observer
        self.expiresIn = expiresIn
    }
}

/// Whom a token with the scope `observe` lets add to a call, as requests and tokens have it.
package struct ObserverDescription: Sendable, Equatable, Codable {
    /// Most tags.
    package static let tagLimit = 8
    /// Longest name and value of a tag, bytes.
    package static let tagBytes = 64

    /// The app's name for the call.
    package var call: String
    /// The app's name for the participant.
    package var participant: String
    /// What the app says of the participant, such as its version; at most ``tagLimit``.
    package var tags: [String: String]?

    /// Names a participant.
    package init(call: String, participant: String, tags: [String: String]? = nil) {
        self.call = call
        self.participant = participant
        self.tags = tags
    }

    /// What it lets in.
    ///
    /// - Throws: ``ServerError`` with the code `malformed`.
    func grant() throws(ServerError) -> ObserverGrant {
        let names = 1...SessionProtocol.nameLimit
        guard names.contains(call.utf8.count), names.contains(participant.utf8.count) else {
            throw ServerError(
                .malformed, "call and participant have 1 to \(SessionProtocol.nameLimit) bytes")
        }
        let tags = tags ?? [:]
        guard tags.count <= Self.tagLimit,
            tags.allSatisfy({
                (1...Self.tagBytes).contains($0.key.utf8.count) && $0.value.utf8.count <= Self.tagBytes
            })
        else {
            throw ServerError(
                .malformed, "there are \(Self.tagLimit) tags at most, of \(Self.tagBytes) bytes")
        }
        return ObserverGrant(call: call, participant: participant, tags: tags)
    }
}

extension ObserverDescription {
    /// As it is written.
    init(_ grant: ObserverGrant) {
        self.init(
            call: grant.call, participant: grant.participant, tags: grant.tags.isEmpty ? nil : grant.tags)
    }
}

/// An API token that was created.
package struct APITokenCreated: Sendable, Equatable, Codable {
    /// Names it where it is revoked.
    package var id: String
    /// The JWT.
    package var token: String
    /// When it ends, Unix ms.
    package var expires: Double
}

/// Revokes an API token: `POST /v1/api-tokens/revoke`, with the token itself or the application's
/// credentials.
package struct RevokeAPIToken: Sendable, Equatable, Codable {
    /// The token.
    package var token: String?
    /// The id of the token; neither of them for the one that the request brings.
    package var id: String?

    /// Creates a request.
    package init(token: String? = nil, id: String? = nil) {
        self.token = token
        self.id = id
    }
}
