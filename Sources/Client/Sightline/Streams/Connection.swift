// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// A client in a session.
public struct Connection: Sendable, Hashable, Identifiable {
    /// The server's name for it.
    public let connectionId: String
    /// The participant's name in the token; `nil` if there is none.
    public let name: String?
    /// When it joined, Unix ms by the server's clock.
    public let creationTime: Double

    /// The server's name for it.
    public var id: String { connectionId }

    init(_ description: ConnectionDescription) {
        connectionId = description.id
        name = description.name
        creationTime = description.creationTime
    }

    /// Two are the same if the server calls them the same.
    public static func == (left: Self, right: Self) -> Bool { left.connectionId == right.connectionId }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(connectionId) }
}
