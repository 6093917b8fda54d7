// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The last names that were seen, in bounded space.
struct RecentNames: Sendable {
    private let capacity: Int
    private var ring: [String] = []
    private var oldest = 0
    private var names: Set<String> = []

    /// - Parameter capacity: At least 1.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Whether `name` is none of the last ones; from now on it is one.
    mutating func insert(_ name: String) -> Bool {
        guard names.insert(name).inserted else { return false }
        if ring.count < capacity {
            ring.append(name)
        } else {
            names.remove(ring[oldest])
            ring[oldest] = name
            oldest = (oldest + 1) % capacity
        }
        return true
    }
}
