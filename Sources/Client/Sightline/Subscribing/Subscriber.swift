// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// Receives a stream: made by the app, handed to ``Session/subscribe(_:)``.
///
/// Each subscriber subscribes once; the session keeps it until it is unsubscribed or the stream is over. Safe
/// to use from anywhere.
public final class Subscriber: Sendable {
    private struct State {
        weak var delegate: (any SubscriberDelegate & Sendable)?
        weak var networkStatsDelegate: (any SubscriberNetworkStatsDelegate & Sendable)?
        var stream: MediaStream
        var subscribeToAudio: Bool
        var subscribeToVideo: Bool
        var preferredResolution: VideoSize?
        var preferredFrameRate: Double?
        var frameHandler: (@Sendable (ReceivedFrame) -> Void)?
        var i420Handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)?
        var wasSubscribed = false
        var subscription: Subscription?
    }

    /// Its settings.
    public let settings: SubscriberSettings

    private let state: Mutex<State>
    let eventHub = EventHub<SubscriberLifeEvent>(.unbounded)
    let statsHub = EventHub<SubscriberNetworkStatsEvent>(.bufferingNewest(64))
    let observationHub = EventHub<SubscriberObservation>(.bufferingNewest(16))
    let frameHub = EventHub<ReceivedFrame>(.bufferingNewest(30))
    let trackHub = EventHub<(any RemoteTrack)?>(.bufferingNewest(1))

    /// Creates a subscriber; nothing is received before ``Session/subscribe(_:)``.
    public init(
        stream: MediaStream, settings: SubscriberSettings = SubscriberSettings(),
        delegate: (any SubscriberDelegate & Sendable)? = nil
    ) {
        self.settings = settings
        state = Mutex(
            State(
                delegate: delegate, stream: stream, subscribeToAudio: settings.subscribeToAudio,
                subscribeToVideo: settings.subscribeToVideo,
                preferredResolution: settings.preferredResolution,
                preferredFrameRate: settings.preferredFrameRate))
        if delegate != nil { deliverEvents() }
    }

    deinit { finish() }

    /// Receives its events, on the main actor on Apple's systems, elsewhere from a task of the SDK; held weakly.
    ///
    /// ``setDelegate(_:isolation:)`` has one called on another actor.
    public var delegate: (any SubscriberDelegate & Sendable)? {
        get { state.withLock { $0.delegate } }
        set {
            state.withLock { $0.delegate = newValue }
            deliverEvents()
        }
    }

    /// Sets a delegate that is called on the caller's actor, such as the main actor; held weakly.
    ///
    /// It need not be `Sendable`, and its conformance may be isolated: `extension Screen: @MainActor SubscriberDelegate`. It takes the
    /// place of ``delegate``. Events come in the same order as elsewhere; the next waits until the actor has taken the last one.
    ///
    /// - Parameters:
    ///   - delegate: Who is called; `nil` for no one.
    ///   - isolation: Filled in by the compiler. From code that is on no actor, set ``delegate``.
    public func setDelegate(
        _ delegate: (any SubscriberDelegate)?, isolation: isolated any Actor = #isolation
    ) {
        state.withLock { $0.delegate = nil }
        eventHub.deliver(
            to: .on(isolation, of: self) { [weak delegate] event, subscriber in
                delegate?.hear(event, from: subscriber)
            })
    }

    /// Receives its statistics, on the main actor on Apple's systems, elsewhere from a task of the SDK; held weakly.
    ///
    /// ``setNetworkStatsDelegate(_:isolation:)`` has one called on another actor.
    public var networkStatsDelegate: (any SubscriberNetworkStatsDelegate & Sendable)? {
        get { state.withLock { $0.networkStatsDelegate } }
        set {
            state.withLock { $0.networkStatsDelegate = newValue }
            statsHub.deliver(
                to: .delegate(of: self) { event, subscriber in
                    subscriber.networkStatsDelegate?.hear(event, from: subscriber)
                })
        }
    }

    /// Sets a delegate that is called on the caller's actor, such as the main actor; held weakly.
    ///
    /// It need not be `Sendable`, and its conformance may be isolated: `extension Screen: @MainActor SubscriberNetworkStatsDelegate`. It takes the
    /// place of ``networkStatsDelegate``. Events come in the same order as elsewhere; the next waits until the actor has taken the last one.
    ///
    /// - Parameters:
    ///   - delegate: Who is called; `nil` for no one.
    ///   - isolation: Filled in by the compiler. From code that is on no actor, set ``networkStatsDelegate``.
    public func setNetworkStatsDelegate(
        _ delegate: (any SubscriberNetworkStatsDelegate)?, isolation: isolated any Actor = #isolation
    ) {
        state.withLock { $0.networkStatsDelegate = nil }
        statsHub.deliver(
            to: .on(isolation, of: self) { [weak delegate] event, subscriber in
                delegate?.hear(event, from: subscriber)
            })
    }

    /// The stream as it is now.
    public var stream: MediaStream { state.withLock { $0.stream } }

    /// Whether audio is wanted.
    public var subscribeToAudio: Bool {
        get { state.withLock { $0.subscribeToAudio } }
        set { change { $0.subscribeToAudio = newValue } }
    }

    /// Whether video is wanted.
    ///
    /// While off, the router sends none.
    public var subscribeToVideo: Bool {
        get { state.withLock { $0.subscribeToVideo } }
        set { change { $0.subscribeToVideo = newValue } }
    }

    /// Preferred resolution, the largest to receive, in pixels; `nil` for no bound.
    ///
    /// An upper limit: the router sends the largest layer within it, the smallest one if none is, and less
    /// where the network carries less. Works on streams with several layers in routed sessions, within a
    /// second; has no effect on others.
    public var preferredResolution: VideoSize? {
        get { state.withLock { $0.preferredResolution } }
        set { change { $0.preferredResolution = newValue } }
    }

    /// Preferred frame rate, the highest to receive, above 0; `nil` for no bound.
    ///
    /// An upper limit: the router omits temporal layers, which halve the rate each, until the rate is within
    /// it or nothing more can be omitted. Works in routed sessions on VP8 streams whose sender uses temporal
    /// layers (libwebrtc does with simulcast, browsers with a `scalabilityMode`), within a second; has no
    /// effect on others, whose frames all depend on each other. A value that is no rate counts as `nil`.
    public var preferredFrameRate: Double? {
        get { state.withLock { $0.preferredFrameRate } }
        set { change { $0.preferredFrameRate = newValue } }
    }

    /// Events from now on, for one listener; nothing is lost.
    ///
    /// Ends when the subscription is over.
    public func events() -> AsyncStream<SubscriberLifeEvent> { eventHub.events() }

    /// Its statistics from now on, for one listener, in the order in which the delegate receives them.
    ///
    /// A slow listener loses the oldest: the newest 64 are kept. Ends when the subscription is over.
    public func networkStats() -> AsyncStream<SubscriberNetworkStatsEvent> { statsHub.events() }

    /// Whole observations from now on, one a tick, for one listener.
    ///
    /// A slow listener loses the oldest: the newest 16 are kept. Ends when the subscription is over.
    public func observations() -> AsyncStream<SubscriberObservation> { observationHub.events() }

    /// Decoded frames from now on, for one listener: their size, and the test card's frame number.
    ///
    /// A slow listener loses the oldest: the newest 30 are kept. Ends when the subscription is over.
    public func frames() -> AsyncStream<ReceivedFrame> { frameHub.events() }

    /// Delivers decoded frames to `handler`, one after the other, from a task of the SDK; `nil` ends it.
    ///
    /// A handler that lags loses the oldest: the newest 30 are kept.
    public func setFrameHandler(_ handler: (@Sendable (ReceivedFrame) -> Void)?) {
        state.withLock { $0.frameHandler = handler }
        guard handler != nil else { return }
        frameHub.deliver(
            to: .anywhere(of: self) { frame, subscriber in
                subscriber.state.withLock { $0.frameHandler }?(frame)
            })
    }

    /// Delivers decoded frames with their pixels to `handler`; `nil` ends it.
    ///
    /// `handler` runs on a decoder's thread, which waits for it: it only passes the frame on, and sets no handler.
    /// Copying the pixels takes time; where the engine has views of its own, show ``videoTrack`` in one instead.
    public func setI420Handler(_ handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)?) {
        let subscription = state.withLock { state in
            state.i420Handler = handler
            return state.subscription
        }
        subscription?.i420HandlerChanged()
    }

    /// The track whose frames are shown, of the session's media engine; `nil` while there is none.
    ///
    /// Another one takes its place when the media take another route; ``videoTracks()`` follows that.
    public var videoTrack: (any RemoteTrack)? { subscription?.shownTrack }

    /// ``videoTrack`` whenever it changes from now on, for one listener.
    ///
    /// A slow listener gets the newest alone. Ends when the subscription is over.
    public func videoTracks() -> AsyncStream<(any RemoteTrack)?> { trackHub.events() }

    /// The track whose audio is played; `nil` while there is none.
    package var audioTrack: (any RemoteTrack)? { subscription?.playedTrack }

    // MARK: - For the session

    var i420Handler: (@Sendable (ReceivedFrame, I420Frame) -> Void)? { state.withLock { $0.i420Handler } }

    var subscription: Subscription? { state.withLock { $0.subscription } }

    /// Takes the subscriber for a session.
    ///
    /// - Returns: Whether it was free.
    func claim() -> Bool {
        state.withLock { state in
            defer { state.wasSubscribed = true }
            return !state.wasSubscribed
        }
    }

    /// Gives it back after it could not be subscribed.
    func release() {
        state.withLock { state in
            state.wasSubscribed = false
            state.subscription = nil
        }
    }

    func begin(_ subscription: Subscription) { state.withLock { $0.subscription = subscription } }

    func noteStream(_ stream: MediaStream) { state.withLock { $0.stream = stream } }

    /// The subscription is over.
    func end() {
        state.withLock { $0.subscription = nil }
        eventHub.finish(keeping: self)
        finish()
    }

    private func finish() {
        eventHub.finish()
        statsHub.finish()
        observationHub.finish()
        frameHub.finish()
        trackHub.finish()
    }

    private func deliverEvents() {
        eventHub.deliver(
            to: .delegate(of: self) { event, subscriber in
                subscriber.delegate?.hear(event, from: subscriber)
            })
    }

    private func change(_ body: (inout State) -> Void) {
        let subscription = state.withLock { state in
            body(&state)
            return state.subscription
        }
        subscription?.preferencesChanged()
    }
}
