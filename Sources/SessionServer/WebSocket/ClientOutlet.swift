// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket
import SessionProtocol
import Synchronization

/// What is on its way to one client.
///
/// Bounded: facts are left out beyond ``SessionServerLimits/droppableBacklog``, and a client that lets more
/// than ``SessionServerLimits/backlog`` pile up is cut off. Everything else is sent in order.
final class ClientOutlet: Sendable {
    /// What the socket is to send.
    enum Item: Sendable {
        case text(ByteBuffer)
        case close(WebSocketErrorCode)
    }

    private struct State {
        var bytes = 0
        var isClosed = false
    }

    let items: AsyncStream<Item>
    private let queue: AsyncStream<Item>.Continuation
    private let state = Mutex(State())
    private let backlog: Int
    private let droppableBacklog: Int
    private let abort: @Sendable () -> Void

    /// - Parameter abort: Cuts the client off.
    init(limits: SessionServerLimits, abort: @escaping @Sendable () -> Void) {
        // Without a bound of its own: `state` counts the bytes.
        (items, queue) = AsyncStream.makeStream()
        backlog = limits.backlog
        droppableBacklog = limits.droppableBacklog
        self.abort = abort
    }

    /// Queues a message.
    func send(_ message: ServerMessage) {
        guard let json = try? message.json() else { return }
        enum Verdict { case queue, drop, abort }
        let verdict = state.withLock { state -> Verdict in
            guard !state.isClosed, !message.isDroppable || state.bytes <= droppableBacklog else {
                return .drop
            }
            state.bytes += json.count
            state.isClosed = state.bytes > backlog
            return state.isClosed ? .abort : .queue
        }
        switch verdict {
        case .queue: queue.yield(.text(ByteBuffer(bytes: json)))
        case .drop: break
        case .abort:
            queue.finish()
            abort()
        }
    }

    /// Closes the socket after what is queued.
    func close(_ reason: CloseReason) {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        queue.yield(.close(reason.code))
        queue.finish()
    }

    /// Notes that a message has been handed to the network.
    func sent(_ buffer: ByteBuffer) {
        state.withLock { $0.bytes -= buffer.readableBytes }
    }
}

extension ServerMessage {
    /// Whether the next one makes up for the loss of this one.
    fileprivate var isDroppable: Bool {
        if case .facts = body { true } else { false }
    }
}

extension CloseReason {
    fileprivate var code: WebSocketErrorCode {
        switch self {
        case .left, .replaced: .normalClosure
        case .shutdown: .goingAway
        case .forced, .garbage, .notJoined, .tooMany: .policyViolation
        }
    }
}
