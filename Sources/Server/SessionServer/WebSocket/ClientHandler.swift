// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOWebSocket
import SessionCore

/// A socket's end of its pipeline: takes its messages to whoever deals with them, one after the other.
///
/// A task runs only while something is being dealt with. Tasks that wait keep their stacks, and those of
/// thousands of clients that do nothing would be most of the server's memory.
final class ClientHandler: ChannelDuplexHandler {
    typealias InboundIn = SocketEvent
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let user: any SocketUser
    private let limits: SessionServerLimits
    private let timeouts: SessionServerTimeouts
    private var waiting: [SocketWork] = []
    private var isWorking = false
    /// Whether the channel wants to read on, and has to wait.
    private var holdsRead = false
    private var context: ChannelHandlerContext?

    init(_ user: any SocketUser, limits: SessionServerLimits, timeouts: SessionServerTimeouts) {
        self.user = user
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
        enqueue(.event(unwrapInboundIn(data)), context.eventLoop)
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

    private func enqueue(_ item: SocketWork, _ loop: any EventLoop) {
        waiting.append(item)
        work(loop)
    }

    private func work(_ loop: any EventLoop) {
        guard !isWorking, !waiting.isEmpty else { return }
        isWorking = true
        let work = waiting
        waiting = []
        let bound = NIOLoopBound(self, eventLoop: loop)
        Task { [user] in
            await user.take(work)
            loop.execute { bound.value.worked(loop) }
        }
    }

    private func worked(_ loop: any EventLoop) {
        isWorking = false
        work(loop)
        guard !isWorking, holdsRead else { return }
        holdsRead = false
        context?.read()
    }
}
