// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Synchronization

/// A value that comes once, and can be waited for by many.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Value, any Error>])
        case done(Result<Value, any Error>)
    }

    private let state = Mutex(State.waiting([]))

    /// Sets the value; the first time counts.
    func finish(returning value: Value) { finish(.success(value)) }

    /// Fails waiters, unless there is a value.
    func finish(throwing error: any Error) { finish(.failure(error)) }

    /// Whether the value has come.
    var hasValue: Bool {
        state.withLock { state in
            if case .done(.success) = state { true } else { false }
        }
    }

    /// The value; waits until it has come.
    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    switch state {
                    case .done(let result): return result
                    case .waiting(let others):
                        state = .waiting(others + [continuation])
                        return nil
                    }
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }

    private func finish(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, any Error>] in
            guard case .waiting(let waiting) = state else { return [] }
            state = .done(result)
            return waiting
        }
        for continuation in waiting { continuation.resume(with: result) }
    }
}
