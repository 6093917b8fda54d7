// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOWebSocket
import ServiceLifecycle
import SessionCore
import SessionWire

/// Serves HTTP, and WebSockets at their paths: the session protocol's, that of rtcstats, and those of reports.
struct UpgradeChannel: HTTPChannelHandler {
    /// Result of an upgrade.
    enum Upgraded: Sendable {
        /// Its handlers do the rest.
        case client
        case http(HTTP1Channel.Value)
        case other
    }

    /// A connection whose kind its first request will tell.
    struct Value: ServerChildChannelValue {
        let result: EventLoopFuture<Upgraded>
        let channel: any Channel
    }

    let responder: Responder
    let sockets: SocketUsers
    let gate: ConnectionGate
    let policy: SitePolicy

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let place = gate.enter(from: channel.remoteAddress) else {
            // Closed by ``serve(_:_:)``; a channel that is not set up would be an error of the listening one.
            let full = EventLoopFuture<Upgraded>.refused(on: channel.eventLoop)
            return channel.eventLoop.makeSucceededFuture(Value(result: full, channel: channel))
        }
        channel.closeFuture.whenComplete { [gate] _ in gate.leave(place) }
        return channel.eventLoop.makeCompletedFuture {
            let deadline = RequestDeadline(
                TimeAmount(sockets.timeouts.request), goodbye: TimeAmount(sockets.timeouts.goodbye))
            let limits = sockets.limits
            let stall = TimeAmount(sockets.timeouts.idle)
            let bound = NIOLoopBound(deadline, eventLoop: channel.eventLoop)
            let upgrade = NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: [SocketUpgrader(sockets: sockets, gate: gate, place: place)]
            ) { channel in
                channel.eventLoop.makeCompletedFuture { try serveHTTP(channel, bound.value, logger) }
            }
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: upgrade)
            configuration.enablePipelining = false
            configuration.enableErrorHandling = false
            configuration.decoderConfiguration.maxHeaderFieldSize = limits.headBytes
            configuration.decoderConfiguration.maxHeaderListSize = limits.headBytes
            let operations = channel.pipeline.syncOperations
            try operations.addHandler(deadline)
            let result = try operations.configureUpgradableHTTPServerPipeline(configuration: configuration)
            try operations.addHandler(
                SocketFilter { [gate, policy] head in
                    // Who is refused gets the answer of ``SessionRoutes``.
                    head.asksForWebSocket && SocketUsers.isPath(head)
                        && policy.verdict(onSocket: .init(head)) == .allowed && gate.becomesSocket(place)
                },
                position: .before(
                    try operations.handler(type: NIOTypedHTTPServerUpgradeHandler<Upgraded>.self)))
            try operations.addHandler(RequestGuard(deadline, limits: limits, stall: stall))
            return Value(result: result, channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withGracefulShutdownHandler {
            await serve(value, logger)
        } onGracefulShutdown: {
            // A peer that keeps its end of a closed connection open must not block the server.
            let time = TimeAmount(sockets.timeouts.goodbye)
            value.channel.eventLoop.scheduleTask(in: time) { value.channel.close(promise: nil) }
        }
    }

    private func serve(_ value: Value, _ logger: Logger) async {
        do {
            switch try await value.result.get() {
            case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
            case .client, .other: break
            }
        } catch {
            // The connection ended, or was ended, before its first request.
            value.channel.close(promise: nil)
        }
    }

    private func serveHTTP(
        _ channel: any Channel, _ deadline: RequestDeadline, _ logger: Logger
    ) throws -> Upgraded {
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try operations.addHandler(
            HTTPConnectionStateHandler(idleTimeout: sockets.timeouts.idle, logger: logger))
        return .http(
            try HTTP1Channel.Value(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)))
    }
}

extension EventLoopFuture<UpgradeChannel.Upgraded> {
    /// Handling of a connection beyond the limit.
    fileprivate static func refused(on loop: any EventLoop) -> EventLoopFuture {
        loop.makeFailedFuture(ChannelError.eof)
    }
}

/// Turns a connection into a client's socket.
private struct SocketUpgrader: NIOTypedHTTPServerProtocolUpgrader {
    typealias UpgradeResult = UpgradeChannel.Upgraded

    let sockets: SocketUsers
    let place: ConnectionGate.Place
    let gate: ConnectionGate
    /// Answers by the rules of WebSockets; the pipeline is ours, for the limit of its decoder changes.
    private let upgrader: NIOTypedWebSocketServerUpgrader<Void>

    var supportedProtocol: String { upgrader.supportedProtocol }
    var requiredUpgradeHeaders: [String] { upgrader.requiredUpgradeHeaders }

    init(sockets: SocketUsers, gate: ConnectionGate, place: ConnectionGate.Place) {
        self.sockets = sockets
        self.gate = gate
        self.place = place
        upgrader = NIOTypedWebSocketServerUpgrader(
            enableAutomaticErrorHandling: false,
            // Those that may not do not get here.
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(SocketUsers.answer(to: head))
            },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
    }

    func buildUpgradeResponse(
        channel: any Channel, upgradeRequest: HTTPRequestHead, initialResponseHeaders: HTTPHeaders
    ) -> EventLoopFuture<HTTPHeaders> {
        upgrader.buildUpgradeResponse(
            channel: channel, upgradeRequest: upgradeRequest, initialResponseHeaders: initialResponseHeaders)
    }

    func upgrade(channel: any Channel, upgradeRequest: HTTPRequestHead) -> EventLoopFuture<UpgradeResult> {
        channel.eventLoop.makeCompletedFuture {
            let operations = channel.pipeline.syncOperations
            operations.removeHandler(try operations.handler(type: SocketFilter.self), promise: nil)
            operations.removeHandler(try operations.handler(type: RequestGuard.self), promise: nil)
            operations.removeHandler(try operations.handler(type: RequestDeadline.self), promise: nil)
            // Half a WebSocket is of no use: the client's end is the socket's.
            try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
            // Over the limit itself the assembler judges: it answers instead of cutting off.
            let decoder = FrameDecoder(
                limit: sockets.limits.unjoinedMessageBytes, upTo: SessionProtocol.messageLimit)
            let handler = SocketHandler(
                limits: sockets.limits, timeouts: sockets.timeouts, decoder: decoder,
                onJoin: { [gate, place] in gate.joined(place) })
            let user = ClientHandler(
                sockets.user(for: upgradeRequest), limits: sockets.limits, timeouts: sockets.timeouts,
                packing: SocketUsers.packing(upgradeRequest))
            try operations.addHandlers(
                WebSocketFrameEncoder(), ByteToMessageHandler(decoder), handler, user)
            return .client
        }
    }
}

extension SitePolicy.Visitor {
    fileprivate init(_ head: HTTPRequestHead) {
        self.init(
            host: head.headers.first(name: "Host"), origin: head.headers.first(name: "Origin"),
            site: head.headers.first(name: "Sec-Fetch-Site"))
    }
}
