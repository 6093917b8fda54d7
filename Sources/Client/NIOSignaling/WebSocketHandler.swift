// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import NIOCore
import NIOSSL
import NIOWebSocket
import Packing
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
    /// Intervals of silence after which a server is gone.
    private static let silentIntervals = 4

    private let messages: AsyncThrowingStream<String, any Error>.Continuation
    private let pingInterval: TimeAmount
    private let gone: EventLoopPromise<Void>
    /// Packs what is sent; `nil` if nothing is.
    private var deflater: MessageDeflater?
    private var reader: MessageReader
    private var isGone = false
    private var pinger: RepeatedTask?
    /// Intervals that have ended since the server was heard.
    private var silence = 0
    /// Whether the server has said something in this interval without having been asked.
    private var hasSpoken = false
    private var isClosing = false
    private var closeTimer: Scheduled<Void>?

    /// - Parameters:
    ///   - packing: How messages are packed; `nil` if none are.
    ///   - gone: Succeeds when the socket is gone as far as the client is concerned.
    init(
        _ messages: AsyncThrowingStream<String, any Error>.Continuation, pingInterval: TimeAmount,
        packing: DeflateAnswer?, gone: EventLoopPromise<Void>
    ) {
        self.messages = messages
        self.pingInterval = pingInterval
        deflater = packing.map {
            MessageDeflater(windowBits: $0.clientWindowBits, keepsWindow: $0.clientKeepsWindow)
        }
        reader = MessageReader(limit: Self.messageLimit, packing: packing)
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
        silence = 0
        switch frame.opcode {
        case .text, .binary, .continuation: take(frame, context)
        // No extension says anything of control frames.
        case _ where !frame.reservedBits.isEmpty: refuse(.notAgreed, context)
        case .ping: send(.pong, frame.unmaskedData, context)
        case .connectionClose: serverClosed(context)
        default: break
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var frame = unwrapOutboundIn(data)
        // Nothing does not get shorter.
        if frame.opcode == .text, frame.length > 0, let deflater {
            if let packed = frame.data.withUnsafeReadableBytes(deflater.pack) {
                frame.data = ByteBuffer(bytes: packed)
                frame.rsv1 = true
            } else {
                self.deflater = nil
            }
        }
        context.write(wrapOutboundOut(frame), promise: promise)
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

    private func take(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
        do throws(MessageReader.Failure) {
            guard let text = try reader.take(frame) else { return }
            hasSpoken = true
            messages.yield(text)
        } catch {
            refuse(error, context)
        }
    }

    /// Ends a socket whose server does not keep to what was agreed on.
    private func refuse(_ failure: MessageReader.Failure, _ context: ChannelHandlerContext) {
        end(SightlineError(.connectionLost, failure.words))
        if !isClosing { sendClose(context, failure.code) }
        context.close(promise: nil)
    }

    private func ping(_ context: ChannelHandlerContext) {
        defer { hasSpoken = false }
        silence += 1
        guard silence < Self.silentIntervals else {
            end(SightlineError(.connectionLost, "the server has been silent for too long"))
            return context.close(promise: nil)
        }
        // A poor uplink has no room for what need not be asked.
        guard !hasSpoken else { return }
        send(.ping, context.channel.allocator.buffer(capacity: 0), context)
    }

    private func serverClosed(_ context: ChannelHandlerContext) {
        if !isClosing { sendClose(context) }
        end(nil)
        context.close(promise: nil)
    }

    /// Sends the closing frame; whatever ends the socket after it is no failure.
    private func sendClose(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode = .normalClosure) {
        isClosing = true
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        send(.connectionClose, data, context)
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

extension MessageReader.Failure {
    /// With what the socket is closed (RFC 6455, 7.4.1).
    fileprivate var code: WebSocketErrorCode {
        switch self {
        case .tooLong: .messageTooLarge
        case .outOfOrder, .notAgreed: .protocolError
        case .damaged: .dataInconsistentWithMessage
        }
    }

    /// What is said of it.
    fileprivate var words: String {
        switch self {
        case .tooLong: "the server sent a message over the limit"
        case .outOfOrder: "the server's messages are not in order"
        case .notAgreed: "the server packs its messages, which was not agreed on"
        case .damaged: "a packed message of the server's cannot be unpacked"
        }
    }
}
#endif
