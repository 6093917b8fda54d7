// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ
import CallModel
import Dispatch
import Foundation
import Synchronization

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

    /// Asks as ``cancel()`` does, which a server that is stopped lets wait for ever.
    ///
    /// - Returns: Whether the server has heard it in time; otherwise it may hear it later.
    func cancel(within limit: Duration) -> Bool {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            self.cancel()
            done.signal()
        }
        return done.wait(timeout: .now() + limit.seconds) == .success
    }
}

/// A task's use of a connection, from the moment at which it may be cancelled to that from which it may not.
///
/// A request to end a statement names none: it is for whatever the connection runs when it arrives. So none is sent after the
/// end of the use, and the use ends after what was sent.
final class CancellableWork: Sendable {
    /// Between two requests, seconds: one that came between two statements was for nothing.
    private static let interval = 0.05

    private struct State {
        var isCancelled = false
        var isAsking = false
        var canceller: StatementCanceller?
    }

    // Semaphores wait by a clock that no one sets, which a condition's deadline does not.
    private let state = Mutex(State())
    private let isSealed = DispatchSemaphore(value: 0)
    private let hasAsked = DispatchSemaphore(value: 0)

    /// Begins it.
    ///
    /// - Throws: `CancellationError` if it has been cancelled already.
    func begin(_ canceller: StatementCanceller?) throws(CancellationError) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.canceller = canceller }
            return state.isCancelled
        }
        if isCancelled { throw CancellationError() }
    }

    /// Whether ``cancel()`` came in time.
    var wasCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Has the server end what runs now, or whatever comes up to ``seal(within:)``; returns at once.
    func cancel() {
        let mustAsk = state.withLock { state in
            state.isCancelled = true
            guard state.canceller != nil, !state.isAsking else { return false }
            state.isAsking = true
            return true
        }
        // A thread of its own: it waits for the network.
        if mustAsk { Thread.detachNewThread { self.ask() } }
    }

    private func ask() {
        while let canceller = state.withLock({ $0.canceller }) {
            canceller.cancel()
            if isSealed.wait(timeout: .now() + Self.interval) == .success { break }
        }
        state.withLock { $0.isAsking = false }
        hasAsked.signal()
    }

    /// From here on nothing is cancelled.
    ///
    /// - Returns: Whether no request is under way any more, which may hit what comes next.
    func seal(within limit: Duration) -> Bool {
        let isAsking = state.withLock { state in
            state.canceller = nil
            return state.isAsking
        }
        guard isAsking else { return true }
        isSealed.signal()
        return hasAsked.wait(timeout: .now() + limit.seconds) == .success
    }
}
