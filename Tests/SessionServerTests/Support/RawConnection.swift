// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOPosix
import NIOWebSocket
import Synchronization
import TestSupport

/// A TCP connection that stays open at its own end whatever the other side does.
struct RawConnection: Sendable {
    let channel: any Channel
    private let reader: Reader

    static func connect(port: Int) async throws -> RawConnection {
        let reader = Reader()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ReadingHandler(reader))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .get()
        return RawConnection(channel: channel, reader: reader)
    }

    /// A connection that has become a WebSocket and reads nothing any more.
    static func deafSocket(port: Int) async throws -> RawConnection {
        let connection = try await connect(port: port)
        try await connection.send(upgrade())
        try await eventually("the upgrade") { connection.text.hasPrefix("HTTP/1.1 101") }
        try await connection.readNothing()
        return connection
    }

    /// A request for a WebSocket.
    static func upgrade(_ fields: [String: String] = [:]) -> String {
        var all = ["Host": "localhost", "Upgrade": "websocket", "Connection": "Upgrade"]
        all["Sec-WebSocket-Version"] = "13"
        all["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
        all.merge(fields) { $1 }
        return "GET /v1/session HTTP/1.1\r\n" + all.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    }

    /// What has come so far.
    var text: String { reader.state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
    /// Whether the head of an answer is there, whatever bytes follow it.
    var hasHead: Bool { reader.state.withLock { $0.bytes.contains(Array("\r\n\r\n".utf8)) } }
    /// Whether the other side has closed its end.
    var isOver: Bool { reader.state.withLock { $0.isOver } }

    func readNothing() async throws {
        try await channel.setOption(.autoRead, value: false).get()
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Sends bytes, whether or not anyone takes them.
    func push(_ bytes: ByteBuffer) {
        channel.writeAndFlush(bytes, promise: nil)
    }

    func close() async {
        try? await channel.close()
    }

    /// Frames one after the other, as a client sends them.
    static func frames(_ opcode: WebSocketOpcode, _ payload: [UInt8], fin: Bool = true, count: Int)
        -> ByteBuffer
    {
        var frame = ByteBuffer()
        // A mask of zeros changes nothing.
        frame.writeBytes([UInt8(fin ? 0x80 : 0) | UInt8(opcode), 0x80 | UInt8(payload.count), 0, 0, 0, 0])
        frame.writeBytes(payload)
        return ByteBuffer(bytes: Array(repeatElement(Array(frame.readableBytesView), count: count).joined()))
    }

    fileprivate final class Reader: Sendable {
        let state = Mutex((bytes: [UInt8](), isOver: false))
    }

    private final class ReadingHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let reader: Reader

        init(_ reader: Reader) { self.reader = reader }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            reader.state.withLock { $0.bytes += Array(buffer.readableBytesView) }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent { reader.state.withLock { $0.isOver = true } }
            context.fireUserInboundEventTriggered(event)
        }

        func channelInactive(context: ChannelHandlerContext) {
            reader.state.withLock { $0.isOver = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}

extension UInt8 {
    fileprivate init(_ opcode: WebSocketOpcode) {
        self =
            switch opcode {
            case .continuation: 0
            case .text: 1
            case .binary: 2
            case .connectionClose: 8
            case .ping: 9
            default: 10
            }
    }
}
