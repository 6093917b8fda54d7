// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// Publishes a stream: made by the app, handed to ``Session/publish(_:)``.
///
/// Each publisher publishes once; the session keeps it until it is unpublished. Safe to use from anywhere.
public final class Publisher: Sendable {
    private struct State {
        weak var delegate: (any PublisherDelegate & Sendable)?
        weak var networkStatsDelegate: (any PublisherNetworkStatsDelegate & Sendable)?
        var publishAudio: Bool
        var publishVideo: Bool
        var wasPublished = false
        var publication: Publication?
        var stream: MediaStream?
    }

    /// What is sent, and how.
    public let settings: PublisherSettings

    private let state: Mutex<State>
    let eventHub = EventHub<PublisherLifeEvent>(.unbounded)
    let statsHub = EventHub<PublisherNetworkStatsEvent>(.bufferingNewest(64))
    let observationHub = EventHub<PublisherObservation>(.bufferingNewest(16))

    /// Creates a publisher; nothing is sent before ``Session/publish(_:)``.
    public init(
        settings: PublisherSettings = PublisherSettings(), delegate: (any PublisherDelegate & Sendable)? = nil
    ) {
        self.settings = settings
        state = Mutex(
            State(
                delegate: delegate, publishAudio: settings.publishAudio, publishVideo: settings.publishVideo))
        if delegate != nil { deliverEvents() }
    }

    deinit { finish() }

    /// Receives its events, on the main actor on Apple's systems, elsewhere from a task of the SDK; held weakly.
    ///
    /// ``setDelegate(_:isolation:)`` has one called on another actor.
    public var delegate: (any PublisherDelegate & Sendable)? {
        get { state.withLock { $0.delegate } }
        set {
            state.withLock { $0.delegate = newValue }
            deliverEvents()
        }
    }

    /// Sets a delegate that is called on the caller's actor, such as the main actor; held weakly.
    ///
    /// It need not be `Sendable`, and its conformance may be isolated: `extension Screen: @MainActor PublisherDelegate`. It takes the
    /// place of ``delegate``. Events come in the same order as elsewhere; the next waits until the actor has taken the last one.
    ///
    /// - Parameters:
    ///   - delegate: Who is called; `nil` for no one.
    ///   - isolation: Filled in by the compiler. From code that is on no actor, set ``delegate``.
    public func setDelegate(
        _ delegate: (any PublisherDelegate)?, isolation: isolated any Actor = #isolation
    ) {
        state.withLock { $0.delegate = nil }
        eventHub.deliver(
            to: .on(isolation, of: self) { [weak delegate] event, publisher in
                delegate?.hear(event, from: publisher)
            })
    }

    /// Receives its statistics, on the main actor on Apple's systems, elsewhere from a task of the SDK; held weakly.
    ///
    /// ``setNetworkStatsDelegate(_:isolation:)`` has one called on another actor.
    public var networkStatsDelegate: (any PublisherNetworkStatsDelegate & Sendable)? {
        get { state.withLock { $0.networkStatsDelegate } }
        set {
            state.withLock { $0.networkStatsDelegate = newValue }
            statsHub.deliver(
                to: .delegate(of: self) { event, publisher in
                    publisher.networkStatsDelegate?.hear(event, from: publisher)
                })
        }
    }

    /// Sets a delegate that is called on the caller's actor, such as the main actor; held weakly.
    ///
    /// It need not be `Sendable`, and its conformance may be isolated: `extension Screen: @MainActor PublisherNetworkStatsDelegate`. It takes the
    /// place of ``networkStatsDelegate``. Events come in the same order as elsewhere; the next waits until the actor has taken the last one.
    ///
    /// - Parameters:
    ///   - delegate: Who is called; `nil` for no one.
    ///   - isolation: Filled in by the compiler. From code that is on no actor, set ``networkStatsDelegate``.
    public func setNetworkStatsDelegate(
        _ delegate: (any PublisherNetworkStatsDelegate)?, isolation: isolated any Actor = #isolation
    ) {
        state.withLock { $0.networkStatsDelegate = nil }
        statsHub.deliver(
            to: .on(isolation, of: self) { [weak delegate] event, publisher in
                delegate?.hear(event, from: publisher)
            })
    }

    /// The published stream; `nil` until it is published.
    public var stream: MediaStream? { state.withLock { $0.stream } }

    /// Whether audio is sent.
    ///
    /// While off, silence is sent and others see the stream without audio.
    public var publishAudio: Bool {
        get { state.withLock { $0.publishAudio } }
        set { change { $0.publishAudio = newValue } }
    }

    /// Whether video is sent.
    ///
    /// While off, others see the stream without video.
    public var publishVideo: Bool {
        get { state.withLock { $0.publishVideo } }
        set { change { $0.publishVideo = newValue } }
    }

    /// Events from now on, for one listener; nothing is lost.
    ///
    /// Ends when the stream is over.
    public func events() -> AsyncStream<PublisherLifeEvent> { eventHub.events() }

    /// Its statistics from now on, for one listener, in the order in which the delegate receives them.
    ///
    /// A slow listener loses the oldest: the newest 64 are kept. Ends when the stream is over.
    public func networkStats() -> AsyncStream<PublisherNetworkStatsEvent> { statsHub.events() }

    /// Whole observations from now on, one a tick, for one listener.
    ///
    /// A slow listener loses the oldest: the newest 16 are kept. Ends when the stream is over.
    public func observations() -> AsyncStream<PublisherObservation> { observationHub.events() }

    // MARK: - For the session

    var publication: Publication? { state.withLock { $0.publication } }

    /// Takes the publisher for a session.
    ///
    /// - Returns: Whether it was free.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.wasPublished = true }
            return !state.wasPublished
        }
    }

    /// Gives it back after it could not be published.
    func release() {
        state.withLock { state in
            state.wasPublished = false
            state.publication = nil
        }
    }

    func begin(_ publication: Publication) { state.withLock { $0.publication = publication } }

    func noteStream(_ stream: MediaStream) { state.withLock { $0.stream = stream } }

    /// The stream is over.
    func end() {
        state.withLock { $0.publication = nil }
        eventHub.finish(keeping: self)
        finish()
    }

    private func finish() {
        eventHub.finish()
        statsHub.finish()
        observationHub.finish()
    }

    private func deliverEvents() {
        eventHub.deliver(
            to: .delegate(of: self) { event, publisher in
                publisher.delegate?.hear(event, from: publisher)
            })
    }

    private func change(_ body: (inout State) -> Void) {
        let publication = state.withLock { state in
            body(&state)
            return state.publication
        }
        publication?.preferencesChanged()
    }
}
