// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(Glibc)
import Glibc
#endif

/// Returns memory to the system after many connections have closed, and now and then.
///
/// glibc keeps what it frees for the next who needs it: after a flood of connections the process would stay
/// as large as the flood made it. And where clients come and go, what is in use is scattered over ever more pages,
/// though it does not grow.
struct MemoryReturn: Sendable {
    /// Time between two looks.
    static let interval: Duration = .seconds(5)
    /// Connections that have to go before it is worth a walk over the heap.
    private static let worthwhile = 200

    /// Looks after which it is worth one in any case: a minute.
    private static let mostLooks = 12

    /// Most connections since memory was last given back.
    private var peak = 0
    private var looks = 0

    /// Whether enough have gone that it is time.
    mutating func isDue(connections: Int) -> Bool {
        peak = max(peak, connections)
        looks += 1
        guard peak - connections >= Self.worthwhile || looks >= Self.mostLooks else { return false }
        peak = connections
        looks = 0
        return true
    }

    /// Returns free memory.
    static func giveBack() {
        #if canImport(Glibc)
        // Not in the Glibc module, which leaves malloc.h out; musl has none.
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (Int) -> CInt
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
    }
}
