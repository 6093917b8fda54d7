// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Synchronization

/// Knows when no task of this process has anything left to do: each waits, for time to pass or for something from outside.
///
/// A test on virtual time lets time pass only then. It counts the jobs between their being handed to Swift's global
/// executor and their end. Those that a real `sleep` wakes are not among them, nor those of other executors, nor a task
/// between the two halves of `Task.yield()`, which goes another way.
package enum Quiescence {
    private struct State {
        var jobs = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Mutex(State())
    private static let isCounting: Bool = install()

    /// Begins to count.
    ///
    /// What was begun before is not counted, so this comes before what is to be waited for.
    package static func begin() {
        precondition(isCounting, "the Swift runtime has no hook in its global executor")
    }

    /// Waits until all tasks wait.
    package static func reached() async {
        begin()
        await withCheckedContinuation { continuation in
            let isQuiet = state.withLock { state in
                if state.jobs > 0 { state.waiting.append(continuation) }
                return state.jobs == 0
            }
            if isQuiet { continuation.resume() }
        }
    }

    private static func run(_ job: UnownedJob) {
        state.withLock { $0.jobs += 1 }
        DispatchQueue.global().async {
            job.runSynchronously(on: globalConcurrentExecutor.asUnownedTaskExecutor())
            let woken = state.withLock { state in
                state.jobs -= 1
                guard state.jobs == 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in woken { continuation.resume() }
        }
    }

    /// A job and the function that would take it otherwise.
    ///
    /// The runtime's convention passes two pointers as C's does.
    private typealias Hook = @convention(c) (UnsafeRawPointer, UnsafeRawPointer?) -> Void

    /// Puts `run` into the place that the runtime keeps for this.
    private static func install() -> Bool {
        guard let place = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else { return false }
        let hook: Hook = { job, _ in Quiescence.run(unsafeBitCast(job, to: UnownedJob.self)) }
        place.assumingMemoryBound(to: Hook?.self).pointee = hook
        return true
    }
}
