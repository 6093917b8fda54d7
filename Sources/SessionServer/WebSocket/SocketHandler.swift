// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket
import SessionProtocol

/// A client's socket on its event loop: makes messages of frames, answers pings, and notices when nobody is
/// there.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = SocketEvent
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let heartbeat: TimeAmount
    private let silence: TimeAmount
    private var assembler = MessageAssembler(limit: SessionProtocol.messageLimit)
    private var lastHeard = NIODeadline.now()
    private var beat: Scheduled<Void>?
    /// Whether a close frame was sent; browsers complain of a second one.
    private var isClosing = false

    init(timeouts: SessionServerTimeouts) {
        heartbeat = TimeAmount(timeouts.heartbeat)
        silence = TimeAmount(timeouts.silence)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        lastHeard = .now()
        scheduleBeat(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        beat?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        beat?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // What came with a close frame and after it counts for nothing (RFC 6455, 5.5.1).
        guard context.channel.isActive else { return }
        lastHeard = .now()
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .ping: send(.pong, frame.unmaskedData, context)
        case .pong: break
        case .connectionClose: answerClose(frame, context)
        default:
            if let event = assembler.take(frame) { context.fireChannelRead(wrapInboundOut(event)) }
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if unwrapOutboundIn(data).opcode == .connectionClose { isClosing = true }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength:
            if let event = assembler.fail() { context.fireChannelRead(wrapInboundOut(event)) }
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
            send(.ping, ByteBuffer(), context)
            scheduleBeat(context)
        }
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    private func answerClose(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        let code = frame.unmaskedData.getSlice(at: frame.unmaskedData.readerIndex, length: 2) ?? ByteBuffer()
        if !isClosing { send(.connectionClose, code, context) }
        context.close(promise: nil)
    }
}
