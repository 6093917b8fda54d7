// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket
import SessionCore
import SessionWire
import Synchronization

/// What is queued for one client.
///
/// Bounded: facts are omitted beyond ``SessionServerLimits/droppableBacklog``, and a client that lets more
/// than ``SessionServerLimits/backlog`` are queued is cut off. Everything else is sent in order. Bytes are
/// counted as they are before they are packed.
final class ClientOutlet: Sendable {
    private struct State {
        /// Handed to the channel and not to the network yet.
        var bytes = 0
        var isClosed = false
    }

    private let channel: any Channel
    private let state = Mutex(State())
    private let backlog: Int
    private let droppableBacklog: Int
    private let goodbye: TimeAmount

    init(_ channel: any Channel, limits: SessionServerLimits, timeouts: SessionServerTimeouts) {
        self.channel = channel
        backlog = limits.backlog
        droppableBacklog = limits.droppableBacklog
        goodbye = TimeAmount(timeouts.goodbye)
    }

    /// Its messages may be long from now on: it is known who sends them.
    func letIn() { channel.triggerUserOutboundEvent(SocketJoined(), promise: nil) }

    /// Sends a message.
    func send(_ message: ServerMessage) {
        guard let json = try? message.json() else { return }
        send(OutgoingText(SharedText(json)), isDroppable: message.isDroppable, letsIn: message.letsIn)
    }

    /// Sends a message that is written as JSON already.
    ///
    /// - Parameter letsIn: Whether its receiver is a member of a session from now on.
    func send(_ json: OutgoingText, isDroppable: Bool, letsIn: Bool = false) {
        enum Verdict { case queue, drop, abort }
        let verdict = state.withLock { state -> Verdict in
            guard !state.isClosed, !isDroppable || state.bytes <= droppableBacklog else {
                return .drop
            }
            state.bytes += json.count
            state.isClosed = state.bytes > backlog
            return state.isClosed ? .abort : .queue
        }
        switch verdict {
        case .queue:
            if letsIn { letIn() }
            let count = json.count
            write(.text(json)) { [self] in state.withLock { $0.bytes -= count } }
        case .drop: break
        case .abort: abort()
        }
    }

    /// Closes the socket after what is queued, or after a timeout if the client does not read that.
    func close(_ reason: CloseReason) {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        write(.close(reason.code)) {}
        // The client's own close frame ends the socket; one that sends none, or reads nothing, has had its
        // time.
        channel.eventLoop.scheduleTask(in: goodbye) { [channel] in channel.close(promise: nil) }
    }

    /// Cuts the client off.
    func abort() { channel.close(promise: nil) }

    /// - Parameter done: Called when it has been handed to the network, or never will be.
    private func write(_ output: SocketOutput, _ done: @escaping @Sendable () -> Void) {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { _ in done() }
        channel.writeAndFlush(output, promise: promise)
    }
}

extension ServerMessage {
    /// Whether the next one makes up for the loss of this one.
    var isDroppable: Bool {
        if case .facts = body { true } else { false }
    }

    /// Whether its receiver is a member of a session from now on.
    fileprivate var letsIn: Bool {
        switch body {
        case .joined, .resumed: true
        default: false
        }
    }
}

extension CloseReason {
    fileprivate var code: WebSocketErrorCode {
        switch self {
        case .left, .replaced, .ended: .normalClosure
        case .shutdown, .moved: .goingAway
        case .forced, .garbage, .notJoined, .tooMany: .policyViolation
        }
    }
}
