// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

@testable import SessionCore

@Suite("Messages that wait until all that they say is stored")
struct ReportTicketsTests {
    @Test("one is answered with its last part, and at once if it has none")
    func parts() {
        var tickets = ReportTickets()
        let empty = tickets.begin(at: .zero)
        #expect(tickets.finish(empty) == .stored)
        let ticket = tickets.begin(at: .zero)
        for _ in 0..<2 { tickets.add(to: ticket) }
        #expect(tickets.finish(ticket) == nil)
        tickets.settle(ticket, isStored: true)
        #expect(tickets.takeOutcomes().isEmpty)
        tickets.settle(ticket, isStored: true)
        #expect(tickets.takeOutcomes().map(\.1) == [.stored])
        tickets.settle(ticket, isStored: true)
        #expect(tickets.takeOutcomes().isEmpty && tickets.count == 0)
    }

    @Test("one of which a part is dropped is, and so is what says it once more, before and after")
    func dropped() {
        var tickets = ReportTickets()
        let (first, again) = (tickets.begin(at: .zero), tickets.begin(at: .zero))
        for _ in 0..<2 { tickets.add(to: first) }
        tickets.follow(first, by: again)
        #expect(tickets.finish(first) == nil && tickets.finish(again) == nil)
        tickets.settle(first, isStored: false)
        #expect(tickets.takeOutcomes().isEmpty, "the other part is under way")
        tickets.settle(first, isStored: true)
        let outcomes = Dictionary(uniqueKeysWithValues: tickets.takeOutcomes())
        #expect(outcomes == [first: .dropped, again: .dropped])
        for former in [first, again] {
            let late = tickets.begin(at: .zero)
            tickets.follow(former, by: late)
            #expect(tickets.finish(late) == .dropped)
        }
        #expect(tickets.count == 0)
    }

    @Test(
        "one that another server is to store is sent again, and so is what says it once more; each hears it once"
    )
    func abandoned() {
        var tickets = ReportTickets()
        let (first, again) = (tickets.begin(at: .zero), tickets.begin(at: .zero))
        for _ in 0..<2 { tickets.add(to: first) }
        tickets.follow(first, by: again)
        #expect(tickets.finish(first) == nil && tickets.finish(again) == nil)
        tickets.abandon(first)
        #expect(Dictionary(uniqueKeysWithValues: tickets.takeOutcomes()) == [first: .late, again: .late])
        // Its other part may have been stored before.
        tickets.settle(first, isStored: true)
        tickets.abandon(first)
        #expect(tickets.takeOutcomes().isEmpty && tickets.count == 0)
        let late = tickets.begin(at: .zero)
        tickets.add(to: late)
        #expect(tickets.finish(late) == nil)
        tickets.expire(at: ReportTickets.longestWait)
        #expect(tickets.takeOutcomes().map(\.1) == [.late])
        tickets.abandon(late)
        #expect(tickets.takeOutcomes().isEmpty && tickets.count == 0)
    }

    @Test("who waits for long is answered, once, and waits for the same when it comes again")
    func late() {
        var tickets = ReportTickets()
        let first = tickets.begin(at: .zero)
        tickets.add(to: first)
        #expect(tickets.finish(first) == nil)
        var last: ReportTicket?
        for round in 1...100 {
            let now = ReportTickets.longestWait * round
            tickets.expire(at: now - .milliseconds(1))
            #expect(tickets.takeOutcomes().isEmpty)
            tickets.expire(at: now)
            #expect(tickets.takeOutcomes().map(\.1) == [.late])
            let again = tickets.begin(at: now)
            tickets.follow(first, by: again)
            #expect(tickets.finish(again) == nil)
            last = again
            // Whoever has given up is no one's any more.
            #expect(tickets.count == 2)
        }
        tickets.settle(first, isStored: true)
        let outcomes = tickets.takeOutcomes()
        #expect(outcomes.map(\.0) == [last].compactMap(\.self) && outcomes.map(\.1) == [.stored])
        #expect(tickets.count == 0)
    }

    @Test(
        "a chain of messages of which each says once more what the one before said ends, however long it is")
    func chain() {
        var tickets = ReportTickets()
        var all = [tickets.begin(at: .zero)]
        tickets.add(to: all[0])
        #expect(tickets.finish(all[0]) == nil)
        for _ in 0..<100_000 {
            let next = tickets.begin(at: .zero)
            tickets.add(to: next)
            tickets.follow(all[all.count - 1], by: next)
            #expect(tickets.finish(next) == nil)
            tickets.settle(next, isStored: true)
            all.append(next)
        }
        #expect(tickets.takeOutcomes().isEmpty)
        tickets.settle(all[0], isStored: true)
        #expect(Set(tickets.takeOutcomes().map(\.0)) == Set(all) && tickets.count == 0)
    }

    @Test("one that follows another that has given up waits for its own parts alone")
    func givenUp() {
        var tickets = ReportTickets()
        let (first, second) = (tickets.begin(at: .zero), tickets.begin(at: .zero))
        let third = tickets.begin(at: .seconds(1))
        tickets.follow(first, by: second)
        tickets.follow(second, by: third)
        for ticket in [first, third] { tickets.add(to: ticket) }
        for ticket in [first, second, third] { #expect(tickets.finish(ticket) == nil) }
        tickets.expire(at: ReportTickets.longestWait)
        #expect(tickets.takeOutcomes().map(\.1) == [.late, .late])
        tickets.expire(at: ReportTickets.longestWait + .seconds(1))
        #expect(tickets.takeOutcomes().map(\.1) == [.late])
        for ticket in [third, first] { tickets.settle(ticket, isStored: true) }
        #expect(tickets.takeOutcomes().isEmpty && tickets.count == 0)
    }

    @Test("each is answered once, and as stored only if all that it says is", arguments: Seed.draw(20))
    func property(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var tickets = ReportTickets()
        var now = Duration.zero
        /// Parts of each that are under way.
        var parts: [ReportTicket: Int] = [:]
        var begun: [ReportTicket] = []
        /// Those that say something that no one has said before.
        var saying: [ReportTicket] = []
        /// Which one has said first what another one says once more, and of which something was dropped.
        var first: [ReportTicket: ReportTicket] = [:]
        var dropped: Set<ReportTicket> = []
        var outcomes: [ReportTicket: ReportOutcome] = [:]
        func note(_ found: [(ReportTicket, ReportOutcome)]) {
            for (ticket, outcome) in found {
                #expect(outcomes.updateValue(outcome, forKey: ticket) == nil, "seed \(seed)")
            }
        }
        for _ in 0..<400 {
            now += .milliseconds(random.next(3000))
            if !random.chance(3) {
                let ticket = tickets.begin(at: now)
                parts[ticket] = random.next(4)
                for _ in 0..<(parts[ticket] ?? 0) { tickets.add(to: ticket) }
                if random.chance(2), let former = saying.randomElement(using: &random) {
                    tickets.follow(former, by: ticket)
                    first[ticket] = former
                }
                begun.append(ticket)
                if parts[ticket] != 0 { saying.append(ticket) }
                if let outcome = tickets.finish(ticket) { note([(ticket, outcome)]) }
            }
            for (ticket, count) in parts.sorted(by: { $0.key < $1.key }) where count > 0 && random.chance(4) {
                let isStored = !random.chance(10)
                if !isStored { dropped.insert(ticket) }
                parts[ticket] = count - 1
                tickets.settle(ticket, isStored: isStored)
            }
            tickets.expire(at: now)
            note(tickets.takeOutcomes())
        }
        for (ticket, count) in parts {
            for _ in 0..<count { tickets.settle(ticket, isStored: true) }
            parts[ticket] = 0
        }
        note(tickets.takeOutcomes())
        #expect(Set(outcomes.keys) == Set(begun) && tickets.count == 0, "seed \(seed)")
        for (ticket, outcome) in outcomes {
            let all = Array(sequence(first: ticket) { first[$0] })
            switch outcome {
            // What it says itself, and what it says once more.
            case .stored: #expect(dropped.isDisjoint(with: all.prefix(2)), "seed \(seed)")
            case .dropped: #expect(!dropped.isDisjoint(with: all), "seed \(seed)")
            case .late: break
            }
        }
    }
}
