// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Synchronization

/// Counts calls from any thread.
final class Counter: Sendable {
    private let calls = Atomic(0)

    var count: Int { calls.load(ordering: .relaxed) }

    func add() { calls.add(1, ordering: .relaxed) }
}
