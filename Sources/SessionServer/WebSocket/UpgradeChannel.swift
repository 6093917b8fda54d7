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
import SessionProtocol

/// Serves HTTP, and the session protocol's WebSocket at its path.
struct UpgradeChannel: HTTPChannelHandler {
    /// What became of a connection.
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
    let clients: ClientSocket

    /// Longest that a connection may take to send its first request, or wait for its next.
    private static let patience = TimeAmount.seconds(30)

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let upgrade = NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: [upgrader]
            ) { channel in
                channel.eventLoop.makeCompletedFuture { try Self.serveHTTP(channel, logger) }
            }
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: upgrade)
            configuration.enablePipelining = false
            configuration.enableErrorHandling = false
            let operations = channel.pipeline.syncOperations
            try operations.addHandler(PatienceHandler(Self.patience))
            return Value(
                result: try operations.configureUpgradableHTTPServerPipeline(configuration: configuration),
                channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withGracefulShutdownHandler {
            await serve(value, logger)
        } onGracefulShutdown: {
            // Whoever keeps its end of a closed connection open must not keep the server.
            let time = TimeAmount(clients.timeouts.goodbye)
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

    private var upgrader: NIOTypedWebSocketServerUpgrader<Upgraded> {
        NIOTypedWebSocketServerUpgrader(
            // The limit itself is the assembler's to judge: it answers instead of cutting off.
            maxFrameSize: SessionProtocol.messageLimit, enableAutomaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                let path = head.uri.prefix { $0 != "?" }
                return channel.eventLoop.makeSucceededFuture(
                    path == SessionProtocol.path ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try Self.serve(clients, channel) }
            })
    }

    private static func serve(_ clients: ClientSocket, _ channel: any Channel) throws -> Upgraded {
        try endPatience(channel)
        // Half a WebSocket is of no use: the client's end is the socket's.
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
        try channel.pipeline.syncOperations.addHandlers(
            SocketHandler(timeouts: clients.timeouts), ClientHandler(clients))
        return .client
    }

    private static func serveHTTP(_ channel: any Channel, _ logger: Logger) throws -> Upgraded {
        try endPatience(channel)
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try operations.addHandler(HTTPConnectionStateHandler(idleTimeout: Duration(patience), logger: logger))
        return .http(
            try HTTP1Channel.Value(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)))
    }

    private static func endPatience(_ channel: any Channel) throws {
        let operations = channel.pipeline.syncOperations
        operations.removeHandler(try operations.handler(type: PatienceHandler.self), promise: nil)
    }
}

/// Ends a connection whose first request does not come, or is not wanted any more.
private final class PatienceHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let time: TimeAmount
    private var end: Scheduled<Void>?

    init(_ time: TimeAmount) {
        self.time = time
    }

    func handlerAdded(context: ChannelHandlerContext) {
        end = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
