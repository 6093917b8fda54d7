// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Packing
import SessionWire
import Synchronization
import Testing

/// A client's WebSocket as bare as it gets, so that tests can misbehave.
final class TestSocket: Sendable {
    enum Event: Sendable, Equatable {
        case message(ServerMessage)
        /// A text that is no message, which no test wants.
        case unreadable(String)
        case close(UInt16?)
        case end
    }

    /// Nothing came in time, or something else did.
    struct Unexpected: Error, CustomStringConvertible {
        let description: String

        /// - Parameter location: Where a test waited; of a thrown error the report of a run says only which test it was.
        init(description what: String, _ location: SourceLocation = #_sourceLocation) {
            description = "\(what), awaited at \(location.fileName):\(location.line)"
        }
    }

    let channel: any Channel
    private let events: EventQueue

    /// Bytes of the messages that came packed.
    var packedSizes: [Int] { events.packedSizes.withLock { $0 } }

    private init(channel: any Channel, events: EventQueue) {
        self.channel = channel
        self.events = events
    }

    /// Connects; `readsFrames` false leaves everything unread, as a stuck client does.
    ///
    /// - Parameter packing: What it offers of packing messages, which it understands of the server's.
    static func connect(
        port: Int, path: String = SessionProtocol.path, packing: String? = nil, readsFrames: Bool = true,
        answersPings: Bool = true,
        usesTLS: Bool = false, latestTLS: TLSVersion = .tlsv13, trusting certificate: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> TestSocket {
        let events = EventQueue()
        let upgraded = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if usesTLS { try addTLS(channel, latestTLS, certificate) }
                    return try upgrade(
                        channel, path, packing, events, readsFrames: readsFrames, answersPings: answersPings)
                }
            }
        guard let channel = try await upgraded.get() else {
            throw Unexpected(description: "no upgrade", location)
        }
        return TestSocket(channel: channel, events: events)
    }

    /// - Parameter certificate: The only one that is taken; `nil` for any.
    private static func addTLS(
        _ channel: any Channel, _ latest: TLSVersion, _ certificate: String?
    ) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = certificate == nil ? .none : .fullVerification
        if let certificate { configuration.trustRoots = .file(certificate) }
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = latest
        let context = try NIOSSLContext(configuration: configuration)
        try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: context, serverHostname: "localhost"))
    }

    private static func upgrade(
        _ channel: any Channel, _ path: String, _ packing: String?, _ events: EventQueue, readsFrames: Bool,
        answersPings: Bool
    ) throws -> EventLoopFuture<(any Channel)?> {
        let upgrader = NIOTypedWebSocketClientUpgrader<(any Channel)?>(
            maxFrameSize: 1 << 24,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    let handler = FrameHandler(events: events, answersPings: answersPings)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    if !readsFrames { try channel.syncOptions?.setOption(.autoRead, value: false) }
                    return channel
                }
            })
        var fields: HTTPHeaders = ["Host": "localhost"]
        if let packing { fields.add(name: DeflateParameters.field, value: packing) }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: fields)
        let upgrade = NIOTypedHTTPClientUpgradeConfiguration<(any Channel)?>(
            upgradeRequestHead: head, upgraders: [upgrader],
            notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(nil) })
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: upgrade)
        // What comes with the answer is for the socket.
        configuration.leftOverBytesStrategy = .forwardBytes
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: configuration)
    }

    func send(_ message: ClientMessage) async throws {
        try await send(text: String(decoding: message.json(), as: UTF8.self))
    }

    func send(text: String) async throws {
        try await send(.text, ByteBuffer(string: text))
    }

    func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, fin: Bool = true) async throws {
        try await channel.writeAndFlush(
            WebSocketFrame(fin: fin, opcode: opcode, maskKey: .random(), data: data))
    }

    /// The next event; fails after `time`.
    func next(
        within time: Duration = .seconds(10), at location: SourceLocation = #_sourceLocation
    ) async throws -> Event {
        guard let event = await events.next(within: time) else {
            let end = channel.isActive ? "" : ", and its connection is over"
            throw Unexpected(description: "nothing came in \(time)\(end)", location)
        }
        return event
    }

    /// The next message.
    func message(at location: SourceLocation = #_sourceLocation) async throws -> ServerMessage {
        let event = try await next(at: location)
        guard case .message(let message) = event else {
            throw Unexpected(description: "expected a message, got \(event)", location)
        }
        return message
    }

    /// The next message, which must be an error.
    func error(
        at location: SourceLocation = #_sourceLocation
    ) async throws -> (re: Int?, code: ServerError.Code) {
        let message = try await message(at: location)
        guard case .error(let error) = message.body else {
            throw Unexpected(description: "expected an error, got \(message)", location)
        }
        return (message.re, error.code)
    }

    /// Skips messages until the socket ends; returns the close code.
    func end(at location: SourceLocation = #_sourceLocation) async throws -> UInt16? {
        var code: UInt16?
        while true {
            let event: Event
            do { event = try await next(at: location) } catch {
                throw Unexpected(
                    description: "closed with \(code.map(String.init) ?? "nothing"): \(error)", location)
            }
            switch event {
            case .message: break
            case .unreadable(let text):
                throw Unexpected(description: "cannot be read: \(text.prefix(200))", location)
            case .close(let number): code = number
            case .end: return code
            }
        }
    }

    func close() async {
        try? await channel.close()
    }
}

/// Events in order, with a deadline for whoever waits.
actor EventQueue {
    /// Bytes of the messages that came packed.
    nonisolated let packedSizes = Mutex<[Int]>([])
    private var events: [TestSocket.Event] = []
    private var waiting: (number: Int, continuation: CheckedContinuation<TestSocket.Event?, Never>)?
    private var number = 0

    func add(_ event: TestSocket.Event) {
        if let (_, continuation) = waiting {
            waiting = nil
            continuation.resume(returning: event)
        } else {
            events.append(event)
        }
    }

    /// - Returns: `nil` if nothing came in time.
    func next(within time: Duration) async -> TestSocket.Event? {
        if !events.isEmpty { return events.removeFirst() }
        number += 1
        let mine = number
        let timer = Task {
            try await Task.sleep(for: time)
            giveUp(mine)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { waiting = (mine, $0) }
    }

    private func giveUp(_ number: Int) {
        guard let (mine, continuation) = waiting, mine == number else { return }
        waiting = nil
        continuation.resume(returning: nil)
    }
}

private final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let queue: AsyncStream<TestSocket.Event>.Continuation
    private let events: EventQueue
    private let answersPings: Bool
    private var inflater = MessageInflater(windowBits: nil)

    init(events: EventQueue, answersPings: Bool) {
        let (stream, queue) = AsyncStream<TestSocket.Event>.makeStream()
        self.queue = queue
        self.events = events
        self.answersPings = answersPings
        Task { for await event in stream { await events.add(event) } }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            let text = text(of: frame)
            if let message = try? ServerMessage(json: text) {
                queue.yield(.message(message))
            } else {
                queue.yield(.unreadable(String(decoding: text, as: UTF8.self)))
            }
        case .ping where answersPings:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose:
            queue.yield(.close(frame.unmaskedData.getInteger(at: frame.unmaskedData.readerIndex)))
            let close = WebSocketFrame(
                fin: true, opcode: .connectionClose, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(close), promise: nil)
        default: break
        }
    }

    private func text(of frame: WebSocketFrame) -> [UInt8] {
        let bytes = Array(buffer: frame.unmaskedData)
        guard frame.rsv1 else { return bytes }
        events.packedSizes.withLock { $0.append(bytes.count) }
        return (try? inflater.unpack(bytes, limit: SessionProtocol.messageLimit)) ?? bytes
    }

    func channelInactive(context: ChannelHandlerContext) {
        queue.yield(.end)
        queue.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
