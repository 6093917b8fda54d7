// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire
import Testing

@testable import CallStore

@Suite("Sessions that may return after a restart")
struct ReturningSessionsTests {
    private static func session(_ name: String, _ mediaMode: MediaMode = .routed) -> StoreRecord {
        .session(name: name, kind: .hosted(mediaMode), createdAt: StoreScenario.start)
    }

    @Test(
        "are those that were live when the server was killed or shut down, until no one comes back any more")
    func live() async throws {
        let folder = try TemporaryFolder()
        var store = try SQLiteCallStore(path: folder.store)
        // No one knows what was before a new store.
        #expect(try await store.sessionsThatMayReturn() == nil)
        let end = StoreScenario.start + 1000
        _ = try await store.write([
            Self.session("killed", .relayed), Self.session("shut down", .adaptive), Self.session("ended"),
            .sessionEnded(name: "shut down", at: end, mayReturn: true), .sessionEnded(name: "ended", at: end),
        ])
        try store.close()

        store = try SQLiteCallStore(path: folder.store)
        #expect(try await store.sessionsThatMayReturn() == ["killed": .relayed, "shut down": .adaptive])
        // Back, and over.
        _ = try await store.write([
            Self.session("killed"), .sessionEnded(name: "killed", at: end), Self.session("live"),
        ])
        try store.close()

        store = try SQLiteCallStore(path: folder.store)
        #expect(try await store.sessionsThatMayReturn() == ["shut down": .adaptive, "live": .routed])
        _ = try await store.write([Self.session("live"), .restorationOver])
        #expect(try await store.sessionsThatMayReturn() == [:])
        try store.close()

        store = try SQLiteCallStore(path: folder.store)
        #expect(try await store.sessionsThatMayReturn() == ["live": .routed])
        try store.close()
        StoreFiles.markDamaged(folder.store)
        store = try SQLiteCallStore(path: folder.store)
        #expect(try await store.sessionsThatMayReturn() == nil)
        try store.close()
    }
}
