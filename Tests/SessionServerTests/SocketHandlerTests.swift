// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import SessionServer

@Suite("A client's socket, frame by frame")
struct SocketHandlerTests {
    private static func closing() -> WebSocketFrame {
        var data = ByteBuffer()
        data.write(webSocketErrorCode: .normalClosure)
        return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
    }

    @Test("each side closes once, whoever begins", arguments: [true, false])
    func closing(serverBegins: Bool) throws {
        let channel = EmbeddedChannel(handler: SocketHandler(timeouts: .init()))
        if serverBegins { try channel.writeOutbound(Self.closing()) }
        try channel.writeInbound(Self.closing())
        let first = try channel.readOutbound(as: WebSocketFrame.self)
        #expect(first?.opcode == .connectionClose)
        let second = try channel.readOutbound(as: WebSocketFrame.self)
        #expect(second == nil)
        #expect(!channel.isActive)
    }
}
