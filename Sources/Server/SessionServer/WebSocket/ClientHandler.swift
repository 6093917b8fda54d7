// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket
import SessionCore
import SessionWire

/// A socket's end of its pipeline: takes its messages to whoever deals with them, one after the other, and makes frames of what is
/// sent to its client.
///
/// A task runs only while something is being dealt with. Tasks that wait keep their stacks, and those of
/// thousands of clients that do nothing would be most of the server's memory.
final class ClientHandler: ChannelDuplexHandler {
    typealias InboundIn = SocketMessage
    typealias OutboundIn = SocketOutput
    typealias OutboundOut = WebSocketFrame

    /// What waits for its turn; messages are as they came.
    private enum Waiting {
        case opened(ClientOutlet)
        case message(SocketMessage)
        case closed
    }

    /// Bytes of messages that are dealt with in one go, and one message more.
    static let batchBytes = 65_536

    private let user: any SocketUser
    private let limits: SessionServerLimits
    private let timeouts: SessionServerTimeouts
    private var unpacker: MessageUnpacker
    /// Whether the client takes packed messages.
    private let mayPack: Bool
    private var waiting = CircularBuffer<Waiting>()
    private var isWorking = false
    /// Whether the channel wants to read on, and has to wait.
    private var holdsRead = false
    private var context: ChannelHandlerContext?

    /// - Parameter packing: How messages may be packed; `nil` if they may not.
    init(
        _ user: any SocketUser, limits: SessionServerLimits, timeouts: SessionServerTimeouts,
        packing: DeflateAgreement? = nil
    ) {
        self.user = user
        unpacker = MessageUnpacker(limit: limits.unjoinedMessageBytes, packing: packing)
        mayPack = packing != nil
        self.limits = limits
        self.timeouts = timeouts
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let outlet = ClientOutlet(context.channel, limits: limits, timeouts: timeouts)
        enqueue(.opened(outlet), context.eventLoop)
    }

    /// The last that is heard of a channel, however it ends.
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        enqueue(.closed, context.eventLoop)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        enqueue(.message(unwrapInboundIn(data)), context.eventLoop)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let frame = unwrapOutboundIn(data).frame(mayPack: mayPack)
        context.write(wrapOutboundOut(frame), promise: promise)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        if event is SocketJoined { unpacker.limit = SessionProtocol.messageLimit }
        context.triggerUserOutboundEvent(event, promise: promise)
    }

    func read(context: ChannelHandlerContext) {
        if isWorking { holdsRead = true } else { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            // A peer that keeps its end of a closed socket open must not block the server.
            let channel = context.channel
            context.eventLoop.scheduleTask(in: TimeAmount(timeouts.goodbye)) {
                channel.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func enqueue(_ item: Waiting, _ loop: any EventLoop) {
        waiting.append(item)
        work(loop)
    }

    private func work(_ loop: any EventLoop) {
        guard !isWorking else { return }
        let work = nextBatch()
        guard !work.isEmpty else { return }
        isWorking = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        Task { [user] in
            await user.take(work)
            loop.execute { bound.value.worked(loop) }
        }
    }

    private func nextBatch() -> [SocketWork] {
        var batch: [SocketWork] = []
        var bytes = 0
        while bytes < Self.batchBytes, let item = waiting.popFirst() {
            switch item {
            case .opened(let outlet): batch.append(.opened(outlet))
            case .closed: batch.append(.closed)
            case .message(let message):
                guard let event = unpacker.event(message) else { continue }
                bytes += event.bytes
                batch.append(.event(event))
            }
        }
        return batch
    }

    private func worked(_ loop: any EventLoop) {
        isWorking = false
        work(loop)
        guard !isWorking, holdsRead else { return }
        holdsRead = false
        context?.read()
    }
}
