// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import HistoryWriter
import SessionWire
import TestSupport
import Testing

@testable import CallStore

@Suite("Sessions of a damaged store")
struct ReturningSessionsTests {
    @Test("do not return: no one knows what was before a new one")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        var store = try SQLiteCallStore(path: folder.store)
        _ = try await store.write([
            .session(name: "live", kind: .hosted(.routed), createdAt: StoreScenario.start)
        ])
        try store.close()
        StoreFiles.markDamaged(folder.store)
        store = try SQLiteCallStore(path: folder.store)
        #expect(try await store.sessionsThatMayReturn() == nil)
        try store.close()
    }
}
