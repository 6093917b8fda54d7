// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB
import SessionWire
import Testing

@testable import CallStore

@Suite("What the writer remembers")
struct BatchWriterTests {
    @Test("is nothing of a flow, a connection or a session that has ended, whatever comes late of them")
    func lateRecords() throws {
        let database = try DatabaseQueue()
        try database.write { database in
            _ = try StoreSchema.prepare(database)
            var scenario = StoreScenario(store: try SQLiteCallStore.inMemory())
            var writer = BatchWriter(StoreConfiguration())
            func write(_ records: [StoreRecord]) throws -> WriteOutcome {
                try writer.write(records, reportsChanges: false, uptime: .zero, database)
            }
            _ = try write(scenario.beginning)
            #expect(writer.sessions.count == 1)
            #expect(writer.connections[scenario.bob.connection]?.flows.count == 1)
            _ = try write([.flowEnded(scenario.bob, at: scenario.now)])
            #expect(writer.connections[scenario.bob.connection]?.flows.isEmpty == true)
            let late = try write([scenario.record(scenario.bob, StoreScenario.sample("good"))])
            #expect(late.samples == 1)
            #expect(writer.connections[scenario.bob.connection]?.flows.isEmpty == true)
            _ = try write([.connectionLeft(name: scenario.bob.connection, at: scenario.now, reason: .left)])
            #expect(try write([.flowEnded(scenario.bob, at: scenario.now)]).rejected == 0)
            #expect(writer.connections[scenario.bob.connection] == nil)
            _ = try write([.sessionEnded(name: "s", at: scenario.now)])
            let mark = EventMark(time: scenario.now, capturedAt: scenario.now, eventId: "late")
            let event = EventRecord(session: "s", connection: nil, mark: mark, type: "late", detail: [:])
            #expect(try write([.event(event)]).rejected == 0)
            #expect(writer.sessions.isEmpty)
        }
    }
}
