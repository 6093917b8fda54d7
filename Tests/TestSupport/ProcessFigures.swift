// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// What this process holds at the moment.
package struct ProcessFigures: Sendable, Equatable {
    /// Threads.
    package var threads: Int
    /// Open file descriptors.
    package var descriptors: Int

    /// Counts now.
    ///
    /// Linux only; elsewhere both are 0.
    package static func now() -> ProcessFigures {
        let count = { (path: String) in
            (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
        }
        return ProcessFigures(threads: count("/proc/self/task"), descriptors: count("/proc/self/fd"))
    }
}
