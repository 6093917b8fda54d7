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

    private init(_ channel: any Channel, _ messages: AsyncThrowingStream<String, any Error>) {
        self.channel = channel
        self.messages = messages
    }

    deinit { channel.close(promise: nil) }

    /// Puts the WebSocket's handlers on a channel; on its event loop.
    static func make(on channel: any Channel, _ pingInterval: TimeAmount) throws -> WebSocketChannel {
        let (messages, continuation) = AsyncThrowingStream.makeStream(of: String.self)
        let limit = WebSocketHandler.messageLimit
        try channel.pipeline.syncOperations.addHandlers(
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: limit),
            WebSocketHandler(continuation, pingInterval: pingInterval))
        return WebSocketChannel(channel, messages)
    }

    func send(_ text: String) async throws {
        let buffer = channel.allocator.buffer(string: text)
        try await channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: buffer))
    }

    func close() async {
        channel.triggerUserOutboundEvent(WebSocketHandler.Farewell(), promise: nil)
        // The future fails only with what broke the socket, which the reader of the messages hears.
        try? await channel.closeFuture.get()
    }
}
#endif
