// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import NIOCore
import NIOHTTP1
import SessionCore
import SessionWire

/// Bounds one connection's requests: answers what is none, ends a body that is too long, and ends the
/// connection of someone who does not take the answer.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let deadline: RequestDeadline
    private let limits: SessionServerLimits
    /// Longest body of the request at hand.
    private var bodyBytes: Int
    private let stall: TimeAmount
    private var bytes = 0
    /// Bytes of answers that had not been taken at the last check.
    private var untaken = 0
    private var stallTimer: Scheduled<Void>?

    /// - Parameters:
    ///   - limits: How long the bodies of requests may be.
    ///   - stall: For a client to take more of an answer.
    init(_ deadline: RequestDeadline, limits: SessionServerLimits, stall: TimeAmount) {
        self.deadline = deadline
        self.limits = limits
        bodyBytes = limits.bodyBytes
        self.stall = stall
    }

    private var isTooLong: Bool { bytes > bodyBytes }

    func handlerRemoved(context: ChannelHandlerContext) {
        stallTimer?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stallTimer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            bytes = 0
            bodyBytes = limits.bodyBytes(ofPath: head.uri)
        case .body(let buffer):
            // The part that exceeds the limit is passed on, and refused; what comes after it is discarded.
            guard !isTooLong else { return }
            bytes += buffer.readableBytes
        case .end:
            guard !isTooLong else { return }
            deadline.received()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        watch(context)
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        deadline.answered()
        guard isTooLong else { return context.write(data, promise: promise) }
        // Closed by halves, and the rest read: a client that still sends is to see the answer. The deadline
        // ends it.
        context.writeAndFlush(data, promise: promise)
        context.close(mode: .output, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        if error == .headerOverflow {
            deadline.refuse(
                .requestHeaderFieldsTooLarge, ServerError(.tooLarge, "the head of the request is too long"))
        } else {
            deadline.refuse(.badRequest, ServerError(.malformed, "this is not HTTP/1.1"))
        }
    }

    private func watch(_ context: ChannelHandlerContext) {
        guard stallTimer == nil else { return }
        untaken = 0
        stallTimer = context.eventLoop.assumeIsolated().scheduleTask(in: stall) { [self] in
            stallTimer = nil
            let left = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            guard left > 0 else { return }
            if left == untaken { return context.close(promise: nil) }
            watch(context)
            untaken = left
        }
    }
}
