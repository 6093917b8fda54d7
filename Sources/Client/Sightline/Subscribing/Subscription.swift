// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import MediaPolicy
import SessionWire

/// A subscriber while it is subscribed: its tracks, its state, what is asked for.
final class Subscription: StreamEndpoint {
    private struct ReceivedTrack {
        let track: any RemoteTrack
        let leg: LegName
        /// Number of its leg, in the order in which they came.
        let order: Int
    }

    private struct State {
        var core: SubscriptionState
        var tracks: [ReceivedTrack] = []
        /// The newest leg that frames have come from; those of older ones are omitted from then on.
        var frameLegGeneration = 0
        var legCount = 0
        /// What the server was asked for.
        var requestedPreference: VideoPreference?
        /// The leg that the media are taken from.
        var current: LegName?
        /// Whether that leads to the publisher and not to the router.
        var isRelayed = false
        /// The newest leg whose frames were reported before it became the current one.
        var announced: LegName?
        var watch: ArrivalWatch
    }

    let subscriber: Subscriber
    let media: StreamMedia
    private let state: Mutex<State>
    /// Held while a track's handler is set, so that the last one set is the one that is wanted.
    private let wiring = Mutex(())

    /// Makes what a subscriber's settings ask for.
    ///
    /// - Throws: ``SightlineError`` if the engine cannot.
    init(_ subscriber: Subscriber, _ context: MediaContext) throws {
        self.subscriber = subscriber
        media = try StreamMedia(context, .subscriber, conditions: subscriber.settings.networkConditions)
        state = Mutex(
            State(
                core: SubscriptionState(
                    publisherHasVideo: subscriber.stream.hasVideo,
                    subscribesToVideo: subscriber.subscribeToVideo),
                watch: ArrivalWatch(limit: .seconds(context.monitor.quality.disconnectAfterSilence))))
    }

    let legPrefix = "sub"

    var peerConfiguration: PeerConnectionConfiguration { media.context.peerConfiguration(media.conditioner) }

    func prepare(_ peer: any MediaPeerConnection, leg: LegName, _ destination: RouteDestination) throws {
        try peer.addReceiver(.audio)
        try peer.addReceiver(.video)
    }

    func activate(_ sources: [MediaSource], isRelayed: Bool) {
        let tracks = state.withLock { state in
            state.current = sources.first?.leg
            state.isRelayed = isRelayed
            return state.tracks
        }
        // What was said of the old leg does not hold for the new one.
        advance { $0.fallbackChanged(to: .on) }
        listen(to: tracks)
        media.activate(sources, inputs: self) { [weak self] in self?.take($0) }
    }

    /// The server only says whether it is to be connected to the router, which concerns no media.
    func serverWants(_ routes: ServerMessage.Routes) {}

    func opened(_ reply: ServerMessage.Body) {}

    /// Whether the publisher sends to this client directly.
    var isRelayed: Bool { state.withLock { $0.isRelayed } }

    func openRequest(leg: LegName, offer: String?) -> ClientMessage.Body {
        let preference = preference
        state.withLock { $0.requestedPreference = preference }
        return .subscribe(
            .init(
                leg: leg, stream: subscriber.stream.streamId, preference: preference,
                testsNetwork: media.context.pathTest == nil ? nil : true, offer: offer))
    }

    func closeRequest(leg: LegName) -> ClientMessage.Body { .unsubscribe(.init(leg: leg)) }

    func changeRequest(leg: LegName) -> ClientMessage.Body? {
        let preference = preference
        let isNew = state.withLock { state in
            defer { state.requestedPreference = preference }
            return state.requestedPreference != preference
        }
        return isNew ? .prefer(.init(leg: leg, preference: preference)) : nil
    }

    func handle(_ event: RouteEvent, of destination: RouteDestination?) {
        switch event {
        case .interrupted: broke(.path)
        case .lost: broke(.otherEnd)
        case .connected, .restored:
            media.note(.working)
            advance { $0.cleared(.path) + $0.cleared(.otherEnd) }
        case .changeRefused(let error), .failed(let error): subscriber.eventHub.send(.didFailWithError(error))
        }
    }

    private func broke(_ obstacle: SubscriptionState.Obstacle) {
        // Whether a publisher that sends directly has crashed, no one can say from here.
        media.note(isRelayed ? .unreachable : .broken)
        advance { $0.broke(obstacle) }
    }

    func negotiated(hasVideoCodec: Bool) { advance { $0.negotiated(hasVideoCodec: hasVideoCodec) } }

    /// The app changed what it asks for.
    func preferencesChanged() {
        listen(to: state.withLock { $0.tracks })
        let toVideo = subscriber.subscribeToVideo
        advance { $0.subscriberChanged(toVideo: toVideo) }
        media.transport?.noteChange()
    }

    /// The publisher changed its stream.
    func streamChanged(_ stream: MediaStream) {
        advance {
            $0.publisherChanged(hasVideo: stream.hasVideo, byFallback: stream.isVideoOffByFallback)
        }
    }

    /// The server knows something about the leg.
    func take(_ facts: LegMetrics) {
        media.take(facts)
        guard let sender = facts.sender, facts.leg == media.leg else { return }
        advance { $0.fallbackReported(isOff: sender.reason == .fallback) }
    }

    /// The router makes video give way to audio, or no longer.
    func take(_ fallback: ServerMessage.Fallback) {
        guard fallback.leg == media.leg else { return }
        advance { $0.fallbackChanged(to: fallback.state) }
    }

    /// Not called from the tracks' decoders' threads.
    func detach(leg: LegName) {
        let gone = state.withLock { state in
            let gone = state.tracks.filter { $0.leg == leg }
            state.tracks.removeAll { $0.leg == leg }
            return gone
        }
        wiring.withLock { _ in
            for received in gone { received.track.setFrameHandler(nil) }
        }
        if gone.contains(where: { $0.track.kind == .video }) { subscriber.trackHub.send(shownTrack) }
    }

    var expectsVideo: Bool { state.withLock { $0.core.expectsVideo } }

    private var preference: VideoPreference {
        VideoPreference(
            subscribeToVideo: subscriber.subscribeToVideo,
            preferredResolution: subscriber.preferredResolution,
            preferredFrameRate: subscriber.preferredFrameRate.flatMap { $0 > 0 && $0.isFinite ? $0 : nil })
    }

    func attach(_ track: any RemoteTrack, leg: LegName) {
        let received = state.withLock { state in
            state.legCount += 1
            let received = ReceivedTrack(track: track, leg: leg, order: state.legCount)
            state.tracks.append(received)
            return received
        }
        if track.kind == .audio { return listen(to: [received]) }
        watch([received])
        subscriber.trackHub.send(shownTrack)
    }

    /// The video track of the newest leg that frames have come from; before there are any, that of the oldest.
    var shownTrack: (any RemoteTrack)? {
        state.withLock { state in
            let video = state.tracks.filter { $0.track.kind == .video }
            return (video.last { $0.order <= state.frameLegGeneration } ?? video.first)?.track
        }
    }

    /// The audio track of the current leg; before there is one, the first.
    var playedTrack: (any RemoteTrack)? {
        state.withLock { state in
            let audio = state.tracks.filter { $0.track.kind == .audio }
            return (audio.first { $0.leg == state.current } ?? audio.first)?.track
        }
    }

    /// The app wants pixels, or no longer.
    func i420HandlerChanged() {
        watch(state.withLock { state in state.tracks.filter { $0.track.kind == .video } })
    }

    /// Listens to the frames of video tracks, with their pixels only if someone wants them.
    private func watch(_ tracks: [ReceivedTrack]) {
        wiring.withLock { _ in
            let wantsPixels = subscriber.i420Handler != nil
            for received in tracks where state.withLock({ $0.tracks.contains { $0.order == received.order } })
            {
                // Run on a decoder's thread, only pass the frame on, and do not keep the track.
                let (order, leg) = (received.order, received.leg)
                guard wantsPixels else {
                    received.track.setFrameHandler { [weak self] in _ = self?.take($0, order, leg) }
                    continue
                }
                received.track.setI420Handler { [weak self] frame, pixels in
                    guard let self, take(frame, order, leg) else { return }
                    subscriber.i420Handler?(frame, pixels)
                }
            }
        }
    }

    /// Plays audio if it is subscribed to and of the current leg: never two at once.
    private func listen(to tracks: [ReceivedTrack]) {
        let isWanted = subscriber.subscribeToAudio
        let current = state.withLock { $0.current }
        for received in tracks where received.track.kind == .audio {
            received.track.setEnabled(isWanted && (current == nil || received.leg == current))
        }
    }

    /// Passes a frame on, and says whether it is of the newest leg.
    private func take(_ frame: ReceivedFrame, _ order: Int, _ leg: LegName) -> Bool {
        let (isNew, isFirst, isOther) = state.withLock { state in
            guard order >= state.frameLegGeneration else { return (false, false, false) }
            let isOther = order > state.frameLegGeneration
            state.frameLegGeneration = order
            guard state.current != leg, state.announced != leg else { return (true, false, isOther) }
            state.announced = leg
            return (true, true, isOther)
        }
        guard isNew else { return false }
        if isFirst { media.transport?.frameArrived(leg) }
        if isOther { subscriber.trackHub.send(shownTrack) }
        advance { $0.videoArrived() }
        subscriber.frameHub.send(frame)
        return true
    }

    /// Advances the state, and delivers its events in order.
    private func advance(_ body: (inout SubscriptionState) -> [SubscriberLifeEvent]) {
        // Sending only buffers; under the lock, so that two threads cannot swap their events.
        state.withLock { state in
            for event in body(&state.core) { subscriber.eventHub.send(event) }
        }
    }

    /// Looks whether what should arrive does.
    private func noteArrivals(_ observation: SubscriberObservation) {
        let stream = subscriber.stream
        let counts = [observation.audio?.packets, observation.video?.packets]
        let packets = counts.compactMap(\.self)
        // A shared screen may be static; muted audio is still sent.
        let isExpected = stream.hasAudio || expectsVideo && stream.videoType == .camera
        let isSilent = state.withLock { state in
            state.watch.handle(
                packets: packets.isEmpty ? nil : packets.reduce(0, &+), isExpected: isExpected,
                at: media.context.clock.now())
        }
        advance { isSilent ? $0.broke(.silence) : $0.cleared(.silence) }
    }

    /// Passes a tick's figures on.
    private func take(_ event: CallMonitorEvent) {
        // A stream has one track of each kind.
        guard case .observed(.subscriber(let observation)) = event, observation.track == nil else {
            if case .unavailable = event { media.note(event, streamId: streamId) }
            return
        }
        media.note(event, streamId: streamId)
        if observation.audio?.packets ?? 0 > 0 { advance { $0.audioArrived() } }
        noteArrivals(observation)
        subscriber.observationHub.send(observation)
        for event in observation.statsEvents { subscriber.statsHub.send(event) }
        media.report(StreamSample(observation))
    }
}
