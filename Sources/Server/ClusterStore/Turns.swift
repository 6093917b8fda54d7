// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Has what suspends done one after the other, in the order in which it was asked for.
actor Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits for its turn, and does it.
    nonisolated func take<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        await begin()
        do {
            let value = try await body()
            await end()
            return value
        } catch {
            await end()
            throw error
        }
    }

    private func begin() async {
        guard isTaken else { return isTaken = true }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func end() {
        guard !waiting.isEmpty else { return isTaken = false }
        waiting.removeFirst().resume()
    }
}
