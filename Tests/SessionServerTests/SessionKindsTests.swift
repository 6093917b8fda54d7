// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallStore
import HistoryWriter
import Testing

@testable import SessionServer

@Suite("What stored sessions are")
struct SessionKindsTests {
    @Test("whoever asks late, as a socket's end does, is answered that no one knows")
    func closed() async throws {
        let store = try SQLiteCallStore.inMemory()
        _ = try await store.write([.session(name: "a", kind: .observed, createdAt: 1000)])
        let kinds = SessionKinds(store)
        let asking = (0..<50).map { _ in Task { await kinds.kind(ofSession: "a") } }
        #expect(await kinds.kind(ofSession: "a") == .observed)
        await kinds.close()
        try store.close()
        #expect(await kinds.kind(ofSession: "a") == nil)
        for one in asking { _ = await one.value }
    }
}
