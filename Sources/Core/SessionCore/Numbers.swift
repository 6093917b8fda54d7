// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The server's own number for a client's socket.
package struct SocketID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The server's own number for a client: that of the socket that it joined on, also when another one has taken its
/// place.
struct ClientID: Hashable, Sendable, Comparable {
    let rawValue: UInt64

    /// The client that has come on a socket.
    init(_ socket: SocketID) { rawValue = socket.rawValue }

    /// The socket that it came on.
    var firstSocket: SocketID { SocketID(rawValue: rawValue) }

    static func < (first: ClientID, second: ClientID) -> Bool { first.rawValue < second.rawValue }
}

/// The server's own number for a session, of which each has another one.
struct SessionNumber: Hashable, Sendable {
    let rawValue: UInt64
}

/// What the router knows a leg by: its session, and its number there.
struct LegID: Hashable, Sendable, Comparable {
    let session: SessionNumber
    let number: UInt64
    /// The router's name for it.
    var name: LegName { "leg-\(session.rawValue)-\(number)" }

    init(session: SessionNumber, number: UInt64) {
        self.session = session
        self.number = number
    }

    /// Reads a name; `nil` if it is none of ours.
    init?(name: LegName) {
        let parts = name.rawValue.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "leg", let session = UInt64(parts[1]),
            let number = UInt64(parts[2])
        else { return nil }
        self.init(session: SessionNumber(rawValue: session), number: number)
    }

    static func < (first: LegID, second: LegID) -> Bool {
        (first.session.rawValue, first.number) < (second.session.rawValue, second.number)
    }
}

/// A session's own number for a publication or subscription.
struct EndpointID: Hashable, Sendable, Comparable {
    /// What no name has that a client gives to a leg.
    static let separator: Character = "/"

    let number: UInt64

    init(number: UInt64) { self.number = number }

    /// The subscription of a leg that the server has named; `nil` if it was not the server.
    init?(relayLeg name: LegName) {
        let parts = name.rawValue.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt64(parts[0]), UInt64(parts[1]) != nil else { return nil }
        self.number = number
    }

    /// The server's name for a leg of a subscription.
    func relayLeg(_ count: Int) -> LegName { "\(number)\(Self.separator)\(count)" }

    static func < (first: EndpointID, second: EndpointID) -> Bool { first.number < second.number }
}

/// A session's own number for a peer connection between two clients.
struct RelayID: Hashable, Sendable, Comparable {
    let number: UInt64
    static func < (first: RelayID, second: RelayID) -> Bool { first.number < second.number }
}
