// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// How much of what it can do a node does.
package struct NodeLoad: Sendable, Hashable {
    /// The fullest of what it has for sessions and, unless its routers are full, of theirs; 0 to 1.
    package var share: Double
    /// Whether its routers take no new legs: who needs none is not harmed by it.
    package var areRoutersFull: Bool

    /// Describes a load.
    package init(share: Double, areRoutersFull: Bool = false) {
        self.share = share.isFinite ? min(1, max(0, share)) : 1
        self.areRoutersFull = areRoutersFull
    }

    /// What is added to the share of a node whose routers are full, so that one number says both.
    private static let full = 2.0

    /// Reads what ``number`` is; anything else is a node that takes nothing.
    package init(number: Double) {
        let isFull = number >= Self.full || !number.isFinite
        self.init(share: isFull ? number - Self.full : number, areRoutersFull: isFull)
    }

    /// One number, as nodes say it to each other.
    package var number: Double { areRoutersFull ? share + Self.full : share }
}

/// Whether a session's media goes through a router of its node.
package enum RouterUse: Sendable, Hashable, CaseIterable {
    case never
    /// Once there are more than two, or as far as its clients had it there before.
    case later
    case always

    /// That of a session.
    package init(_ mediaMode: MediaMode) {
        switch mediaMode {
        case .relayed: self = .never
        case .adaptive: self = .later
        case .routed: self = .always
        }
    }
}
