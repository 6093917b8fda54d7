// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// Messages queued for the server, in the order in which they were added, over as many sockets as that
/// takes.
///
/// Once the session is resumable each message is numbered, and kept until the server has confirmed it; the
/// number of those is bounded.
final class Outbox: Sendable {
    private struct State {
        var nextId = 1
        var ledger: MessageLedger<String>?
        /// To the task that writes to the present socket; `nil` while there is none.
        var socket: AsyncStream<String>.Continuation?
        /// Whether numbered messages may go to the present socket: not before it was made the session's own.
        var isOpen = true

        var unreported: Int { ledger?.unreported ?? 0 }
    }

    /// Most messages, and bytes of them, that the server has not confirmed.
    private static let limits = (messages: 2000, bytes: 8 << 20)
    private let state = Mutex(State())

    deinit { detach() }

    /// A number for a request.
    func makeId() -> Int {
        state.withLock { state in
            defer { state.nextId += 1 }
            return state.nextId
        }
    }

    /// Puts a message in.
    ///
    /// - Throws: ``SightlineError``: `invalidArgument` if it is too long for the server; `connectionOver` if
    ///   too many are unconfirmed, `notConnected` if there is no socket and nothing to keep it for.
    func send(_ message: ClientMessage) throws {
        try state.withLock { state in
            guard message.isNumbered, state.ledger != nil else {
                guard let socket = state.socket else { throw Self.notConnected }
                socket.yield(try Self.text(message))
                return
            }
            let weight = try Self.text(message).utf8.count
            // On a socket that is the session's own: what is kept for another one is confirmed by its greeting.
            let confirms = state.isOpen && state.socket != nil && state.unreported > 0
            let received = confirms ? state.ledger?.received : nil
            // In place: what is kept is not to be copied with each message.
            let text = try state.ledger?.send(weight: weight) { number in
                var message = message
                message.seq = number
                message.received = received
                return try Self.text(message)
            }
            guard let text else { throw Self.overfull }
            if state.isOpen { state.socket?.yield(text) }
            if confirms { _ = state.ledger?.report() }
        }
    }

    /// Messages of the server that have arrived and were not confirmed.
    var unreported: Int { state.withLock(\.unreported) }

    /// When the first of them arrived; `nil` if there is none.
    var unreportedSince: Duration? { state.withLock { $0.ledger?.unreportedSince } }

    /// Confirms what has arrived; without a socket of the session's own the next greeting does.
    func confirm() {
        let acknowledgement = state.withLock { state in
            state.isOpen && state.socket != nil ? state.ledger?.report() : nil
        }
        if let acknowledgement { try? send(ClientMessage(id: 0, .ack(acknowledgement))) }
    }

    // MARK: - Sockets

    /// There is a new socket, not yet the session's own; gives what is to be written to it.
    ///
    /// - Parameter isOpen: Whether everything may go to it at once; else only greetings.
    func attach(isOpen: Bool) -> AsyncStream<String> {
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        let old = state.withLock { state in
            defer {
                state.socket = continuation
                state.isOpen = isOpen
            }
            return state.socket
        }
        old?.finish()
        return texts
    }

    /// The socket is gone.
    func detach() {
        let old = state.withLock { state in
            defer { state.socket = nil }
            return state.socket
        }
        old?.finish()
    }

    // MARK: - The other side

    /// From now on messages are numbered, from 1, or not at all.
    ///
    /// What was kept for a server that has forgotten it is dropped.
    func begin(isResumable: Bool) {
        state.withLock { state in
            state.ledger =
                isResumable
                ? MessageLedger(limit: Self.limits.messages, weightLimit: Self.limits.bytes) : nil
            state.isOpen = true
        }
    }

    /// The server knows the session on the present socket, and has got everything up to a number; the rest is
    /// sent again.
    ///
    /// - Returns: Whether that can be.
    func resume(after number: Int) -> Bool {
        state.withLock { state in
            guard let missed = state.ledger?.resume(after: number) else { return false }
            state.isOpen = true
            for text in missed { state.socket?.yield(text) }
            return true
        }
    }

    /// The server has got everything up to a number.
    func confirmed(_ number: Int) {
        state.withLock { _ = $0.ledger?.confirm(number) }
    }

    /// Takes note that a message of the server has arrived at `now`.
    func receive(_ number: Int, at now: Duration) -> MessageLedger<String>.Reception {
        state.withLock { $0.ledger?.receive(number, at: now) } ?? .next
    }

    /// The number of the last message of the server that has arrived.
    var received: Int { state.withLock { $0.ledger?.received } ?? 0 }

    private static func text(_ message: ClientMessage) throws -> String {
        let text = try MessageCoding.text(message)
        guard text.utf8.count <= SessionProtocol.messageLimit else {
            throw SightlineError(.invalidArgument, "a message to the server is longer than it accepts")
        }
        return text
    }

    private static let notConnected = SightlineError(
        .notConnected, "the session is not connected: connect it first")
    private static let overfull = SightlineError(
        .connectionOver, "too many messages were queued while the server could not be reached")
}
