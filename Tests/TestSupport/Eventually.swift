// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A condition did not come true in time.
package struct NotInTime: Error, CustomStringConvertible {
    /// What was waited for.
    package var description: String
}

/// Waits until `condition` holds, looking again every few milliseconds.
///
/// - Throws: ``NotInTime`` after `limit`, and what `condition` throws.
package func eventually(
    _ what: String, within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while !(try await condition()) {
        guard clock.now < deadline else { throw NotInTime(description: "not within \(limit): \(what)") }
        try await Task.sleep(for: .milliseconds(20))
    }
}
