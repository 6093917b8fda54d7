// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

/// Waits until something is so; fails the test if it is not within ten seconds.
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(10))
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(2))
    }
    // Whoever did not get to look in all that time has seen nothing yet.
    if try await condition() { return }
    Issue.record("not within ten seconds: \(what)", sourceLocation: sourceLocation)
}
