// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport

@testable import SessionServer

/// Does something that must end within a time, and fails if it does not, whether or not it ever ends.
func within<Value: Sendable>(
    _ time: Duration, _ what: String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let outcome = Promise<Value>()
    let work = Task {
        do { outcome.finish(returning: try await body()) } catch { outcome.finish(throwing: error) }
    }
    let alarm = Task {
        try await Task.sleep(for: time)
        outcome.finish(throwing: NotInTime(what, within: time))
        work.cancel()
    }
    defer { alarm.cancel() }
    return try await outcome.value
}
