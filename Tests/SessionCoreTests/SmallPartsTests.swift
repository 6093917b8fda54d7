// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import TestSupport
import Testing

@testable import SessionCore

@Suite("Small parts of the core")
struct SmallPartsTests {
    @Test("ids are new once each, in any order, and memory stays bounded")
    func usedNumbers() {
        var used = UsedNumbers()
        for number in [1, 2, 5, 4, 3, 1000] { #expect(used.insert(number) == true) }
        for number in [1, 2, 3, 4, 5, 1000, 0, -1] { #expect(used.insert(number) == false) }
        #expect(used.insert(6) == true)
        for number in 0..<(3 * UsedNumbers.memory) { _ = used.insert(2000 + 2 * number) }
        // The gaps have been given up from below, not the newest numbers.
        #expect(used.insert(7) == false)
        #expect(used.insert(2000 + 2 * (3 * UsedNumbers.memory - 1)) == false)
        #expect(used.insert(.max) == true)
        #expect(used.insert(.max) == false)
    }

    @Test(
        "runs of ids that end where numbers end are taken one by one, in either order",
        arguments: [Int.max, SessionProtocol.numberLimit], [false, true])
    func usedNumbersAtTheEnd(last: Int, isBackwards: Bool) {
        let run = (last - 3 * UsedNumbers.memory)...last
        var used = UsedNumbers()
        var taken = 0
        for number in isBackwards ? Array(run.reversed()) : Array(run) where used.insert(number) {
            taken += 1
        }
        // Backwards, what comes after the memory is full counts as used.
        #expect(taken == (isBackwards ? UsedNumbers.memory + 1 : run.count))
        for number in run where used.insert(number) { Issue.record("\(number) was new twice") }
        #expect(used.beyond.count <= UsedNumbers.memory)
    }

    @Test(
        "no id is new twice, and only those far below the newest ones are taken for used",
        arguments: Seed.draw(12))
    func usedNumbersByModel(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var used = UsedNumbers()
        var model: Set<Int> = []
        let edges = [0, 1, 5000, SessionProtocol.numberLimit, .max - 2000, .max]
        for _ in 0..<4000 {
            let edge = edges[Int.random(in: 0..<edges.count, using: &random)]
            let step = Int.random(in: -1500...1500, using: &random)
            let number = edge > .max - 1500 && step > 0 ? edge - step : edge + step
            let isNew = used.insert(number)
            guard number >= 1 else {
                #expect(!isNew)
                continue
            }
            let wasNew = model.insert(number).inserted
            if isNew { #expect(wasNew, "\(number) was new twice") }
            if wasNew, !isNew {
                #expect(model.count { $0 > number } >= UsedNumbers.memory, "\(number) was not new")
            }
            #expect(used.beyond.count <= UsedNumbers.memory + 1)
        }
    }

    @Test("the last names are known, older ones forgotten")
    func recentNames() {
        var names = RecentNames(capacity: 3)
        for name in ["a", "b", "c"] { #expect(names.insert(name) == true) }
        #expect(names.insert("a") == false)
        #expect(names.insert("d") == true)
        #expect(names.insert("a") == true)
        #expect(names.insert("c") == false)
        #expect(names.insert("b") == true)
    }

    @Test(
        "names of legs are read back, and nothing else is",
        arguments: ["", "leg-", "leg-x", "leg-1", "LEG-1-1", "leg--1", "leg-1-", "leg-1-x", "leg-1-1-1"])
    func legNames(_ other: String) {
        let leg = LegID(session: SessionNumber(rawValue: 3), number: 7)
        #expect(LegID(name: leg.name) == leg)
        #expect(LegID(name: LegName(other)) == nil)
    }
}
