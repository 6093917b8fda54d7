// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

@testable import SessionCore

@Suite("A table")
struct TableTests {
    /// Counts its owners' lives by the one reference that a row has.
    private final class Witness: Sendable {}

    private struct Row: Sendable {
        var number: Int
        var witness: Witness?
    }

    @Test("a row is changed in its place, and only while it is there")
    func change() {
        var table = Table<Int, Row>()
        #expect(table.change(1) { $0.number } == nil)
        table.add(Row(number: 5), as: 1)
        table.change(1) { $0.number += 1 }
        #expect(table[1]?.number == 6 && table.count == 1)
        #expect(table.change(1, orAdd: Row(number: 0)) { $0.number } == 6)
        #expect(
            table.change(2, orAdd: Row(number: 7)) { row in
                row.number += 1; return row.number
            } == 8)
        #expect(table[2]?.number == 8 && table.values.map(\.number).sorted() == [6, 8])
        #expect(table.remove(1)?.number == 6 && table.remove(1) == nil)
        #expect(Array(table.ids) == [2])
    }

    @Test("a copy of a table does not change with it")
    func copies() {
        var table = Table<Int, Row>()
        table.add(Row(number: 1), as: 1)
        let copy = table
        table.change(1) { $0.number = 2 }
        #expect(copy[1]?.number == 1 && table[1]?.number == 2)
    }

    /// A dictionary keeps room for as many values as it ever held, at their full size.
    @Test("a row is not in the memory of the table, which never shrinks")
    func memory() throws {
        var table = Table<Int, Row>()
        table.add(Row(number: 1), as: 1)
        let rows = try #require(Mirror(reflecting: table).children.first?.value)
        let pair = try #require(Mirror(reflecting: rows).children.first?.value)
        let row = try #require(Mirror(reflecting: pair).children.map(\.value).last)
        #expect(Mirror(reflecting: row).displayStyle == .class)
    }

    @Test("what a row holds goes with it")
    func release() {
        var table = Table<Int, Row>()
        weak var witness: Witness?
        for id in 0..<100 { table.add(Row(number: id, witness: Witness()), as: id) }
        witness = table[7]?.witness
        #expect(witness != nil)
        table.remove(7)
        #expect(witness == nil)
    }
}
