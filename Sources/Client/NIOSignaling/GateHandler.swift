// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import NIOCore

/// A socket behind a ``SignalingGate``, next to the network: holds everything while the gate is shut.
final class GateHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The client has closed the socket, and the other side is not notified of it.
    struct Severed: Sendable {}

    private struct Write {
        let buffer: ByteBuffer
        let promise: EventLoopPromise<Void>?
    }

    private var isOpen: Bool
    private var writes: [Write] = []
    private var arrived: [ByteBuffer] = []
    private var wantsRead = false
    /// Whether the socket is to be closed when the gate opens.
    private var isClosing = false
    /// Whether the socket is one to a server that may wonder what happened to it.
    var isEstablished = false

    init(isOpen: Bool) {
        self.isOpen = isOpen
    }

    func handlerRemoved(context: ChannelHandlerContext) { dropWrites() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if isOpen { context.fireChannelRead(wrapInboundOut(buffer)) } else { arrived.append(buffer) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        // Half a WebSocket is of no use, but no one is notified of it before the gate opens.
        if isOpen { context.close(promise: nil) } else { isClosing = true }
    }

    func read(context: ChannelHandlerContext) {
        if isOpen { context.read() } else { wantsRead = true }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isOpen { return context.write(data, promise: promise) }
        writes.append(Write(buffer: unwrapOutboundIn(data), promise: promise))
    }

    func flush(context: ChannelHandlerContext) {
        if isOpen { context.flush() }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard !isOpen, isEstablished, mode == .all else { return context.close(mode: mode, promise: promise) }
        isClosing = true
        dropWrites()
        promise?.succeed()
        context.fireUserInboundEventTriggered(Severed())
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard let change = event as? SignalingGate.Change else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
        guard change.isOpen != isOpen else { return }
        isOpen = change.isOpen
        if isOpen { open(context) }
    }

    private func open(_ context: ChannelHandlerContext) {
        for buffer in arrived { context.fireChannelRead(wrapInboundOut(buffer)) }
        if !arrived.isEmpty { context.fireChannelReadComplete() }
        arrived = []
        for write in writes { context.write(wrapOutboundOut(write.buffer), promise: write.promise) }
        writes = []
        context.flush()
        if isClosing { return context.close(promise: nil) }
        if wantsRead {
            wantsRead = false
            context.read()
        }
    }

    private func dropWrites() {
        let dropped = writes
        writes = []
        for write in dropped { write.promise?.fail(ChannelError.ioOnClosedChannel) }
    }
}
#endif
