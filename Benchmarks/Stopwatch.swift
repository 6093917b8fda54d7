// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

#if canImport(Glibc)
// Where an optimised build finds `timespec`.
import CDispatch
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

    /// CPU seconds of all threads of this process so far.
    static var processSeconds: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// CPU seconds per call of `body` on all threads: the least of several rounds.
    static func processSeconds(rounds: Int, _ body: () async throws -> Void) async rethrows -> Double {
        var least = Double.infinity
        for _ in 0..<rounds {
            let start = processSeconds
            try await body()
            least = min(least, processSeconds - start)
        }
        return least
    }

    private static func cpuSeconds() -> Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Keeps a value's computation from being thrown away as unused.
@inline(never)
func keep(_ value: some Any) {}
