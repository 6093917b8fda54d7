// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Something did not come true, or did not end, in time.
package struct NotInTime: Error, CustomStringConvertible {
    /// What was waited for, and for how long.
    package let description: String

    package init(_ what: String, within limit: Duration) { description = "not within \(limit): \(what)" }
}

/// Waits until `condition` holds, looking again every few milliseconds.
///
/// - Throws: ``NotInTime`` after `limit`, and what `condition` throws.
package func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while !(try await condition()) {
        guard clock.now < deadline else { throw NotInTime(what, within: limit) }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Waits until something is there, and returns it.
///
/// - Throws: ``NotInTime`` after `limit`, and what `look` throws.
package func found<Value>(
    _ what: String, within limit: Duration = .seconds(60), _ look: () async throws -> Value?
) async throws -> Value {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while true {
        if let value = try await look() { return value }
        guard clock.now < deadline else { throw NotInTime(what, within: limit) }
        try await Task.sleep(for: .milliseconds(10))
    }
}
