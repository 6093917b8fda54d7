// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Measures CPU time, which other programs on the machine disturb far less than the clock on the wall.
enum Stopwatch {
    /// µs of CPU per call of `body`: the least of several rounds, each long enough to be measured well.
    static func microseconds(rounds: Int = 9, calls: Int = 400, _ body: () throws -> Void) rethrows -> Double
    {
        for _ in 0..<calls / 4 { try body() }
        var least = Double.infinity
        for _ in 0..<rounds {
            let start = cpuSeconds()
            for _ in 0..<calls { try body() }
            least = min(least, (cpuSeconds() - start) / Double(calls) * 1e6)
        }
        return least
    }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Keeps a value's computation from being thrown away as unused.
@inline(never)
func keep(_ value: some Any) {}
