// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Testing

@testable import CallStore

@Suite("Places in lists")
struct CursorTests {
    @Test("are read as they were written", arguments: [.min, -1, 0, 1, .max] as [Int64])
    func roundTrip(number: Int64) throws {
        let time = try #require(try TimeCursor.read(TimeCursor(time: number, id: number).cursor))
        #expect(time.numbers == [number, number])
        let minute = MinuteCursor(minute: number, flow: number, observer: number)
        #expect(try MinuteCursor.read(minute.cursor)?.numbers == [number, number, number])
        guard number >= 0 else { return }
        #expect(try ArrivalCursor.read(ArrivalCursor(id: number).cursor)?.id == number)
    }

    @Test("are of one list, and none is none")
    func kinds() throws {
        let time = TimeCursor(time: 1, id: 2).cursor
        #expect(throws: ForeignCursor.self) { try MinuteCursor.read(time) }
        #expect(throws: ForeignCursor.self) { try ArrivalCursor.read(time) }
        #expect(try TimeCursor.read(nil) == nil)
    }
}
