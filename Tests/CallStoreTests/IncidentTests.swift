// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import GRDB
import HistoryWriter
import SessionWire
import TestSupport
import Testing

@testable import CallStore

/// A writer whose database refuses.
@Suite("A store that cannot be written", .timeLimit(.minutes(1)))
struct IncidentTests {
    /// A writer at work, and what it has said.
    final class Bench: Sendable {
        let writer: StoreWriter
        /// What is reported, in order: `paused`, `resumed`, `damaged`, `left out 3`, or a receipt's number.
        let seen: AsyncStream<String>

        init(_ store: SQLiteCallStore) {
            let (seen, continuation) = AsyncStream.makeStream(of: String.self)
            self.seen = seen
            writer = StoreWriter(
                store: store,
                onIncident: { incident in
                    switch incident {
                    case .paused: continuation.yield("paused")
                    case .resumed: continuation.yield("resumed")
                    case .damaged: continuation.yield("damaged")
                    case .leftOut(let records, _): continuation.yield("omitted \(records)")
                    }
                }, onLoss: { receipts in for receipt in receipts { continuation.yield("lost \(receipt)") } },
                onCommit: { receipts, _ in for receipt in receipts { continuation.yield("\(receipt)") } })
        }
    }

    private static var configuration: StoreConfiguration {
        var configuration = StoreConfiguration()
        configuration.batching = .milliseconds(1)
        configuration.retry = .milliseconds(1)
        configuration.queueLimit = 100
        return configuration
    }

    /// A store that is full but for a few pages.
    private static func fill(_ store: SQLiteCallStore) async throws {
        try await store.database.writeWithoutTransaction { database in
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
        }
    }

    private static func makeRoom(_ store: SQLiteCallStore) async throws {
        try await store.database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA max_page_count = 1000000")
        }
    }

    @Test("because the disk is full is tried until there is room; until then nothing is acknowledged")
    func full() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteCallStore(path: folder.store, configuration: Self.configuration)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        try await Self.fill(store)
        let bench = Bench(store)
        let running = Task { await bench.writer.run() }
        var seen = bench.seen.makeAsyncIterator()
        let large = [UInt8](repeating: 32, count: 100_000)
        let mark = EventMark(time: scenario.now, capturedAt: scenario.now, eventId: "large")
        #expect(
            bench.writer.submit([.report(.init(flow: scenario.bob, mark: mark, json: large))], receipt: 1))
        #expect(await seen.next() == "paused")
        // What comes now waits, up to a bound.
        var taken = 0
        for number in 2..<300 as Range<UInt64> {
            let record = scenario.record(scenario.bob, StoreScenario.sample("good"))
            if bench.writer.submit([record], receipt: number) { taken += 1 }
        }
        let full = bench.writer.statistics
        #expect(taken == 99 && full.waiting == 100 && full.dropped == 199)
        #expect(full.isPaused && !full.isWriting && full.samples == 0)
        #expect(!bench.writer.isStoring)
        // The server reads on.
        #expect(try await store.samples(.init(session: "s"))?.items.isEmpty == true)

        try await Self.makeRoom(store)
        #expect(await seen.next() == "resumed")
        for number in 1...100 as ClosedRange<UInt64> { #expect(await seen.next() == "\(number)") }
        bench.writer.finish()
        await running.value
        #expect(bench.writer.statistics.samples == 99 && bench.writer.statistics.isWriting)
        #expect(bench.writer.isStoring)
        #expect(try await store.samples(.init(session: "s"))?.items.count == 99)
        try store.close()
    }

    @Test("keeps its alerts through a full disk: one that continues is one")
    func alertThroughFullDisk() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteCallStore(path: folder.store, configuration: Self.configuration)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        try await scenario.write(scenario.bob, Array(repeating: StoreScenario.sample("critical"), count: 5))
        try await Self.fill(store)
        let next = scenario.record(scenario.bob, StoreScenario.sample("critical"))
        let mark = EventMark(time: scenario.now, capturedAt: scenario.now, eventId: "large")
        let large = ReportRecord(
            flow: scenario.bob, mark: mark, json: [UInt8](repeating: 32, count: 100_000))
        await #expect(throws: DatabaseError.self) { _ = try await store.write([next, .report(large)]) }
        try await Self.makeRoom(store)
        _ = try await store.write([next])
        try await scenario.write(scenario.bob, [StoreScenario.sample("excellent")])
        let alerts = try await store.alerts(.init()).items
        #expect(alerts.map(\.samples) == [6] && alerts.map(\.isOver) == [true])
        try store.close()
    }

    @Test("for one record leaves that one out and stores those beside it")
    func poison() async throws {
        let store = try SQLiteCallStore.inMemory(configuration: Self.configuration)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        try await store.database.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER poison BEFORE INSERT ON events WHEN new.type = 'poison'
                    BEGIN SELECT json('{'); END
                    """)
        }
        let bench = Bench(store)
        for number in 1...50 as ClosedRange<UInt64> {
            let record = scenario.record(scenario.bob, StoreScenario.sample("good"))
            let mark = EventMark(time: scenario.now, capturedAt: scenario.now, eventId: "event \(number)")
            let event = EventRecord(
                session: "s", mark: mark, type: number.isMultiple(of: 20) ? "poison" : "fine")
            bench.writer.submit([record, .event(event)], receipt: number)
        }
        bench.writer.finish()
        await bench.writer.run()
        var seen = bench.seen.makeAsyncIterator()
        #expect(await seen.next() == "omitted 2")
        for number in 1...50 { #expect(await seen.next() == "\(number)") }
        #expect(bench.writer.statistics.samples == 50 && bench.writer.statistics.rejected == 2)
        #expect(try await store.timeline(.init(session: "s"))?.items.count == 48)
    }

    /// Overwrites a store's file.
    private static func damage(_ store: SQLiteCallStore, _ folder: TemporaryFolder) async throws {
        try await store.database.writeWithoutTransaction { database in
            _ = try database.checkpoint(.truncate)
        }
        let size = try Data(contentsOf: URL(filePath: folder.store)).count
        let handle = try FileHandle(forUpdating: URL(filePath: folder.store))
        try handle.write(contentsOf: Data(repeating: 0xA5, count: size))
        try handle.close()
        try await store.database.writeWithoutTransaction { $0.releaseMemory() }
    }

    @Test("for damage says so once, writes no more, and is moved aside at the next start")
    func damage() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteCallStore(path: folder.store, configuration: Self.configuration)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        try await Self.damage(store, folder)

        let bench = Bench(store)
        let running = Task { await bench.writer.run() }
        var seen = bench.seen.makeAsyncIterator()
        #expect(bench.writer.submit([scenario.record(scenario.bob, .init())], receipt: 1))
        #expect(await seen.next() == "damaged")
        #expect(await seen.next() == "lost 1")
        #expect(!bench.writer.submit([scenario.record(scenario.bob, .init())], receipt: 2))
        #expect(!bench.writer.submit(scenario.beginning))
        bench.writer.finish()
        await running.value
        let statistics = bench.writer.statistics
        #expect(statistics.isDamaged && !statistics.isWriting && statistics.failures == 1)
        #expect(statistics.dropped == 2 + UInt64(scenario.beginning.count) && statistics.waiting == 0)
        try? store.close()

        let again = try SQLiteCallStore(path: folder.store)
        #expect(again.replaced?.reason.isEmpty == false)
        #expect(try await again.sessions(.init()).items.isEmpty)
        try again.close()
    }

    /// How someone who does not write comes across the damage.
    enum Finder: CaseIterable {
        case maintenance, reader

        func find(in store: SQLiteCallStore) async throws {
            switch self {
            case .maintenance: try await store.maintenance(now: StoreScenario.start)
            case .reader: _ = try await store.samples(.init(session: "s"))
            }
        }
    }

    @Test(
        "for damage that someone else finds stops as well, and gives back what waits",
        arguments: Finder.allCases)
    func damageFoundElsewhere(finder: Finder) async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteCallStore(path: folder.store, configuration: Self.configuration)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        try await Self.damage(store, folder)
        let bench = Bench(store)
        #expect(bench.writer.submit([scenario.record(scenario.bob, .init())], receipt: 1))
        _ = try? await finder.find(in: store)
        try #require(store.damage != nil)
        bench.writer.checkDamage()
        bench.writer.checkDamage()
        #expect(bench.writer.statistics.isDamaged && !bench.writer.statistics.isWriting)
        #expect(!bench.writer.submit([scenario.record(scenario.bob, .init())], receipt: 2))
        bench.writer.finish()
        await bench.writer.run()
        var seen = bench.seen.makeAsyncIterator()
        #expect(await seen.next() == "damaged")
        #expect(await seen.next() == "lost 1")
        #expect(StoreFiles.isMarkedDamaged(folder.store))
        try? store.close()
    }

    @Test("at the end gives up, and says what was lost")
    func finished() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteCallStore(path: folder.store, configuration: Self.configuration)
        let scenario = StoreScenario(store: store)
        try await scenario.begin()
        try await Self.fill(store)
        let bench = Bench(store)
        let mark = EventMark(time: scenario.now, capturedAt: scenario.now, eventId: "large")
        let large = [UInt8](repeating: 32, count: 100_000)
        bench.writer.submit([.report(.init(flow: scenario.bob, mark: mark, json: large))], receipt: 1)
        bench.writer.finish()
        await bench.writer.run()
        #expect(bench.writer.statistics.dropped == 1 && bench.writer.statistics.failures == 1)
        var seen = bench.seen.makeAsyncIterator()
        #expect(await seen.next() == "paused")
        #expect(await seen.next() == "lost 1")
        try store.close()
    }
}
