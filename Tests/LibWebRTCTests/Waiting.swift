// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The condition did not come true in time.
struct Timeout: Error, CustomStringConvertible {
    let description: String
}

/// Waits until `condition` gives a value, looking every 10 ms; throws after `limit`.
@discardableResult
func eventually<Value>(
    _ what: String, within limit: Duration = .seconds(20), _ condition: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
        if let value = try await condition() { return value }
        guard ContinuousClock.now < deadline else {
            throw Timeout(description: "\(what): not within \(limit)")
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Waits until `condition` is true.
func eventually(
    _ what: String, within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async throws {
    let _: Void = try await eventually(what, within: limit) { try await condition() ? () : nil }
}
