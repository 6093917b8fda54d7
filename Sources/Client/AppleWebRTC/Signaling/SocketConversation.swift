// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import Sightline

/// What a socket asks of URLSession; a test has one of its own.
///
/// Any handler may be called late, twice or never: URLSession drops those of a task that ends meanwhile.
protocol WebSocketTask: AnyObject, Sendable {
    /// Begins to connect; how that goes is reported to the conversation.
    func begin(_ conversation: SocketConversation)
    func send(_ text: String, _ done: @escaping @Sendable ((any Error)?) -> Void)
    /// The next message; `nil` for one that is no text.
    func receive(_ done: @escaping @Sendable (Result<String?, any Error>) -> Void)
    func ping(_ done: @escaping @Sendable ((any Error)?) -> Void)
    /// Says goodbye and ends it.
    func end()
}

/// A WebSocket from its opening to its end, which comes once, and for which nothing is waited for.
final class SocketConversation: Sendable {
    /// This many pings in a row without a word from the server mean that it is gone.
    ///
    /// Pings are counted, not time: a device that was asleep has asked nothing meanwhile.
    static let unansweredPingLimit = 3

    private enum Phase {
        case new
        case opening(CheckedContinuation<Void, any Error>)
        case open(pinger: Task<Void, Never>)
        case over(any Error)
    }

    private struct State {
        var phase = Phase.new
        var sendCount = 0
        /// Those who wait until something is sent.
        var senders: [Int: CheckedContinuation<Void, any Error>] = [:]
        /// Pings since the server was last heard.
        var unansweredPings = 0
    }

    let messages: AsyncThrowingStream<String, any Error>
    private let continuation: AsyncThrowingStream<String, any Error>.Continuation
    private let task: any WebSocketTask
    private let pingInterval: Duration
    private let clock: SessionClock
    private let state = Mutex(State())

    init(_ task: any WebSocketTask, pingInterval: Duration, clock: SessionClock = .continuous) {
        (messages, continuation) = AsyncThrowingStream.makeStream()
        self.task = task
        self.pingInterval = pingInterval
        self.clock = clock
    }

    /// Opens the socket.
    ///
    /// - Throws: Why it could not be opened; at once when the caller's task is cancelled.
    func open() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { opening in
                let failure: (any Error)? = state.withLock { state in
                    if case .over(let error) = state.phase { return error }
                    state.phase = .opening(opening)
                    return nil
                }
                if let failure { return opening.resume(throwing: failure) }
                task.begin(self)
            }
        } onCancel: {
            end(CancellationError())
        }
    }

    /// The server has agreed.
    func opened() {
        let opening: CheckedContinuation<Void, any Error>? = state.withLock { state in
            guard case .opening(let opening) = state.phase else { return nil }
            state.phase = .open(pinger: makePinger())
            return opening
        }
        guard let opening else { return }
        receive()
        opening.resume()
    }

    /// - Throws: Why it could not be sent; at the latest when the socket is over.
    func send(_ text: String) async throws {
        try await withCheckedThrowingContinuation { sending in
            let (number, failure): (Int, (any Error)?) = state.withLock { state in
                if case .over(let error) = state.phase { return (0, error) }
                state.sendCount += 1
                state.senders[state.sendCount] = sending
                return (state.sendCount, nil)
            }
            if let failure { return sending.resume(throwing: failure) }
            task.send(text) { [weak self] error in self?.sent(number, error) }
        }
    }

    /// Ends it; without an error it was meant to.
    ///
    /// Only the first end counts.
    func end(_ error: (any Error)?) {
        let reason = error ?? SightlineError(.connectionLost, "the socket is closed")
        let last: State? = state.withLock { state in
            if case .over = state.phase { return nil }
            let last = state
            state.phase = .over(reason)
            state.senders = [:]
            return last
        }
        guard let last else { return }
        // First, so that what the task reports of its own end says nothing any more.
        continuation.finish(throwing: error)
        if case .opening(let opening) = last.phase { opening.resume(throwing: reason) }
        if case .open(let pinger) = last.phase { pinger.cancel() }
        for sender in last.senders.values { sender.resume(throwing: reason) }
        task.end()
    }

    private func sent(_ number: Int, _ error: (any Error)?) {
        let sender = state.withLock { $0.senders.removeValue(forKey: number) }
        sender?.resume(with: error.map { .failure($0) } ?? .success(()))
    }

    private func receive() {
        task.receive { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let text):
                hear()
                if let text { continuation.yield(text) }
                receive()
            case .failure(let error): end(Self.lost(error))
            }
        }
    }

    /// A socket that broke, for the session.
    static func lost(_ error: any Error) -> SightlineError {
        SightlineError(.connectionLost, "the session server's socket broke: \(error.localizedDescription)")
    }

    private func hear() { state.withLock { $0.unansweredPings = 0 } }

    private func makePinger() -> Task<Void, Never> {
        Task { [pingInterval, clock, weak self] in
            // The interval is when to ask next; nothing is waited for.
            while (try? await clock.sleep(for: pingInterval)) != nil {
                guard let self, self.askAgain() else { return }
            }
        }
    }

    /// Asks the server whether it is there; `false` if too many pings had no answer.
    private func askAgain() -> Bool {
        let isSilent = state.withLock { state in
            guard state.unansweredPings < Self.unansweredPingLimit else { return true }
            state.unansweredPings += 1
            return false
        }
        if isSilent {
            end(SightlineError(.connectionLost, "the session server has fallen silent"))
            return false
        }
        task.ping { [weak self] error in
            if error == nil { self?.hear() }
        }
        return true
    }
}
