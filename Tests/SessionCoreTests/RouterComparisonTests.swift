// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import TestSupport
import Testing

@testable import SessionCore

/// What the legs of a router show beside those of others.
@Suite("Routers beside each other")
struct RouterComparisonTests {
    /// A router that is looked at once a second.
    private struct Watched {
        private var comparison = RouterComparison()
        private var second = 0

        /// What is found of it next.
        mutating func found(
            _ legs: LegTally, beside others: LegTally = .zero, isOverloaded: Bool = false,
            rules: ComparisonRules = .init()
        ) -> Bool {
            second += 1
            comparison.handle(
                legs, beside: others, isOverloaded: isOverloaded, at: .seconds(second), rules)
            return comparison.isToBlame
        }

        /// After how many seconds something else is found of it; `nil` if not within thirty.
        mutating func change(
            _ legs: LegTally, beside others: LegTally = .zero, isOverloaded: Bool = false,
            rules: ComparisonRules = .init()
        ) -> Int? {
            let before = comparison.isToBlame
            for seconds in 0...30 {
                let isToBlame = found(legs, beside: others, isOverloaded: isOverloaded, rules: rules)
                if isToBlame != before { return seconds }
            }
            return nil
        }
    }

    private static let bad = LegTally(judged: 6, bad: 6, clients: 3, sessions: 2)
    private static let well = LegTally(judged: 6)
    /// Half of four legs, of two clients in one session.
    private static let few = LegTally(judged: 4, bad: 2, clients: 2, sessions: 1)

    @Test("one whose legs are bad for the most part is to blame after eight seconds, until five without")
    func most() {
        for legs in [Self.bad, LegTally(judged: 10, bad: 8, clients: 8, sessions: 5)] {
            var router = Watched()
            let begin = router.change(legs)
            let end = router.change(Self.well)
            #expect(begin == 8 && end == 5, "\(legs)")
            _ = router.change(legs)
            let unknown = router.change(.zero)
            #expect(unknown == 5, "of which nothing is known any more")
        }
    }

    @Test(
        "too few legs, clients or sessions, or too many legs that are well, show nothing",
        arguments: [
            LegTally(judged: 5, bad: 5, clients: 3, sessions: 2),
            LegTally(judged: 6, bad: 6, clients: 2, sessions: 2),
            LegTally(judged: 60, bad: 60, clients: 60, sessions: 1),
            LegTally(judged: 10, bad: 7, clients: 7, sessions: 5), .zero,
        ])
    func tooFew(legs: LegTally) {
        var router = Watched()
        let change = router.change(legs)
        #expect(change == nil)
    }

    @Test("what is bad at other routers, too, is not one router's")
    func others() {
        var router = Watched()
        let same = router.change(Self.bad, beside: LegTally(judged: 10, bad: 6, clients: 4, sessions: 3))
        #expect(same == nil)
        let usual = router.change(Self.bad, beside: LegTally(judged: 10, bad: 5, clients: 3, sessions: 2))
        #expect(usual == 8)
    }

    @Test("half of an overloaded router's legs are enough, for three seconds, whatever others' are")
    func overloaded() {
        var router = Watched()
        let before = router.change(Self.few)
        let begin = router.change(Self.few, beside: Self.bad, isOverloaded: true)
        let end = router.change(Self.few)
        #expect(before == nil && begin == 3 && end == 5)
    }

    @Test(
        "an overloaded router is not to blame for a single client, nor for the few that have a bad network",
        arguments: [
            LegTally(judged: 1, bad: 1, clients: 1, sessions: 1),
            LegTally(judged: 4, bad: 4, clients: 1, sessions: 1),
            LegTally(judged: 20, bad: 9, clients: 9, sessions: 9), LegTally(judged: 20), .zero,
        ])
    func lone(legs: LegTally) {
        var router = Watched()
        let change = router.change(legs, isOverloaded: true)
        #expect(change == nil)
    }

    @Test("a large session behind one bad network makes no router bad for others", arguments: [true, false])
    func largeSession(isOverloaded: Bool) {
        let large = LegTally(judged: 225, bad: 225, clients: 15, sessions: 1, judgedSessions: 1)
        let others = LegTally(judged: 50, bad: 3, clients: 3, sessions: 3, judgedSessions: 25)
        var router = Watched()
        let change = router.change(large + others, isOverloaded: isOverloaded)
        #expect(change == nil)
    }

    @Test("times and clients are those of the configuration")
    func rules() {
        var rules = ComparisonRules()
        (rules.clients, rules.holdTime, rules.clearTime) = (4, 1, 2)
        var router = Watched()
        let few = router.change(Self.bad, rules: rules)
        let begin = router.change(LegTally(judged: 6, bad: 6, clients: 4, sessions: 2), rules: rules)
        let end = router.change(Self.well, rules: rules)
        let overloaded = router.change(Self.few, isOverloaded: true, rules: rules)
        #expect(few == nil && begin == 1 && end == 2 && overloaded == 1)
    }

    /// Up to four legs of two clients, each of which is bad with that probability.
    private static func session(_ number: Int, _ chance: Double, _ random: inout SeededRandom) -> LegTally {
        var states: [LegComparison.State] = []
        for leg in 0..<random.next(5) {
            let client = ClientID(SocketID(rawValue: UInt64(number * 2 + leg / 2)))
            let isBad = Double.random(in: 0..<1, using: &random) < chance
            states.append(LegComparison.State(client: client, isBad: isBad))
        }
        return LegTally(states)
    }

    @Test(
        "never blame a router with less than half of its legs bad, of two clients, for three seconds",
        arguments: Seed.draw(20))
    func property(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (router, chance, held, wasToBlame) = (Watched(), 0.9, 0, false)
        for second in 0..<1000 {
            if random.chance(15) { chance = [0, 0.4, 0.9, 1][random.next(4)] }
            var legs = LegTally.zero
            for session in 0..<random.next(6) { legs += Self.session(session, chance, &random) }
            held = legs.judged > 0 && legs.bad * 2 >= legs.judged && legs.clients > 1 ? held + 1 : 0
            let isToBlame = router.found(legs, isOverloaded: random.chance(2))
            if isToBlame, !wasToBlame { #expect(held > 3, "second \(second)") }
            wasToBlame = isToBlame
        }
    }
}

extension RouterComparisonTests {
    @Test("clients are counted once, however many legs they have, and sessions that have bad ones")
    func tally() {
        func states(_ legs: (client: UInt64, isBad: Bool)...) -> LegTally {
            LegTally(
                legs.map {
                    LegComparison.State(client: ClientID(SocketID(rawValue: $0.client)), isBad: $0.isBad)
                })
        }
        let sessions = [
            states((1, true), (1, true), (2, true), (2, false)), states((3, false)), states((4, true)),
            states(),
        ]
        let all = sessions.reduce(LegTally.zero, +)
        #expect(all == LegTally(judged: 6, bad: 4, clients: 3, sessions: 2, judgedSessions: 3))
        let rest = LegTally(judged: 2, bad: 1, clients: 1, sessions: 1, judgedSessions: 2)
        #expect(all - sessions[0] == rest)
        #expect(all.badShare == 4.0 / 6 && LegTally.zero.badShare == nil)
    }
}
