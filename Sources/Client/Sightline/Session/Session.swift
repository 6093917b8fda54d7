// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

/// A client's part in a session: connects, publishes, subscribes.
///
/// A session is used once: after ``disconnect()``, or when the server or the network has ended it, make
/// another one. Releasing it without ``disconnect()`` ends it as well. Safe to use from anywhere.
public final class Session: Sendable {
    private struct State {
        weak var delegate: (any SessionDelegate & Sendable)?
    }

    /// The server that it connects to.
    public let url: String
    let driver: SessionDriver
    private let roster = SessionRoster()
    private let hub = EventHub<SessionEvent>(.unbounded)
    private let own = Mutex(State())

    /// Creates a session; nothing happens before ``connect()``.
    ///
    /// - Parameters:
    ///   - url: The server, such as `ws://localhost:8080` or `wss://calls.example.com`.
    ///   - token: The JWT that names session and role.
    ///   - engine: The media engine.
    ///   - signaling: The signaling transport.
    ///   - configuration: Timeouts and intervals; the defaults suit most apps.
    public init(
        url: String, token: String, engine: any PeerConnectionFactory, signaling: any SignalingTransport,
        configuration: SessionConfiguration = SessionConfiguration()
    ) {
        self.url = url
        driver = SessionDriver(
            .init(url: url, token: token, engine: engine, transport: signaling, configuration: configuration),
            roster: roster, hub: hub)
    }

    deinit {
        // No one can wait for it any more; it ends by itself, within the time that requests may take.
        Task { [driver] in await driver.disconnect() }
    }

    /// Receives events, on the main actor on Apple's systems, elsewhere from a task of the SDK; held weakly.
    ///
    /// ``setDelegate(_:isolation:)`` has one called on another actor.
    public var delegate: (any SessionDelegate & Sendable)? {
        get { own.withLock { $0.delegate } }
        set {
            own.withLock { $0.delegate = newValue }
            hub.deliver(
                to: .delegate(of: self) { event, session in
                    session.delegate?.hear(event, from: session)
                })
        }
    }

    /// Sets a delegate that is called on the caller's actor, such as the main actor; held weakly.
    ///
    /// It need not be `Sendable`, and its conformance may be isolated: `extension Screen: @MainActor SessionDelegate`. It takes the
    /// place of ``delegate``. Events come in the same order as elsewhere; the next waits until the actor has taken the last one.
    ///
    /// - Parameters:
    ///   - delegate: Who is called; `nil` for no one.
    ///   - isolation: Filled in by the compiler. From code that is on no actor, set ``delegate``.
    public func setDelegate(
        _ delegate: (any SessionDelegate)?, isolation: isolated any Actor = #isolation
    ) {
        own.withLock { $0.delegate = nil }
        hub.deliver(
            to: .on(isolation, of: self) { [weak delegate] event, session in
                delegate?.hear(event, from: session)
            })
    }

    /// Events from now on, for one listener; nothing is lost.
    ///
    /// Request it before ``connect()`` to receive everything.
    ///
    /// Ends after ``SessionEvent/sessionDidDisconnect``; ends at once if the session is over.
    public func events() -> AsyncStream<SessionEvent> { hub.events() }

    /// The server's name for the session; `nil` before it is connected.
    public var sessionId: String? { roster.present.joined?.session }

    /// This client; `nil` before it is connected.
    public var connection: Connection? { roster.present.joined?.connection }

    /// What the token allows; `nil` before it is connected.
    public var role: TokenRole? { roster.present.joined?.role }

    /// How media is routed; `nil` before it is connected.
    public var mediaMode: MediaMode? { roster.present.joined?.mediaMode }

    /// The others; empty while it is not connected.
    public var connections: [Connection] { roster.present.connections }

    /// Everyone's streams, also this client's own; empty while it is not connected.
    public var streams: [MediaStream] { roster.present.streams }

    /// The state of the session.
    public var state: SessionState { roster.state }

    /// Whether the client is in the session, and the server can be reached, now.
    public var isConnected: Bool { state == .connected }

    /// Enters the session.
    ///
    /// After a failure it can be tried again.
    ///
    /// - Throws: ``SightlineError``: `invalidURL`, `connectionFailed`, `timeout`, `invalidToken`,
    ///   `expiredToken`, `unknownSession`, `unsupportedVersion`, `tooMany`, `alreadyConnected`, `cancelled`.
    public func connect() async throws { try await driver.connect() }

    /// Leaves the session: ends everything that is published and subscribed.
    ///
    /// Idempotent; returns when all of the session's work has ended.
    public func disconnect() async { await driver.disconnect() }

    /// Publishes a stream; returns when it is in the session.
    ///
    /// - Throws: ``SightlineError``: `notConnected`, `forbidden`, `alreadyPublished`, `invalidArgument`,
    ///   `unsupportedMedia`, `unsupported`, `mediaEngine`, `routerUnavailable`, `tooMany`, `timeout`, `cancelled`. The
    ///   publisher can be published again then.
    public func publish(_ publisher: Publisher) async throws { try await driver.publish(publisher) }

    /// Ends a stream.
    ///
    /// - Throws: ``SightlineError`` with code `notPublished`; with another one if the server did not confirm
    ///   it, the stream is over at this end all the same.
    public func unpublish(_ publisher: Publisher) async throws { try await driver.unpublish(publisher) }

    /// Says what the participant thinks of the call, before it leaves; what is said last counts.
    ///
    /// The server keeps it with the call. An app that asks people once they have left sends it from its backend:
    /// `POST /v1/calls/{session}/ratings`.
    ///
    /// - Throws: ``SightlineError``: `notConnected`, `tooMany`, `server` if the server stores nothing, `timeout`,
    ///   `cancelled`.
    public func rate(_ rating: CallRating) async throws { try await driver.carryOut(.rate(rating)) }

    /// Ends someone's stream, as a moderator.
    ///
    /// Its publisher is notified of its end like everyone else.
    ///
    /// - Throws: ``SightlineError``: `forbidden` unless the token's role is moderator, `unknownStream`,
    ///   `notConnected`, `timeout`, `cancelled`.
    public func forceUnpublish(_ stream: MediaStream) async throws {
        try await driver.carryOut(.forceUnpublish(.init(stream: stream.streamId)))
    }

    /// Puts someone out of the session, as a moderator.
    ///
    /// Their session ends with ``SightlineError/Code/forceDisconnected``, and the server refuses their token for this session
    /// from then on; a new token lets them in again.
    ///
    /// - Throws: ``SightlineError``: `forbidden` unless the token's role is moderator, `unknownConnection`,
    ///   `notConnected`, `timeout`, `cancelled`.
    public func forceDisconnect(_ connection: Connection) async throws {
        try await driver.carryOut(.forceDisconnect(.init(connection: connection.connectionId)))
    }

    /// Subscribes to a stream; returns when it is negotiated.
    ///
    /// ``SubscriberLifeEvent/didConnectToStream`` is sent when media arrives.
    ///
    /// - Throws: ``SightlineError``: `notConnected`, `unknownStream`, `alreadySubscribed`,
    ///   `unsupportedMedia`, `unsupported`, `mediaEngine`, `routerUnavailable`, `tooMany`, `timeout`, `cancelled`. The
    ///   subscriber can be subscribed again then.
    public func subscribe(_ subscriber: Subscriber) async throws { try await driver.subscribe(subscriber) }

    /// Ends a subscription.
    ///
    /// - Throws: ``SightlineError`` with code `notSubscribed`; with another one if the server did not confirm
    ///   it, the subscription is over at this end all the same.
    public func unsubscribe(_ subscriber: Subscriber) async throws {
        try await driver.unsubscribe(subscriber)
    }
}
