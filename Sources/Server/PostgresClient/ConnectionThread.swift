// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// A thread of its own on which an actor runs: what blocks there takes none of Swift's threads, of which there are as many as
/// cores.
final class ConnectionThread: SerialExecutor {
    private let jobs = Jobs()

    init(name: String) {
        let thread = Thread { [jobs] in jobs.run() }
        thread.name = name
        thread.start()
    }

    deinit { jobs.finish() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        jobs.add { job.runSynchronously(on: executor) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// Jobs that wait for the thread, which knows them and not the executor: that ends with its actor, and the thread with it.
private final class Jobs: @unchecked Sendable {
    // Unchecked because the compiler cannot see that both are only touched with the condition held.
    private let condition = NSCondition()
    private var waiting: [() -> Void] = []
    private var isFinished = false

    func add(_ job: @escaping () -> Void) {
        condition.withLock {
            waiting.append(job)
            condition.signal()
        }
    }

    func finish() {
        condition.withLock {
            isFinished = true
            condition.signal()
        }
    }

    /// Runs what is added until ``finish()``.
    func run() {
        while let jobs = take() {
            for job in jobs { job() }
        }
    }

    /// `nil` at the end.
    private func take() -> [() -> Void]? {
        condition.withLock {
            while waiting.isEmpty {
                guard !isFinished else { return nil }
                condition.wait()
            }
            defer { waiting = [] }
            return waiting
        }
    }
}
