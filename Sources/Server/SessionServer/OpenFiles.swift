// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How many files and sockets the process may have open at once.
package enum OpenFiles {
    /// Kept free for the store, the router, the event loops and what else the server opens.
    static let reserve = 128

    /// Raises the limit to the highest that the process may have by itself.
    package static func raiseLimit() {
        guard var limit else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(kind, &limit)
    }

    /// Connections that leave enough for everything else; never none.
    package static func connections(upTo most: Int) -> Int {
        guard let limit else { return most }
        let all = Int(clamping: limit.rlim_cur)
        return max(1, min(most, max(all - reserve, all / 4)))
    }

    /// Descriptors that the process may have open; `nil` if no one says.
    static var most: Int? { limit.map { Int(clamping: $0.rlim_cur) } }

    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(kind, &limit) == 0 ? limit : nil
    }

    #if canImport(Glibc)
    private static var kind: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
    private static var kind: Int32 { RLIMIT_NOFILE }
    #endif
}
