// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Packing
import Synchronization

/// A small WebSocket server on a port of the system's choice.
///
/// It echoes texts, and does what some of them say: see ``ServerHandler``.
final class TestServer: Sendable {
    private struct State {
        var heads: [HTTPRequestHead] = []
        var opcodes: [WebSocketOpcode] = []
        var sockets = 0
        var packedSizes: [Int] = []
    }

    private let state = Mutex(State())
    private let listener: any Channel
    let port: Int

    /// Heads of the requests for a WebSocket.
    var heads: [HTTPRequestHead] { state.withLock { $0.heads } }
    /// Frames that clients have sent.
    var opcodes: [WebSocketOpcode] { state.withLock { $0.opcodes } }
    /// WebSockets that are open.
    var sockets: Int { state.withLock { $0.sockets } }

    /// Bytes of the messages that came packed.
    var packedSizes: [Int] { state.withLock { $0.packedSizes } }

    private init(_ listener: any Channel, _ port: Int) {
        self.listener = listener
        self.port = port
    }

    /// Starts a server; with `tls` one that speaks only TLS, with `refuses` one that opens no WebSocket, with `packing` one
    /// that answers so to an offer to pack.
    static func start(
        tls: NIOSSLContext? = nil, refuses: Bool = false, packing: String? = nil
    ) async throws -> TestServer {
        let reference = Reference()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    try Self.configure(channel, reference, refuses, packing)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = TestServer(listener, listener.localAddress?.port ?? 0)
        reference.server.withLock { $0 = server }
        return server
    }

    func stop() async throws {
        try await listener.close()
    }

    func note(_ head: HTTPRequestHead) { state.withLock { $0.heads.append(head) } }
    func note(_ opcode: WebSocketOpcode) { state.withLock { $0.opcodes.append(opcode) } }
    func notePacked(_ size: Int) { state.withLock { $0.packedSizes.append(size) } }
    func countSockets(_ change: Int) { state.withLock { $0.sockets += change } }

    /// The server, for channels that are made before it is.
    final class Reference: Sendable {
        let server = Mutex<TestServer?>(nil)
        var value: TestServer? { server.withLock { $0 } }
    }

    private static func answerNotFound(on channel: any Channel) {
        let head = HTTPResponseHead(version: .http1_1, status: .notFound, headers: ["Content-Length": "0"])
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }

    private static func configure(
        _ channel: any Channel, _ reference: Reference, _ refuses: Bool, _ packing: String?
    ) throws {
        let upgrader = NIOTypedWebSocketServerUpgrader<Void>(
            maxFrameSize: 1 << 20,
            shouldUpgrade: { channel, head in
                reference.value?.note(head)
                let fields = packing.map { [("Sec-WebSocket-Extensions", $0)] } ?? []
                return channel.eventLoop.makeSucceededFuture(refuses ? nil : HTTPHeaders(fields))
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ServerHandler(reference))
                }
            })
        _ = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: NIOUpgradableHTTPServerPipelineConfiguration(
                upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(upgraders: [upgrader]) {
                    channel in
                    Self.answerNotFound(on: channel)
                    return channel.eventLoop.makeSucceededVoidFuture()
                }))
    }
}

/// Echoes texts.
///
/// `ping`, `fragments`, `large`, `packed`, `close`, `die` and `deaf` do what they say; what begins with `pack: ` is echoed
/// packed, in one frame and in three.
private final class ServerHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let reference: TestServer.Reference
    private var isDeaf = false
    private let inflater = Inflater(.raw(windowBits: 15))

    init(_ reference: TestServer.Reference) { self.reference = reference }

    func handlerAdded(context: ChannelHandlerContext) { reference.value?.countSockets(1) }
    func handlerRemoved(context: ChannelHandlerContext) { reference.value?.countSockets(-1) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        reference.value?.note(frame.opcode)
        guard !isDeaf else { return }
        switch frame.opcode {
        case .text: obey(String(buffer: text(of: frame)), context)
        case .ping: send(.pong, frame.unmaskedData, context)
        case .pong: send(.text, ByteBuffer(string: "pong " + String(buffer: frame.unmaskedData)), context)
        case .connectionClose:
            send(.connectionClose, frame.unmaskedData, context)
            context.close(promise: nil)
        default: break
        }
    }

    private func text(of frame: WebSocketFrame) -> ByteBuffer {
        guard frame.rsv1 else { return frame.unmaskedData }
        reference.value?.notePacked(frame.data.readableBytes)
        let packed = Array(buffer: frame.unmaskedData) + [0, 0, 0xFF, 0xFF]
        var text = ByteBuffer()
        text.writeWithUnsafeMutableBytes(minimumWritableBytes: 1 << 20) { output in
            packed.withUnsafeBytes { inflater.unpack($0, into: output).made }
        }
        return text
    }

    private func obey(_ text: String, _ context: ChannelHandlerContext) {
        switch text {
        case _ where text.hasPrefix("pack: "): sendPacked(text, context)
        case "ping": send(.ping, ByteBuffer(string: "are you there"), context)
        case "fragments":
            send(.text, ByteBuffer(string: "one, "), context, isLast: false)
            send(.continuation, ByteBuffer(string: "two, "), context, isLast: false)
            send(.continuation, ByteBuffer(string: "three"), context)
        case "large": send(.text, ByteBuffer(repeating: UInt8(ascii: "x"), count: 1_000_000), context)
        case "packed":
            let frame = WebSocketFrame(
                fin: true, rsv1: true, opcode: .text, data: ByteBuffer(bytes: [0x02, 0x00]))
            context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        case "close":
            var code = ByteBuffer()
            code.write(webSocketErrorCode: .goingAway)
            send(.connectionClose, code, context)
        case "die": context.close(promise: nil)
        case "deaf": isDeaf = true
        default: send(.text, ByteBuffer(string: text), context)
        }
    }

    private func sendPacked(_ text: String, _ context: ChannelHandlerContext) {
        let deflater = MessageDeflater(windowBits: 12, keepsWindow: false)
        guard var packed = Array(text.utf8).withUnsafeBytes(deflater.pack).map(ByteBuffer.init(bytes:)) else {
            return
        }
        send(.text, packed, context, isPacked: true)
        let third = packed.readableBytes / 3
        if let first = packed.readSlice(length: third), let second = packed.readSlice(length: third) {
            send(.text, first, context, isLast: false, isPacked: true)
            send(.continuation, second, context, isLast: false)
            send(.continuation, packed, context)
        }
    }

    private func send(
        _ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext, isLast: Bool = true,
        isPacked: Bool = false
    ) {
        let frame = WebSocketFrame(fin: isLast, rsv1: isPacked, opcode: opcode, data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}
