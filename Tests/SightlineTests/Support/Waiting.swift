// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing

/// Waits until something is so; fails the test if it is not within thirty seconds.
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async rethrows {
    let deadline = ContinuousClock.now.advanced(by: .seconds(30))
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        await Task.yield()
    }
    // Whoever did not get to look in all that time has seen nothing yet.
    if try await condition() { return }
    Issue.record("not within thirty seconds: \(what)", sourceLocation: sourceLocation)
}

/// Reads a stream until an element fits; `nil` if it ends before.
///
/// Bounded by the test's time limit.
func first<Element>(
    _ iterator: inout AsyncStream<Element>.Iterator, where fits: (Element) -> Bool = { _ in true }
) async -> Element? {
    while let element = await iterator.next() {
        if fits(element) { return element }
    }
    return nil
}

/// Reads a stream to its end.
///
/// Bounded by the test's time limit.
func all<Element: Sendable>(of stream: AsyncStream<Element>) async -> [Element] {
    var elements: [Element] = []
    for await element in stream { elements.append(element) }
    return elements
}
