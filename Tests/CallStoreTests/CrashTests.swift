// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallStore
import Foundation
import HistoryWriter
import SessionWire
import TestSupport
import Testing

@Suite("A killed process")
struct CrashTests {
    @Test("loses nothing that was acknowledged, and what is sent again counts once")
    func kill() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("calls.sqlite").path
        let acknowledged = try await Self.killedAfter(2000, path)
        #expect(acknowledged.count >= 2000)

        let store = try SQLiteCallStore(path: path)
        let found = try await Self.stored(store)
        #expect(Set(found).count == found.count)
        #expect(Set(acknowledged).isSubset(of: Set(found)))

        let key = FlowKey(connection: "c", number: 1)
        let again = (1...(acknowledged.max() ?? 1)).map { number in
            let time = 1000 + Double(number)
            let mark = EventMark(time: time, capturedAt: time, eventId: "e\(number)")
            return StoreRecord.sample(.init(flow: key, observer: .client, mark: mark, sample: .init()))
        }
        let outcome = try await store.write(again)
        #expect(
            outcome.samples + outcome.duplicates == again.count && outcome.duplicates >= acknowledged.count)
        #expect(try await Self.stored(store).count == max(again.count, found.count))
        try store.close()
    }

    /// The numbers of the samples in a store.
    private static func stored(_ store: SQLiteCallStore) async throws -> [Int] {
        var query = WindowQuery(session: "s")
        query.limit = 1_000_000
        return try #require(try await store.samples(query)).items.map { Int($0.time) - 1000 }
    }

    /// Lets a process write until it has acknowledged this many samples, kills it, and says which it has.
    private static func killedAfter(_ count: Int, _ path: String) async throws -> [Int] {
        let child = Process()
        child.executableURL = URL(filePath: Bundle.main.executablePath ?? "")
            .deletingLastPathComponent().appending(path: "CallStoreChild")
        child.arguments = ["endless", path]
        let pipe = Pipe()
        child.standardOutput = pipe
        try child.run()
        var text = Data()
        var isKilled = false
        // Ends with the child, whose end of the pipe is the only one.
        while let piece = try pipe.fileHandleForReading.read(upToCount: 4096), !piece.isEmpty {
            text += piece
            if !isKilled, text.count(where: { $0 == UInt8(ascii: "\n") }) >= count {
                isKilled = true
                #expect(Foundation.kill(child.processIdentifier, SIGKILL) == 0)
            }
        }
        child.waitUntilExit()
        #expect(child.terminationReason == .uncaughtSignal)
        // The last line may have been cut.
        return String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().compactMap { Int($0) }
    }
}
