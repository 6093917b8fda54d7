// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOEmbedded
import NIOWebSocket
import SessionCore
import SessionWire
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

    /// Blocks writes until it is released; counts reads.
    private final class Network: ChannelOutboundHandler {
        typealias OutboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        var waiting: [(frame: WebSocketFrame, promise: EventLoopPromise<Void>?)] = []
        var reads = 0

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            waiting.append((unwrapOutboundIn(data), promise))
        }

        func read(context: ChannelHandlerContext) {
            reads += 1
        }

        /// What was written since the last time has been handed over.
        func handOver() -> [WebSocketFrame] {
            let taken = waiting
            waiting = []
            for (_, promise) in taken { promise?.succeed() }
            return taken.map(\.frame)
        }
    }

    private static func channel(
        _ limits: SessionServerLimits = .init(), _ network: Network
    ) throws -> EmbeddedChannel {
        EmbeddedChannel(handlers: [network, SocketHandler(limits: limits, timeouts: .init())])
    }

    private static func ping(_ number: Int) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer(string: "\(number)"))
    }

    @Test("of a flood of pings one answer waits, and after it the latest is answered")
    func pings() throws {
        let network = Network()
        let channel = try Self.channel(.init(), network)
        for number in 1...10_000 { try channel.writeInbound(Self.ping(number)) }
        #expect(network.handOver().map { String(buffer: $0.data) } == ["1"])
        #expect(network.handOver().map { String(buffer: $0.data) } == ["10000"])
        #expect(network.waiting.isEmpty)
    }

    @Test(
        "who sends frames faster than it may is read later, whatever the frames are",
        arguments: [
            WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()),
            WebSocketFrame(fin: true, opcode: .pong, data: ByteBuffer()),
            WebSocketFrame(fin: false, opcode: .text, data: ByteBuffer(string: "x")),
        ])
    func pace(frame: WebSocketFrame) throws {
        var limits = SessionServerLimits()
        limits.framesPerSecond = 10
        let network = Network()
        let channel = try Self.channel(limits, network)
        // Five seconds' worth may come at once, and these take three more.
        for _ in 1...80 { channel.pipeline.fireChannelRead(frame) }
        channel.pipeline.fireChannelReadComplete()
        channel.read()
        #expect(network.reads == 0)
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(network.reads == 1)
    }

    @Test("who has not joined and reads nothing is not read from; who has joined is")
    func unwritable() throws {
        let network = Network()
        let channel = try Self.channel(.init(), network)
        channel.isWritable = false
        channel.read()
        #expect(network.reads == 0)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(network.reads == 1)
        channel.isWritable = false
        channel.read()
        #expect(network.reads == 1)
        channel.triggerUserOutboundEvent(SocketJoined(), promise: nil)
        #expect(network.reads == 2)
    }

    private static func spaces(_ count: Int) -> SocketMessage {
        .text(ByteBuffer(repeating: 32, count: count))
    }

    @Test("messages are short before the client has joined, and as long as they may be after that")
    func lengths() throws {
        let limits = SessionServerLimits()
        let decoder = FrameDecoder(limit: limits.unjoinedMessageBytes, upTo: SessionProtocol.messageLimit)
        var joins = 0
        let channel = EmbeddedChannel(handlers: [
            ByteToMessageHandler(decoder),
            SocketHandler(timeouts: .init(), decoder: decoder, onJoin: { joins += 1 }),
        ])
        func send(_ length: Int) throws -> SocketMessage? {
            var bytes = ByteBuffer(bytes: [0x81, 0x80 | 127])
            bytes.writeInteger(UInt64(length))
            bytes.writeBytes([0, 0, 0, 0])
            bytes.writeRepeatingByte(32, count: length)
            try channel.writeInbound(bytes)
            return try channel.readInbound()
        }
        #expect(try send(limits.unjoinedMessageBytes) == Self.spaces(limits.unjoinedMessageBytes))
        channel.triggerUserOutboundEvent(SocketJoined(), promise: nil)
        channel.triggerUserOutboundEvent(SocketJoined(), promise: nil)
        #expect(joins == 1)
        #expect(try send(SessionProtocol.messageLimit) == Self.spaces(SessionProtocol.messageLimit))
        #expect(try send(SessionProtocol.messageLimit + 1) == .tooLarge)
    }

    @Test(
        "a message before the join is refused over its limit, whole or in fragments",
        arguments: [true, false])
    func tooLongBeforeJoin(inFragments: Bool) throws {
        let limit = SessionServerLimits().unjoinedMessageBytes
        let channel = EmbeddedChannel(handler: SocketHandler(timeouts: .init()))
        let parts = inFragments ? [limit, 1] : [limit + 1]
        for (index, length) in parts.enumerated() {
            let frame = WebSocketFrame(
                fin: index == parts.count - 1, opcode: index == 0 ? .text : .continuation,
                data: ByteBuffer(repeating: 32, count: length))
            try channel.writeInbound(frame)
        }
        #expect(try channel.readInbound(as: SocketMessage.self) == .tooLarge)
    }
}

@Suite("Frames and fragments")
struct FrameTests {
    @Test(
        "a frame's length is known from its head, and from nothing less",
        arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 100_000], [true, false])
    func length(payload: Int, isMasked: Bool) throws {
        let frame = WebSocketFrame(
            fin: true, opcode: .text, maskKey: isMasked ? [1, 2, 3, 4] : nil,
            data: ByteBuffer(repeating: 7, count: payload))
        let channel = EmbeddedChannel(handler: WebSocketFrameEncoder())
        try channel.writeOutbound(frame)
        var bytes = ByteBuffer()
        while var part = try channel.readOutbound(as: ByteBuffer.self) { bytes.writeBuffer(&part) }
        let head = payload < 126 ? 2 : payload < 65_536 ? 4 : 10
        for count in 0..<head {
            let part = try #require(bytes.getSlice(at: 0, length: count))
            #expect(try FrameDecoder.length(of: part, limit: payload) == nil)
        }
        #expect(try FrameDecoder.length(of: bytes, limit: payload) == bytes.readableBytes)
        guard payload > 0 else { return }
        #expect(throws: NIOWebSocketError.invalidFrameLength) {
            try FrameDecoder.length(of: bytes, limit: payload - 1)
        }
    }

    @Test("a length that no buffer has is refused", arguments: [UInt64(Int.max), 1 << 63, .max])
    func endless(length: UInt64) {
        var bytes = ByteBuffer(bytes: [0x81, 127])
        bytes.writeInteger(length)
        #expect(throws: NIOWebSocketError.invalidFrameLength) {
            try FrameDecoder.length(of: bytes, limit: SessionProtocol.messageLimit)
        }
    }

    @Test(
        "a message of too many fragments is refused, of as many as may be it is read",
        arguments: [true, false])
    func fragments(isText: Bool) {
        for (count, isRead) in [(5, true), (6, false)] {
            var assembler = MessageAssembler(limit: 100, fragments: 5)
            var messages: [SocketMessage] = []
            for index in 1...count {
                let opcode: WebSocketOpcode = index > 1 ? .continuation : isText ? .text : .binary
                let frame = WebSocketFrame(
                    fin: index == count, opcode: opcode, data: ByteBuffer(string: "x"))
                if let message = assembler.take(frame) { messages.append(message) }
            }
            let read: SocketMessage = isText ? .text(ByteBuffer(string: "xxxxx")) : .unreadable
            #expect(messages == [isRead ? read : .tooLarge])
        }
    }

    @Test("an empty fragment ends a message or the socket")
    func emptyFragments() {
        var assembler = MessageAssembler(limit: 100, fragments: 1024)
        #expect(assembler.take(.init(fin: false, opcode: .text, data: ByteBuffer(string: "x"))) == nil)
        let end = assembler.take(.init(fin: true, opcode: .continuation, data: ByteBuffer()))
        #expect(end == .text(ByteBuffer(string: "x")))
        #expect(assembler.take(.init(fin: false, opcode: .text, data: ByteBuffer(string: "x"))) == nil)
        let middle = assembler.take(.init(fin: false, opcode: .continuation, data: ByteBuffer()))
        #expect(middle == .tooLarge)
    }
}
