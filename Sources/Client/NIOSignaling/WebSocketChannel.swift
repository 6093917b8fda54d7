// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import NIOCore
import NIOWebSocket
import Sightline

/// An open WebSocket.
final class WebSocketChannel: SignalingChannel {
    let messages: AsyncThrowingStream<String, any Error>
    private let channel: any Channel
    /// Succeeds when this end of the socket is gone.
    private let gone: EventLoopFuture<Void>

    private init(
        _ channel: any Channel, _ messages: AsyncThrowingStream<String, any Error>,
        _ gone: EventLoopFuture<Void>
    ) {
        self.channel = channel
        self.messages = messages
        self.gone = gone
    }

    deinit { channel.close(promise: nil) }

    /// Puts the WebSocket's handlers on a channel; on its event loop.
    ///
    /// - Parameter packing: How messages are packed; `nil` if the server does not agree to that.
    static func make(
        on channel: any Channel, _ pingInterval: TimeAmount, packing: DeflateAnswer?
    ) throws -> WebSocketChannel {
        let (messages, continuation) = AsyncThrowingStream.makeStream(of: String.self)
        let gone = channel.eventLoop.makePromise(of: Void.self)
        // There is none unless the socket is behind a gate.
        try? channel.pipeline.syncOperations.handler(type: GateHandler.self).isEstablished = true
        try channel.pipeline.syncOperations.addHandler(
            WebSocketHandler(continuation, pingInterval: pingInterval, packing: packing, gone: gone))
        return WebSocketChannel(channel, messages, gone.futureResult)
    }

    func send(_ text: String) async throws {
        let buffer = channel.allocator.buffer(string: text)
        try await channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: buffer))
    }

    func close() async {
        channel.triggerUserOutboundEvent(WebSocketHandler.CloseRequest(), promise: nil)
        // It never fails: the reader of the messages gets the error that broke the socket.
        try? await gone.get()
    }
}
#endif
