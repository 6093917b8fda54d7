// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Why an emulated line is not there, and what to do about it.
package struct LineFailure: Error, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }

    /// The failure of a system call whose result is a negative errno.
    init(_ action: String, result: Int32) {
        self.init("\(action): \(String(cString: strerror(-result)))")
    }
}

/// The clock that everything here is measured by: µs since some moment, the same in all namespaces.
package func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
