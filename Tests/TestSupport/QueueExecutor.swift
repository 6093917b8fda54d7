// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Dispatch

/// Runs tasks on a queue of its own, so that what hangs there does not take the other tests' threads with it.
package final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tasks of a test")

    /// Makes one with a queue of its own.
    package init() {}

    /// Puts a job at the end of the queue.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
