// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import Logging
import MediaEngine
import NIOSignaling
import SessionServer
import SessionWire
import Sightline
import Synchronization
import TestSupport

/// A server in this process, its router as a child, and a session on it.
final class CallHarness: Sendable {
    let server: SightlineServer
    let url: String
    let session: String
    private let issuer: TokenIssuer
    private let running: Task<Void, any Error>
    /// What the server's certificate is held against, a file; `nil` without TLS.
    private let certificate: String?
    private let onReport: (@Sendable (String, RecordedReport) -> Void)?

    private static let application = "tests"

    /// - Parameter onReport: Gets what the observers of each client, by its name, are given.
    init(
        mediaMode: MediaMode = .routed, onReport: (@Sendable (String, RecordedReport) -> Void)? = nil,
        change: (inout SessionServerConfiguration) -> Void = { _ in }
    ) async throws {
        self.onReport = onReport
        let secret = UUID().uuidString + UUID().uuidString
        var configuration = SessionServerConfiguration(
            applicationID: Self.application, applicationSecret: secret,
            router: .init(executable: BuiltProducts.sightline.path, arguments: ["router", "--loopback-only"]))
        configuration.port = 0
        change(&configuration)
        certificate = configuration.tls?.certificateChain
        let server = SightlineServer(
            configuration: configuration, logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        self.server = server
        running = Task { try await server.run() }
        let host = configuration.host
        url =
            "\(configuration.tls == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(try await server.boundPort)"
        try await eventually("the router's start") { await server.health.routerIsRunning }
        session = try await server.createSession(mediaMode: mediaMode).session
        issuer = await TokenIssuer(applicationID: Self.application, applicationSecret: secret)
    }

    /// Ends the server; its router with it.
    func close() async throws {
        await server.shutdown()
        try await running.value
    }

    /// A token for the session.
    func token(_ role: TokenRole, _ name: String) async throws -> String {
        try await issuer.token(session: session, role: role, name: name).token
    }

    /// A client that is in the session, or another one.
    func client(
        _ name: String, role: TokenRole = .publisher, in other: String? = nil,
        engine: (any PeerConnectionFactory)? = nil, relayOnly: Bool = false,
        signaling: (any SignalingTransport)? = nil
    ) async throws -> Session {
        var configuration = SessionConfiguration()
        configuration.loopbackOnly = true
        configuration.transportPolicy = relayOnly ? .relay : .all
        if let onReport { configuration.onReport = { onReport(name, $0) } }
        let client = try Session(
            url: url, token: try await issuer.token(session: other ?? session, role: role, name: name).token,
            engine: engine ?? LibWebRTCEngine(),
            signaling: signaling ?? NIOSignalingTransport(trustedCertificates: certificate),
            configuration: configuration)
        try await client.connect()
        return client
    }

    /// The router's process id.
    func router() async throws -> Int32 {
        let own = ProcessInfo.processInfo.processIdentifier
        var found: Int32?
        try await eventually("a router process") {
            found = ServerProcess.routers(of: own).first
            return found != nil
        }
        return found ?? 0
    }
}

/// A publisher and a subscriber of its stream, each in a client of its own.
struct Call: Sendable {
    let alice: Session
    let bob: Session
    let publisher: Publisher
    let subscriber: Subscriber

    /// Makes a call of 320x180 and waits for its first frame.
    init(
        _ harness: CallHarness, in session: String? = nil,
        engines: (any PeerConnectionFactory, any PeerConnectionFactory)? = nil, relayOnly: Bool = false,
        _ change: (inout PublisherSettings, inout SubscriberSettings) -> Void = { _, _ in }
    ) async throws {
        var publishing = PublisherSettings()
        publishing.resolution = VideoSize(width: 320, height: 180)
        var subscribing = SubscriberSettings()
        change(&publishing, &subscribing)
        alice = try await harness.client("alice", in: session, engine: engines?.0, relayOnly: relayOnly)
        publisher = Publisher(settings: publishing)
        try await alice.publish(publisher)
        bob = try await harness.client(
            "bob", role: .subscriber, in: session, engine: engines?.1, relayOnly: relayOnly)
        let bob = bob
        try await eventually("the stream at bob's") { !bob.streams.isEmpty }
        subscriber = Subscriber(stream: bob.streams[0], settings: subscribing)
        let frames = subscriber.frames()
        try await bob.subscribe(subscriber)
        try await Self.awaitFirstFrame(of: frames)
    }

    /// Waits for a frame that comes from now on.
    static func awaitFirstFrame(of frames: AsyncStream<ReceivedFrame>) async throws {
        let isThere = Mutex(false)
        let watching = Task {
            for await _ in frames { return isThere.withLock { $0 = true } }
        }
        defer { watching.cancel() }
        try await eventually("a frame", within: .seconds(40)) { isThere.withLock { $0 } }
    }

    func end() async {
        await bob.disconnect()
        await alice.disconnect()
    }
}
