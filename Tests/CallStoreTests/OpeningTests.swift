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

@Suite("Opening a store")
struct OpeningTests {
    private static let time = Date(timeIntervalSince1970: 1_700_000_040)

    /// A store with a call in it, closed; large enough to have pages of every kind.
    private static func makeStore(_ path: String) async throws {
        var scenario = StoreScenario(store: try SQLiteCallStore(path: path))
        try await scenario.begin()
        try await scenario.write(
            scenario.bob, Array(repeating: StoreScenario.sample("critical"), count: 3000))
        try await scenario.store.maintenance(now: scenario.now)
        try await scenario.store.close()
    }

    private static func overwrite(_ path: String, at offset: UInt64, _ bytes: Data) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    private static func error(_ path: String) throws -> String {
        do {
            _ = try SQLiteCallStore(path: path, time: time)
        } catch {
            return error.description
        }
        Issue.record("it was opened")
        return ""
    }

    enum Damage: String, CaseIterable {
        case header, schema, pages, truncated, noise, marked

        func make(_ path: String) throws {
            let noise = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
            switch self {
            case .header: try OpeningTests.overwrite(path, at: 0, noise.prefix(100))
            case .schema: try OpeningTests.overwrite(path, at: 100, noise.prefix(3000))
            case .pages:
                for page in 2..<20 as Range<UInt64> {
                    try OpeningTests.overwrite(path, at: page * 4096, noise)
                }
            case .truncated: try FileManager.default.truncate(path, to: 9000)
            case .noise: try (noise + noise).write(to: URL(filePath: path))
            // A process found it damaged and said so.
            case .marked: StoreFiles.markDamaged(path)
            }
        }
    }

    @Test(
        "a damaged one is moved aside with what is beside it, and an empty one begun",
        arguments: Damage.allCases)
    func damaged(damage: Damage) async throws {
        let folder = try TemporaryFolder()
        try await Self.makeStore(folder.store)
        try damage.make(folder.store)
        let damagedBytes = try Data(contentsOf: URL(filePath: folder.store))
        let store = try SQLiteCallStore(path: folder.store, time: Self.time)
        let replaced = try #require(store.replaced)
        #expect(replaced.path == folder.store + ".corrupt-20231114T221400Z")
        #expect(!replaced.reason.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: replaced.path)) == damagedBytes)
        #expect(try await store.sessions(.init()).items.isEmpty)
        var scenario = StoreScenario(store: store)
        try await scenario.begin()
        #expect(try await scenario.write(scenario.bob, [StoreScenario.sample("good")]).samples == 1)
        try store.close()
        // The new one is whole.
        let again = try SQLiteCallStore(path: folder.store, time: Self.time)
        #expect(again.replaced == nil)
        #expect(try await again.sessions(.init()).items.count == 1)
        try again.close()
        #expect(try !folder.names.contains { $0.hasSuffix(".damaged") })
    }

    @Test("two damaged ones of one second do not overwrite each other")
    func twice() async throws {
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            try await Self.makeStore(folder.store)
            try Damage.header.make(folder.store)
            try SQLiteCallStore(path: folder.store, time: Self.time).close()
        }
        let moved = try folder.names.filter {
            $0.contains(".corrupt-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
        #expect(moved.count == 2, "\(moved)")
    }

    @Test("an empty file is a new store")
    func empty() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(filePath: folder.store))
        let store = try SQLiteCallStore(path: folder.store)
        #expect(store.replaced == nil)
        #expect(try await store.sessions(.init()).items.isEmpty)
        try store.close()
    }

    @Test("what is someone else's is refused with what to do, and stays as it is")
    func others() async throws {
        let folder = try TemporaryFolder()
        let text = Data("My notes, which are no database.\n".utf8)
        try text.write(to: URL(filePath: folder.store))
        #expect(try Self.error(folder.store).contains("no database; name another file"))
        #expect(try Data(contentsOf: URL(filePath: folder.store)) == text)

        let other = folder.file("other.sqlite").path
        let queue = try DatabaseQueue(path: other)
        try await queue.write { try $0.execute(sql: "CREATE TABLE notes (text TEXT)") }
        try queue.close()
        #expect(try Self.error(other).contains("another program's database"))

        #expect(try Self.error(folder.path).contains("it is a directory; name a file in it"))
        #expect(try Self.error("/nowhere/at/all.sqlite").contains("no directory /nowhere/at; make it first"))
        #expect(try folder.names.filter { $0.contains("corrupt") }.isEmpty)
    }

    @Test(
        "one of another version is refused with what to do, and stays as it is",
        arguments: [
            (0, "an older"), (StoreSchema.version - 1, "an older"), (StoreSchema.version + 1, "a newer"),
            (Int64(Int32.max), "a newer"),
        ])
    func versions(version: Int64, maker: String) async throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.store)
        // As it was made by a program of that version: only what every version has is known.
        try await queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE sessions (id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO sessions (name) VALUES ('kept');
                    PRAGMA application_id = \(StoreSchema.application);
                    PRAGMA user_version = \(version);
                    """)
        }
        try queue.close()
        let error = try Self.error(folder.store)
        #expect(error.contains("it was made by \(maker) version (its tables are version \(version)"))
        #expect(error.contains("move the file away"))
        #expect(try folder.names.filter { $0.contains("corrupt") }.isEmpty)
        let kept = try DatabaseQueue(path: folder.store)
        #expect(try await kept.read { try String.fetchAll($0, sql: "SELECT name FROM sessions") } == ["kept"])
        try kept.close()
    }

    @Test("one from before a figure was there gets its column, and keeps what it has")
    func laterFigures() async throws {
        let folder = try TemporaryFolder()
        var scenario = StoreScenario(store: try SQLiteCallStore(path: folder.store))
        try await scenario.begin()
        try await scenario.write(scenario.bob, [StoreScenario.full])
        try await scenario.store.close()
        let queue = try DatabaseQueue(path: folder.store)
        try await queue.write { database in
            for column in ["v_av_sync", "demand"] {
                try database.execute(sql: "ALTER TABLE samples DROP COLUMN \(column)")
            }
        }
        try queue.close()

        scenario.store = try SQLiteCallStore(path: folder.store)
        try await scenario.write(scenario.bob, [StoreScenario.full])
        let samples = try #require(try await scenario.store.samples(.init(session: "s"))).items.map(\.sample)
        #expect(samples.map(\.video?.avSync) == [nil, StoreScenario.full.video?.avSync])
        #expect(samples.map(\.bandwidthDemand) == [nil, StoreScenario.full.bandwidthDemand])
        #expect(samples.map(\.video?.mos) == Array(repeating: StoreScenario.full.video?.mos, count: 2))
        try await scenario.store.close()
    }

    /// The first steps of a store of before there were versions, as GRDB's migrator left it.
    @Test("one from a trial version before there were versions is refused")
    func trial() async throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.store)
        try await queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('1 calls'), ('2 samples'), ('3 minutes and alerts');
                    CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
                    """)
        }
        try queue.close()
        #expect(try Self.error(folder.store).contains("of an early trial version; name another file"))
    }

    @Test("its files are its owner's alone, also one that was everyone's")
    func modes() async throws {
        let folder = try TemporaryFolder()
        var scenario = StoreScenario(store: try SQLiteCallStore(path: folder.store))
        try await scenario.begin()
        try await scenario.write(scenario.bob, [StoreScenario.sample("good")])
        let names = try folder.names
        #expect(names == ["calls.sqlite", "calls.sqlite-shm", "calls.sqlite-wal"])
        for name in names { #expect(try folder.mode(name) == "600", "\(name)") }
        try await scenario.store.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.store)
        let again = try SQLiteCallStore(path: folder.store)
        for name in try folder.names { #expect(try folder.mode(name) == "600", "\(name)") }
        try again.close()
    }

    @Test("who is deleted is no longer in the files, neither by name nor by its pseudonym")
    func overwritten() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteCallStore(path: folder.store)
        for number in 0..<200 {
            let name = number.isMultiple(of: 3) ? "Mallory Zyx-unmistakable" : "Someone Else \(number)"
            let participant = number.isMultiple(of: 3) ? "p0123456789fedcba" : "p-\(number)"
            let key = FlowKey(connection: "c\(number)", number: 1)
            _ = try await store.write([
                .session(name: "s\(number)", kind: .hosted(.routed), createdAt: StoreScenario.start),
                .connection(
                    .init(
                        name: "c\(number)", session: "s\(number)", participant: participant,
                        displayName: name,
                        role: .publisher, joinedAt: StoreScenario.start)),
                .stream(
                    .init(
                        name: "st\(number)", session: "s\(number)", connection: "c\(number)",
                        content: .init(name: name, hasAudio: true, hasVideo: true),
                        createdAt: StoreScenario.start)),
                .flow(
                    .init(
                        key: key, session: "s\(number)", stream: "st\(number)", role: .publisher,
                        createdAt: StoreScenario.start)),
            ])
        }
        func hits() throws -> Int {
            try folder.names.reduce(0) { sum, name in
                let bytes = try Data(contentsOf: folder.file(name))
                return sum
                    + ["Mallory", "p0123456789fedcba"].filter { bytes.range(of: Data($0.utf8)) != nil }.count
            }
        }
        #expect(try hits() > 0)
        #expect(try await store.deleteParticipant("p0123456789fedcba") == 67)
        #expect(try hits() == 0)
        #expect(try await store.sessions(.init()).items.count == 50)
        try store.close()
        #expect(try hits() == 0)
    }
}

extension FileManager {
    fileprivate func truncate(_ path: String, to length: UInt64) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.truncate(atOffset: length)
        try handle.close()
    }
}
