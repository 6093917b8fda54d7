// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(NIOPosix)
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Packing
import Sightline

/// The SDK's WebSocket on SwiftNIO, plain and over TLS: for Linux, whose URLSession has none.
///
/// Sockets run on the process's shared event loops; no threads come and go with them. Messages may be up to 1
/// MiB long. A server that has been silent for four ping intervals, 8 s if nothing else is said, counts as
/// gone.
public struct NIOSignalingTransport: SignalingTransport {
    /// How often a server that says nothing is pinged.
    ///
    /// 2 s.
    public var pingInterval: Duration
    /// A PEM file of certificates to trust instead of the system's, for servers of one's own; `nil` for the
    /// system's.
    public var trustedCertificates: String?
    /// Cuts the sockets off, as an emulated network does; `nil` leaves the real network alone.
    public var gate: SignalingGate?

    /// Creates a transport.
    public init(
        pingInterval: Duration = .seconds(2), trustedCertificates: String? = nil, gate: SignalingGate? = nil
    ) {
        self.pingInterval = pingInterval
        self.trustedCertificates = trustedCertificates
        self.gate = gate
    }

    /// Opens a WebSocket.
    ///
    /// - Throws: `SightlineError` with code `connectionFailed` and what to do.
    public func open(_ address: SignalingAddress) async throws -> any SignalingChannel {
        try await open(address, notifying: { _ in })
    }

    /// Opens a WebSocket and reports its progress, on an event loop.
    ///
    /// - Throws: `SightlineError` with code `connectionFailed` and what to do.
    public func open(
        _ address: SignalingAddress, notifying listener: @escaping @Sendable (SignalingProgress) -> Void
    ) async throws -> any SignalingChannel {
        try await gate?.waitUntilOpen()
        let attempt = OpeningAttempt()
        return try await withTaskCancellationHandler {
            do {
                return try await connect(address, attempt, listener)
            } catch {
                attempt.abort()
                try Task.checkCancellation()
                throw OpeningError.explain(error, address)
            }
        } onCancel: {
            attempt.abort()
        }
    }

    private func connect(
        _ address: SignalingAddress, _ attempt: OpeningAttempt,
        _ listener: @escaping @Sendable (SignalingProgress) -> Void
    ) async throws -> WebSocketChannel {
        let tls = try makeTLS(address)
        let interval = TimeAmount(pingInterval)
        let gate = self.gate
        let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // Behind a gate no one may be notified of the server's end before it opens.
            .channelOption(.allowRemoteHalfClosure, value: gate != nil)
            .connect(host: address.host, port: address.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    attempt.note(channel)
                    try gate?.guardSocket(channel)
                    if let tls { try channel.pipeline.syncOperations.addHandler(tls.handler(for: address)) }
                    try channel.pipeline.syncOperations.addHandler(OpeningWatch(listener))
                    let upgrade = Self.upgrade(address, interval)
                    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                        configuration: upgrade)
                }
            }
        guard let socket = try await upgrade.get() else { throw OpeningError.refused }
        return socket
    }

    private static func upgrade(
        _ address: SignalingAddress, _ interval: TimeAmount
    ) -> NIOUpgradableHTTPClientPipelineConfiguration<WebSocketChannel?> {
        // NIO adds everything else.
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: address.path,
            headers: ["Host": address.authority, DeflateParameters.field: DeflateAnswer.offer])
        let upgrader = NIOTypedWebSocketClientUpgrader<WebSocketChannel?>(
            maxFrameSize: WebSocketHandler.messageLimit
        ) { channel, answer in
            channel.eventLoop.makeCompletedFuture {
                let packing = answer.headers[DeflateParameters.field].joined(separator: ",")
                return try WebSocketChannel.make(on: channel, interval, packing: DeflateAnswer(packing))
            }
        }
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration<WebSocketChannel?>(
                upgradeRequestHead: head, upgraders: [upgrader]
            ) { channel in
                channel.close(promise: nil)
                return channel.eventLoop.makeSucceededFuture(nil)
            })
        configuration.leftOverBytesStrategy = .forwardBytes
        return configuration
    }

    private func makeTLS(_ address: SignalingAddress) throws -> TLSSetup? {
        guard address.isSecure else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let path = trustedCertificates {
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
        }
        return TLSSetup(context: try NIOSSLContext(configuration: configuration))
    }
}

/// TLS towards a server.
struct TLSSetup: Sendable {
    let context: NIOSSLContext

    /// A handler for one socket; names the server unless it is an IP address, which TLS does not name.
    func handler(for address: SignalingAddress) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: address.host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : address.host)
    }
}
#endif
