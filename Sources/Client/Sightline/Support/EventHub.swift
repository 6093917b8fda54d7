// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The one source of a kind of events: every listener receives the same ones in the same order.
///
/// Each listener has a buffer of its own. With `.unbounded` nothing is lost (life-cycle events, which are
/// few); with `.bufferingNewest` a listener that lags loses the oldest (samples). Delegates listen like
/// everyone else.
final class EventHub<Event: Sendable>: Sendable {
    typealias Policy = AsyncStream<Event>.Continuation.BufferingPolicy

    private typealias Listeners = [Int: AsyncStream<Event>.Continuation]

    /// What is to be delivered to those who listened when it happened.
    private struct Delivery {
        /// `nil` for the end.
        var event: Event?
        var listeners: Listeners
    }

    private struct State {
        var listeners: Listeners = [:]
        var nextListener = 0
        var isFinished = false
        var recipient: EventRecipient<Event>?
        /// How many recipients there have been.
        var recipients = 0
        var deliveries: [Delivery] = []
        /// Someone hands the deliveries over, and will see those that are added meanwhile.
        var isHandingOver = false
        /// Hands events to the recipient, and ends with the last one.
        var delivering: Task<Void, Never>?
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

    /// Hands every event from now on to a recipient, one after the other, until the hub finishes or another takes its place.
    func deliver(to recipient: EventRecipient<Event>) {
        let isFirst = state.withLock { state in
            state.recipient = recipient
            state.recipients += 1
            return state.recipients == 1
        }
        guard isFirst else { return }
        let events = events()
        // Owned by the hub: its stream ends when the hub finishes, at the latest when the hub goes away.
        let task = Task { [weak self] in
            for await event in events { await self?.handToRecipient(event) }
        }
        state.withLock { $0.delivering = task }
    }

    /// Hands an event to the recipient, or to the one that took its place on the way to its actor.
    private func handToRecipient(_ event: Event) async {
        while true {
            let (recipient, number) = state.withLock { ($0.recipient, $0.recipients) }
            guard let recipient else { return }
            let isDone = await recipient.take(event, ifStill: { state.withLock { $0.recipients } == number })
            if isDone { return }
        }
    }

    /// Sends an event to everyone.
    func send(_ event: Event) {
        state.withLock { $0.deliveries.append(Delivery(event: event, listeners: $0.listeners)) }
        handOver()
    }

    /// Ends every listener's stream, after what it has not read yet.
    ///
    /// - Parameter owner: Lives until its delegate has heard the last event.
    func finish(keeping owner: (any AnyObject & Sendable)? = nil) {
        if let owner, let delivering = state.withLock({ $0.delivering }) {
            Task {
                await delivering.value
                withExtendedLifetime(owner) {}
            }
        }
        state.withLock { state in
            state.isFinished = true
            state.deliveries.append(Delivery(event: nil, listeners: state.listeners))
            state.listeners = [:]
        }
        handOver()
    }

    /// Hands over what there is to deliver, in its order, unless someone else is at it.
    ///
    /// Without the lock: yielding takes the lock of the task that listens, and who cancels that task holds
    /// its lock while `onTermination` wants ours.
    private func handOver() {
        let isMine = state.withLock { state in
            defer { state.isHandingOver = true }
            return !state.isHandingOver
        }
        guard isMine else { return }
        while let delivery = nextDelivery() {
            for listener in delivery.listeners.values {
                if let event = delivery.event { listener.yield(event) } else { listener.finish() }
            }
        }
    }

    /// The next in order; if there is none, the next to send something hands it over.
    private func nextDelivery() -> Delivery? {
        state.withLock { state in
            guard state.deliveries.isEmpty else { return state.deliveries.removeFirst() }
            state.isHandingOver = false
            return nil
        }
    }
}
