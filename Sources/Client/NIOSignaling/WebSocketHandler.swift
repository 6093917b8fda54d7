// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import NIOCore
import NIOSSL
import NIOWebSocket
import SessionWire
import Sightline

/// A WebSocket on its event loop: makes texts of frames, answers pings, notices when the server is gone,
/// takes leave.
final class WebSocketHandler: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Asks the handler to close the socket in order.
    struct CloseRequest: Sendable {}

    static let messageLimit = SessionProtocol.messageLimit
    /// How long the server may take to answer a close frame.
    private static let closeTimeout = TimeAmount.seconds(1)
    private static let silentIntervals = 3

    private let messages: AsyncThrowingStream<String, any Error>.Continuation
    private let pingInterval: TimeAmount
    private let gone: EventLoopPromise<Void>
    private var isGone = false
    private var pinger: RepeatedTask?
    private var pingsUnanswered = 0
    private var isClosing = false
    private var closeTimer: Scheduled<Void>?

    /// - Parameter gone: Succeeds when the socket is gone as far as the client is concerned.
    init(
        _ messages: AsyncThrowingStream<String, any Error>.Continuation, pingInterval: TimeAmount,
        gone: EventLoopPromise<Void>
    ) {
        self.messages = messages
        self.pingInterval = pingInterval
        self.gone = gone
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        pinger = context.eventLoop.scheduleRepeatedTask(initialDelay: pingInterval, delay: pingInterval) {
            _ in
            let (handler, context) = bound.value
            handler.ping(context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(nil)
        noteGone()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is GateHandler.Severed else { return context.fireUserInboundEventTriggered(event) }
        end(SightlineError(.connectionLost, "the network is cut"))
        noteGone()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        pingsUnanswered = 0
        switch frame.opcode {
        case .text: messages.yield(String(buffer: frame.unmaskedData))
        case .ping: send(.pong, frame.unmaskedData, context)
        case .connectionClose: serverClosed(context)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(SightlineError(.connectionLost, "the server went away without a word"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers close the TCP connection without taking leave of TLS first.
        if case NIOSSLError.uncleanShutdown = error, isClosing { return }
        end(SightlineError(.connectionLost, "the socket to the server broke: \(error)"))
        context.close(promise: nil)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is CloseRequest else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
        guard !isClosing else { return }
        sendClose(context)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        closeTimer = context.eventLoop.scheduleTask(in: Self.closeTimeout) {
            bound.value.close(promise: nil)
        }
    }

    private func noteGone() {
        guard !isGone else { return }
        isGone = true
        gone.succeed()
    }

    private func ping(_ context: ChannelHandlerContext) {
        guard pingsUnanswered < Self.silentIntervals else {
            end(SightlineError(.connectionLost, "the server has been silent for too long"))
            return context.close(promise: nil)
        }
        pingsUnanswered += 1
        send(.ping, context.channel.allocator.buffer(capacity: 0), context)
    }

    private func serverClosed(_ context: ChannelHandlerContext) {
        if !isClosing { sendClose(context) }
        end(nil)
        context.close(promise: nil)
    }

    /// Sends the closing frame; whatever ends the socket after it is no failure.
    private func sendClose(_ context: ChannelHandlerContext) {
        isClosing = true
        var code = context.channel.allocator.buffer(capacity: 2)
        code.write(webSocketErrorCode: .normalClosure)
        send(.connectionClose, code, context)
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    /// Ends the stream of messages, once.
    private func end(_ error: SightlineError?) {
        pinger?.cancel()
        pinger = nil
        closeTimer?.cancel()
        closeTimer = nil
        messages.finish(throwing: isClosing ? nil : error)
    }
}
#endif
