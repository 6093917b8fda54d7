// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Synchronization

/// The one source of a kind of events: every listener hears the same ones in the same order.
///
/// Each listener has a buffer of its own. With `.unbounded` nothing is lost (life-cycle events, which are
/// few); with `.bufferingNewest` a listener that lags loses the oldest (samples). Delegates listen like
/// everybody else.
final class EventHub<Event: Sendable>: Sendable {
    typealias Policy = AsyncStream<Event>.Continuation.BufferingPolicy

    private struct State {
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
        var nextListener = 0
        var isFinished = false
        var isDelivering = false
    }

    private let policy: Policy
    private let state = Mutex(State())

    init(_ policy: Policy) {
        self.policy = policy
    }

    deinit { finish() }

    /// Events from now on, for one listener; over at once if the hub has finished.
    func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: policy)
        let listener: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        guard let listener else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: listener) }
        }
        return stream
    }

    /// Hands every event from now on to `body`, one after the other, until the hub finishes.
    ///
    /// Works once.
    func deliver(to body: @escaping @Sendable (Event) -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        let events = events()
        // Owned by the hub: its stream ends when the hub finishes, at the latest when the hub goes away.
        Task { for await event in events { body(event) } }
    }

    /// Tells everybody.
    func send(_ event: Event) {
        // Yielding only buffers, so nobody is called while the lock is held; the lock keeps the order.
        state.withLock { state in
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    /// Ends every listener's stream, after what it has not read yet.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
