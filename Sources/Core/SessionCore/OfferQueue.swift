// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A session's offers on their way to the router.
struct OfferQueue: Sendable {
    /// For how long the router may still work on an offer whose leg was removed: it does not say when it is done.
    private static let abandonment: Duration = .seconds(1)

    /// Legs with offers that wait for their turn at the router.
    var waiting: Set<LegID> = []
    /// Offers of legs that were removed while the router worked on them, and how long they count.
    private(set) var abandoned: [(client: ClientID, until: Duration)] = []

    /// A leg is removed: while the router works on an offer of it, the client cannot have another one made at once.
    mutating func abandon(_ leg: Leg, at now: Duration) {
        if leg.isAtWork { abandoned.append((leg.client, now + Self.abandonment)) }
    }

    /// Time has passed.
    mutating func expire(at now: Duration) {
        if !abandoned.isEmpty { abandoned.removeAll { $0.until <= now } }
    }

    /// The router is gone, with all that it worked on.
    mutating func forgetAbandoned() { abandoned = [] }
}
