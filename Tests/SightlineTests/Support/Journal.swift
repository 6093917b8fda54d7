// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Synchronization

/// Collects what happens, from anywhere.
final class Journal<Entry: Sendable>: Sendable {
    private let stored = Mutex<[Entry]>([])

    var entries: [Entry] { stored.withLock { $0 } }

    func add(_ entry: Entry) { stored.withLock { $0.append(entry) } }
}
