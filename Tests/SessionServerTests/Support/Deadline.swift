// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

@testable import SessionServer

/// Something did not end in time.
struct NotInTime: Error, CustomStringConvertible {
    let description: String
}

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
        outcome.finish(throwing: NotInTime(description: "not within \(time): \(what)"))
        work.cancel()
    }
    defer { alarm.cancel() }
    return try await outcome.value
}

/// Waits until a condition holds, looking again every few milliseconds.
func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while !(try await condition()) {
        guard ContinuousClock.now < deadline else {
            throw NotInTime(description: "not within \(limit): \(what)")
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}
