// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Whether all of a session's connections to a router are bad at once: what clients that share nothing else have in
/// common is the router, and no one's network.
///
/// Each connection is judged at the router, by what it sees itself: one of which it knows nothing neither counts as bad nor
/// as good. Pure.
struct LegComparison: Sendable {
    /// How the router finds one connection.
    struct State: Sendable {
        var client: ClientID
        var isBad: Bool
    }

    private var verdict = HeldVerdict()

    /// Whether the server is to blame.
    var isServerBad: Bool { verdict.isTrue }

    /// Takes the connections of which something is known.
    mutating func handle(_ states: [State], at now: Duration, _ rules: ComparisonRules) {
        let isBad =
            states.allSatisfy(\.isBad) && Double(Set(states.map(\.client)).count) >= rules.clients
        verdict.take(isBad, for: isBad ? rules.holdTime : rules.clearTime, at: now)
    }
}
