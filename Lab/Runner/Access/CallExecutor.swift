// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Dispatch

/// Runs the steps of one call in a thread of its own.
///
/// Those wait for programs, and all tasks together have as many threads as there are processors: each call that waits
/// would hold up what changes the lines of the others.
final class CallExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "sightline.lab.call")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
