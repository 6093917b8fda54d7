// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Synchronization

/// What a store's sessions are, for those who may still ask when the store is closed: a socket's last words come when they
/// come.
final class SessionKinds: Sendable {
    private struct State {
        var readers = 0
        var isClosed = false
        /// Who waits for the last reader.
        var closing: CheckedContinuation<Void, Never>?
    }

    private let store: any HistoryStore
    private let state = Mutex(State())

    init(_ store: any HistoryStore) { self.store = store }

    /// What a session is, or was last; `nil` if there is none of that name, and if the store cannot be read or is closed.
    func kind(ofSession name: String) async -> SessionKind? {
        guard enter() else { return nil }
        defer { leave() }
        return try? await store.kind(ofSession: name)
    }

    /// Waits for those who read; the store is not read any more then.
    func close() async {
        await withCheckedContinuation { continuation in
            let isUnused = state.withLock { state in
                state.isClosed = true
                guard state.readers > 0 else { return true }
                state.closing = continuation
                return false
            }
            if isUnused { continuation.resume() }
        }
    }

    private func enter() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.readers += 1
            return true
        }
    }

    private func leave() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.readers -= 1
            guard state.readers == 0 else { return nil }
            defer { state.closing = nil }
            return state.closing
        }
        waiter?.resume()
    }
}
