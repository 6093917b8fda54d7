// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import HistoryWriter
import SessionWire
import Synchronization
import Testing

@testable import CallStore

@Suite("The store's writer")
struct StoreWriterTests {
    /// Everything that was acknowledged, in order.
    final class Receipts: Sendable {
        private let values = Mutex<[StoreReceipt]>([])
        var all: [StoreReceipt] { values.withLock { $0 } }
        func add(_ receipts: [StoreReceipt]) { values.withLock { $0 += receipts } }
    }

    @Test("receipts come back in order, after what they are for is in the store")
    func receipts() async throws {
        var configuration = StoreConfiguration()
        // Some fifteen batches: in a single one the order would be no one's merit.
        configuration.batchLimit = 7
        var scenario = StoreScenario(store: try SQLiteCallStore.inMemory(configuration: configuration))
        let receipts = Receipts()
        let batches = Mutex(0)
        let store = scenario.store
        let writer = StoreWriter(store: store) { given, _ in
            batches.withLock { $0 += 1 }
            let stored = (try? await store.samples(.init(session: "s")))??.items.count ?? 0
            if stored >= receipts.all.count + given.count { receipts.add(given) }
        }
        writer.submit(scenario.beginning)
        for number in 1...100 {
            writer.submit(
                [scenario.record(scenario.bob, StoreScenario.sample("good"))], receipt: UInt64(number))
        }
        writer.finish()
        await writer.run()
        #expect(receipts.all == Array(1...100))
        #expect(batches.withLock { $0 } > 10)
        #expect(writer.statistics.samples == 100 && writer.statistics.waiting == 0)
    }

    @Test("samples beyond what may wait are dropped and counted, what they refer to is not")
    func backPressure() async throws {
        var configuration = StoreConfiguration()
        configuration.queueLimit = 10
        var scenario = StoreScenario(store: try SQLiteCallStore.inMemory(configuration: configuration))
        let receipts = Receipts()
        let writer = StoreWriter(store: scenario.store) { given, _ in receipts.add(given) }
        var taken: [Bool] = []
        for number in 1...12 {
            taken.append(
                writer.submit(
                    [scenario.record(scenario.bob, StoreScenario.sample("good"))], receipt: UInt64(number)))
        }
        #expect(taken == Array(repeating: true, count: 10) + [false, false])
        #expect(writer.submit(scenario.beginning))
        #expect(writer.statistics.dropped == 2)
        writer.finish()
        await writer.run()
        #expect(receipts.all == Array(1...10))
    }

    @Test("raw reports have a bound of their own, in bytes")
    func reportBytes() throws {
        var configuration = StoreConfiguration()
        configuration.queueBytes = 1000
        let scenario = StoreScenario(store: try SQLiteCallStore.inMemory(configuration: configuration))
        let writer = StoreWriter(store: scenario.store) { _, _ in }
        func submit() -> Bool {
            let mark = EventMark(time: 0, capturedAt: 0, eventId: UUID().uuidString)
            let json = [UInt8](repeating: 32, count: 600)
            return writer.submit([.report(.init(flow: scenario.bob, mark: mark, json: json))])
        }
        #expect(submit())
        #expect(!submit())
    }

    @Test("after the end nothing is taken")
    func finished() throws {
        let scenario = StoreScenario(store: try SQLiteCallStore.inMemory())
        let writer = StoreWriter(store: scenario.store) { _, _ in }
        writer.finish()
        #expect(!writer.submit(scenario.beginning))
    }
}
