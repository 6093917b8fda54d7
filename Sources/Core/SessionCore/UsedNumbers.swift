// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which message ids a socket has used, in bounded space.
///
/// Exact while ids come roughly in order. A client that jumps about fills the memory for gaps; then the
/// lowest gaps count as used.
struct UsedNumbers: Sendable {
    /// Most numbers beyond the first gap that are remembered.
    static let memory = 1024
    /// Everything up to here is used.
    private var floor = 0
    private(set) var beyond: Set<Int> = []

    /// Whether `number` is new; from now on it is not.
    mutating func insert(_ number: Int) -> Bool {
        guard number > floor, beyond.insert(number).inserted else { return false }
        if beyond.count > Self.memory, let lowest = beyond.min() { floor = lowest }
        while floor < .max, beyond.contains(floor + 1) { floor += 1 }
        if number <= floor || beyond.count > Self.memory { beyond = beyond.filter { $0 > floor } }
        return true
    }
}
