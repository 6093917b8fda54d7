// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

/// Starts programs one at a time, and makes pipes while none is started.
///
/// What is open when its start begins is closed in a new program. A pipe that another thread makes after that remains
/// open there, and whoever reads from the pipe waits until that program has ended as well.
package enum ProgramLaunch {
    private static let turn = Mutex(())

    /// Starts a program.
    package static func start(_ process: Process) throws {
        try turn.withLock { _ in try process.run() }
    }

    /// Makes a pipe that no program has but those that are given it.
    package static func pipe() -> Pipe {
        turn.withLock { _ in Pipe() }
    }
}
