// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// How many legs a router finds bad, added up over sessions: no client and no leg is in two of them.
struct LegTally: Sendable, Equatable, AdditiveArithmetic {
    /// Legs of which something is known.
    var judged = 0
    /// Those that are bad.
    var bad = 0
    /// Clients that have such.
    var clients = 0
    /// Sessions that have such.
    var sessions = 0
    /// Sessions of which something is known.
    var judgedSessions = 0

    static let zero = LegTally()

    /// The share of those that are bad; `nil` if nothing is known of any.
    var badShare: Double? { judged > 0 ? Double(bad) / Double(judged) : nil }

    static func + (left: LegTally, right: LegTally) -> LegTally {
        LegTally(
            judged: left.judged + right.judged, bad: left.bad + right.bad,
            clients: left.clients + right.clients, sessions: left.sessions + right.sessions,
            judgedSessions: left.judgedSessions + right.judgedSessions)
    }

    static func - (left: LegTally, right: LegTally) -> LegTally {
        LegTally(
            judged: left.judged - right.judged, bad: left.bad - right.bad,
            clients: left.clients - right.clients, sessions: left.sessions - right.sessions,
            judgedSessions: left.judgedSessions - right.judgedSessions)
    }
}

extension LegTally {
    /// Counts the legs of one session.
    init(_ states: [LegComparison.State]) {
        let bad = states.filter(\.isBad)
        self.init(
            judged: states.count, bad: bad.count, clients: Set(bad.map(\.client)).count,
            sessions: bad.isEmpty ? 0 : 1, judgedSessions: states.isEmpty ? 0 : 1)
    }
}

/// Whether a router is to blame for its bad legs: most are bad at once, in several sessions, and those of other
/// routers are not; or it has all that it can do, and half of them are.
///
/// Pure. What the legs of one session show is for ``LegComparison``.
struct RouterComparison: Sendable {
    /// Which legs have to be bad at once.
    private struct Quorum: Sendable {
        /// Of those of which something is known.
        var share: Double
        var legs: Int
        var clients: Double
        var sessions: Int

        func isMet(by tally: LegTally) -> Bool {
            guard let badShare = tally.badShare, badShare >= share else { return false }
            // A session has legs by the square of its clients: a large one behind one network is not a router's.
            guard tally.sessions * 2 >= tally.judgedSessions else { return false }
            return tally.bad >= legs && Double(tally.clients) >= clients && tally.sessions >= sessions
        }
    }

    /// Fewer are enough for a router that is overloaded.
    ///
    /// Not one alone: what spoils media in a router spoils many legs, a bad one among good ones is by its client's
    /// network, and the limit of the load may be set far below what a router can do.
    private static let overloaded = Quorum(share: 0.5, legs: 2, clients: 2, sessions: 1)
    /// For how long they have to be bad then, seconds: the router has been busy for a while.
    private static let overloadTime = 3.0
    /// Where no more than this share of other routers' legs is bad, what is wrong is not wrong everywhere.
    private static let usualShare = 0.5

    private var verdict = HeldVerdict()

    /// Whether it is to blame.
    var isToBlame: Bool { verdict.isTrue }

    /// Takes how its legs are, and those of the other routers.
    ///
    /// - Parameter isOverloaded: Whether it does so much of what it can do that it takes no new legs.
    mutating func handle(
        _ legs: LegTally, beside others: LegTally, isOverloaded: Bool, at now: Duration,
        _ rules: ComparisonRules
    ) {
        if isOverloaded, Self.overloaded.isMet(by: legs) {
            verdict.take(true, for: min(Self.overloadTime, rules.holdTime), at: now)
        } else {
            let isBad = Self.quorum(rules).isMet(by: legs) && Self.areUsual(others)
            verdict.take(isBad, for: isBad ? rules.holdTime : rules.clearTime, at: now)
        }
    }

    /// For a router of whose load nothing is known, or that has time to spare.
    private static func quorum(_ rules: ComparisonRules) -> Quorum {
        Quorum(share: 0.8, legs: 6, clients: rules.clients, sessions: 2)
    }

    /// Whether others' legs are well for the most part; legs of which nothing is known speak against no one.
    private static func areUsual(_ others: LegTally) -> Bool {
        others.badShare.map { $0 <= usualShare } ?? true
    }
}
