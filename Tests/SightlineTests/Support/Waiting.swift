// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import TestSupport
import Testing

/// Waits until something is so; fails the test if it is not within thirty seconds.
///
/// It looks again whenever all tasks wait: what comes by itself has come by then, unless it comes from another process
/// or thread.
func eventually(
    _ what: String, isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async rethrows {
    let deadline = ContinuousClock.now.advanced(by: .seconds(30))
    while true {
        if try await condition() { return }
        await Quiescence.reached()
        if try await condition() { return }
        guard ContinuousClock.now < deadline else { break }
        try? await Task.sleep(for: .milliseconds(5))
    }
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
