// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket
import SessionCore
import SessionWire

/// Sent to a socket once its client is admitted: from now on its messages may be long.
struct SocketJoined: Sendable {}

/// A client's socket on its event loop: makes messages of frames, answers pings, and notices when no one is
/// there.
///
/// Whatever a client sends and does not read, little waits for it: of pings and pongs one each, and before it
/// has joined nothing more is read from a client that reads nothing. After that ``ClientOutlet`` counts what
/// waits.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = SocketMessage
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The answer to pings.
    private enum Pong {
        case none
        /// One is in flight; the ping after it, if there was one, is to be answered next (RFC 6455, 5.5.3).
        case onItsWay(next: ByteBuffer?)
    }

    private let heartbeat: TimeAmount
    private let silence: TimeAmount
    private let decoder: FrameDecoder?
    private let onJoin: () -> Void
    private var assembler: MessageAssembler
    private var limiter: RateLimiter
    private var lastHeard = NIODeadline.now()
    private var beat: Scheduled<Void>?
    private var pong = Pong.none
    private var isPinging = false
    /// Whether a close frame was sent; browsers report an error on a second one.
    private var isClosing = false
    /// Whether the client has closed the socket, or it is gone.
    private var isOver = false
    private var hasJoined = false
    /// How long reading has to pause after the frames that arrived.
    private var delay: Duration?
    private var pause: Scheduled<Void>?
    /// Whether the channel wants to read on, and has to wait.
    private var holdsRead = false

    /// - Parameters:
    ///   - decoder: Makes the frames; its limit is raised when the client has joined.
    ///   - onJoin: Called on the event loop when the client has joined.
    init(
        limits: SessionServerLimits = .init(), timeouts: SessionServerTimeouts, decoder: FrameDecoder? = nil,
        onJoin: @escaping () -> Void = {}
    ) {
        heartbeat = TimeAmount(timeouts.heartbeat)
        silence = TimeAmount(timeouts.silence)
        assembler = MessageAssembler(
            limit: limits.unjoinedMessageBytes, fragments: limits.fragmentsPerMessage)
        limiter = RateLimiter(perSecond: limits.framesPerSecond)
        self.decoder = decoder
        self.onJoin = onJoin
    }

    func handlerAdded(context: ChannelHandlerContext) {
        lastHeard = .now()
        scheduleBeat(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        beat?.cancel()
        pause?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        beat?.cancel()
        pause?.cancel()
        isOver = true
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // What came with a close frame and after it counts for nothing (RFC 6455, 5.5.1).
        guard !isOver else { return }
        lastHeard = .now()
        delay = limiter.delay(bytes: 0, at: .now)
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .ping: answer(frame.unmaskedData, context)
        case .pong: break
        case .connectionClose: answerClose(frame, context)
        default:
            if let message = assembler.take(frame) { context.fireChannelRead(wrapInboundOut(message)) }
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if unwrapOutboundIn(data).opcode == .connectionClose { isClosing = true }
        context.write(data, promise: promise)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is SocketJoined else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
        guard !hasJoined else { return }
        hasJoined = true
        assembler.limit = SessionProtocol.messageLimit
        decoder?.limit = SessionProtocol.messageLimit
        onJoin()
        readOn(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength:
            // What came after a close frame counts for nothing, whatever it is.
            guard !isOver, let message = assembler.fail() else { return }
            context.fireChannelRead(wrapInboundOut(message))
        case ByteToMessageDecoderError.dataReceivedInErrorState:
            // The rest of that frame. Reading it lets the client read our answer.
            break
        default: context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The client closed its half; nothing can come any more.
        if case .inputClosed? = event as? ChannelEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    private func scheduleBeat(_ context: ChannelHandlerContext) {
        beat = context.eventLoop.assumeIsolated().scheduleTask(in: min(heartbeat, silence)) { [self] in
            guard NIODeadline.now() - lastHeard < silence else { return context.close(promise: nil) }
            if !isPinging {
                isPinging = true
                send(.ping, ByteBuffer(), context) { self.isPinging = false }
            }
            scheduleBeat(context)
        }
    }

    private func answer(_ ping: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .none = pong else {
            pong = .onItsWay(next: ping)
            return
        }
        pong = .onItsWay(next: nil)
        send(.pong, ping, context) { [self] in
            guard case .onItsWay(let next) = pong else { return }
            pong = .none
            if let next, !isOver { answer(next, context) }
        }
    }

    /// - Parameter done: Called when the frame has been handed to the network, or never will be.
    private func send(
        _ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext,
        _ done: @escaping () -> Void
    ) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in done() }
        context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
    }

    private func answerClose(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        isOver = true
        let code = frame.unmaskedData.getSlice(at: frame.unmaskedData.readerIndex, length: 2) ?? ByteBuffer()
        if !isClosing { send(.connectionClose, code, context) {} }
        context.close(promise: nil)
    }
}

// MARK: - Reading no faster than is good

extension SocketHandler {
    func read(context: ChannelHandlerContext) {
        if mayRead(context) { context.read() } else { holdsRead = true }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let delay, pause == nil {
            pause = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [self] in
                pause = nil
                readOn(context)
            }
        }
        delay = nil
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        readOn(context)
        context.fireChannelWritabilityChanged()
    }

    private func mayRead(_ context: ChannelHandlerContext) -> Bool {
        pause == nil && (hasJoined || context.channel.isWritable)
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard holdsRead, mayRead(context) else { return }
        holdsRead = false
        context.read()
    }
}
