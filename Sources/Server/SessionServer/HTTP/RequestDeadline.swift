// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import HTTPTypes
import NIOCore
import SessionWire

/// Ends a connection whose request does not come in time: its head and its body, however they trickle.
///
/// Sees bytes; which of them are a request it learns from ``RequestGuard``.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let time: TimeAmount
    private let goodbye: TimeAmount
    private var end: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    private var hasHeardAnything = false
    private var isFirst = true
    /// Requests that came whole and are not answered yet.
    private var unanswered = 0
    /// Whether the request that still comes has been answered.
    private var isAnsweredEarly = false
    /// Whether the last word is said, and what comes is read only so that it arrives.
    private var isOver = false

    /// - Parameters:
    ///   - time: From the first byte of a request to its last; for the first from the connection's opening.
    ///   - goodbye: For the client to close its end after a refusal.
    init(_ time: TimeAmount, goodbye: TimeAmount) {
        self.time = time
        self.goodbye = goodbye
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        begin()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end?.cancel()
        end = nil
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        hasHeardAnything = true
        begin()
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // No one waits for a first request any more.
        if isFirst, event is ChannelShouldQuiesceEvent { return context.close(promise: nil) }
        if isOver, case .inputClosed? = event as? ChannelEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    /// A request has come whole.
    func received() {
        end?.cancel()
        end = nil
        isFirst = false
        if !isAnsweredEarly { unanswered += 1 }
        isAnsweredEarly = false
    }

    /// A request has been answered.
    func answered() {
        if unanswered == 0 { isAnsweredEarly = true } else { unanswered -= 1 }
    }

    /// Answers what is no request, or not in time, and closes the connection.
    func refuse(_ status: HTTPResponse.Status, _ error: ServerError) {
        guard let context, !isOver else { return }
        // In the midst of an answer, another would be taken for a part of it.
        guard unanswered == 0, !isAnsweredEarly, hasHeardAnything else { return context.close(promise: nil) }
        isOver = true
        end?.cancel()
        context.writeAndFlush(wrapOutboundOut(Self.answer(status, error)), promise: nil)
        // Closed by halves: if unread bytes were left, the client might never see the answer.
        context.close(mode: .output, promise: nil)
        end = context.eventLoop.assumeIsolated().scheduleTask(in: goodbye) { context.close(promise: nil) }
    }

    private func begin() {
        guard end == nil, let context else { return }
        end = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            refuse(.requestTimeout, ServerError(.malformed, "the request did not come in time"))
        }
    }

    private static func answer(_ status: HTTPResponse.Status, _ error: ServerError) -> ByteBuffer {
        let body = (try? JSONEncoder.sorted.encode(["error": error])) ?? Data()
        var buffer = ByteBuffer(
            string: """
                HTTP/1.1 \(status.code) \(status.reasonPhrase)\r
                Content-Type: application/json\r
                Content-Length: \(body.count)\r
                Connection: close\r
                \r

                """)
        buffer.writeBytes(body)
        return buffer
    }
}
