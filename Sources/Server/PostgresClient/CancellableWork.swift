// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ
import Foundation

/// What asks the server to end the statement of a connection; any thread may, also while the connection's own one waits.
final class StatementCanceller: @unchecked Sendable {
    // Unchecked because libpq says of it, and of nothing else of a connection, that any thread may use it.
    private let pointer: OpaquePointer

    /// `nil` unless there is a connection.
    init?(_ connection: OpaquePointer) {
        guard let pointer = PQgetCancel(connection) else { return nil }
        self.pointer = pointer
    }

    deinit { PQfreeCancel(pointer) }

    /// Asks, and waits until the server has heard it; one that runs no statement ignores it.
    func cancel() {
        var problem = [CChar](repeating: 0, count: 256)
        _ = PQcancel(pointer, &problem, Int32(problem.count))
    }
}

/// A task's use of a connection, from the moment at which it may be cancelled to that from which it may not.
///
/// A request to end a statement names none: it is for whatever the connection runs when it arrives. So none is sent after the
/// end of the use, and the use ends after what was sent.
final class CancellableWork: @unchecked Sendable {
    /// Between two requests: one that came between two statements was for nothing.
    private static let interval: TimeInterval = 0.05

    // Unchecked because the compiler cannot see that all of it is only touched with the condition held.
    private let condition = NSCondition()
    private var isCancelled = false
    private var canceller: StatementCanceller?
    private var isAsking = false

    /// Begins it.
    ///
    /// - Throws: `CancellationError` if it has been cancelled already.
    func begin(_ canceller: StatementCanceller?) throws(CancellationError) {
        let isCancelled = condition.withLock {
            if !self.isCancelled { self.canceller = canceller }
            return self.isCancelled
        }
        if isCancelled { throw CancellationError() }
    }

    /// Whether ``cancel()`` came in time.
    var wasCancelled: Bool { condition.withLock { isCancelled } }

    /// Has the server end what runs now, or whatever comes up to ``seal(within:)``; returns at once.
    func cancel() {
        let mustAsk = condition.withLock {
            isCancelled = true
            guard canceller != nil, !isAsking else { return false }
            isAsking = true
            return true
        }
        // A thread of its own: it waits for the network.
        if mustAsk { Thread.detachNewThread { self.ask() } }
    }

    private func ask() {
        while let canceller = condition.withLock({ canceller }) {
            canceller.cancel()
            condition.withLock {
                let next = Date(timeIntervalSinceNow: Self.interval)
                while self.canceller != nil, condition.wait(until: next) {}
            }
        }
        condition.withLock {
            isAsking = false
            condition.broadcast()
        }
    }

    /// From here on nothing is cancelled.
    ///
    /// - Returns: Whether no request is under way any more, which may hit what comes next.
    func seal(within limit: Duration) -> Bool {
        condition.withLock {
            canceller = nil
            condition.broadcast()
            let deadline = Date(timeIntervalSinceNow: limit / .seconds(1))
            while isAsking {
                guard condition.wait(until: deadline) else { return !isAsking }
            }
            return true
        }
    }
}
