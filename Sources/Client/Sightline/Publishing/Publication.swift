// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import MediaPolicy
import SessionWire

/// A publisher while it is published: its sources, its senders, what is reported about it.
final class Publication: StreamEndpoint {
    private struct Senders {
        let destination: RouteDestination
        var audio: (any MediaSender)?
        var video: (any MediaSender)?
    }

    private struct State {
        /// By the leg they belong to: a new one gets its own before the old one goes.
        var senders: [LegName: Senders] = [:]
        /// Whether nothing is sent yet.
        var isMediaHeld = false
        /// What the server last received about the stream.
        var lastSent: StreamContent?
        /// Subscribers that do not want video.
        var withoutVideo: Set<RouteDestination> = []
        var video: PublisherVideoState
        var isProbing = false
        var probeDue: Duration?
        /// Brings the stream back on a server that was started over.
        var restore: String?
        var paths = PathHealth()
    }

    let publisher: Publisher
    let media: StreamMedia
    let videoSource: (any VideoSource)?
    let audioSource: (any AudioSource)?
    let encodings: [Encoding]
    private let state: Mutex<State>

    /// Makes the sources that the publisher's settings ask for.
    ///
    /// - Throws: ``SightlineError`` if they contradict themselves or the engine cannot make them.
    init(_ publisher: Publisher, _ context: MediaContext) throws {
        let settings = publisher.settings
        guard settings.audio != nil || settings.video != nil else {
            throw SightlineError(.invalidArgument, "a stream has audio or video: give the settings a source")
        }
        self.publisher = publisher
        media = try StreamMedia(context, .publisher, conditions: settings.networkConditions)
        videoSource = try settings.makeVideoSource(context.engine)
        audioSource = try settings.makeAudioSource(context.engine)
        encodings =
            try videoSource.map { try settings.simulcast.encodings(for: $0.dimensions) } ?? []
        let quality = context.monitor.quality
        let hasFallback = settings.publisherAudioFallbackEnabled && videoSource != nil && audioSource != nil
        state = Mutex(
            State(
                isMediaHeld: context.pathTest != nil,
                video: PublisherVideoState(
                    publishesVideo: publisher.publishVideo,
                    audioFallback: hasFallback ? quality.audioFallback : nil,
                    smallestLayer: encodings.compactMap(\.maxBitrate).min().map(Double.init))))
    }

    let legPrefix = "pub"

    var peerConfiguration: PeerConnectionConfiguration {
        var configuration = media.context.peerConfiguration(media.conditioner)
        configuration.usesDiscontinuousTransmission = publisher.settings.usesDiscontinuousTransmission
        configuration.allowsSaturation = media.context.pathTest != nil
        configuration.usesConstantAudioBitrate = media.context.pathTest != nil
        return configuration
    }

    func prepare(_ peer: any MediaPeerConnection, leg: LegName, _ destination: RouteDestination) throws {
        let settings = publisher.settings
        let encodings = encodings(for: destination)
        try peer.setBitrate(
            minimum: nil, start: settings.startBitrate ?? suitableStart(for: encodings),
            maximum: settings.maximumBitrate)
        var senders = Senders(destination: destination)
        let isMediaHeld = state.withLock { $0.isMediaHeld }
        if let audioSource {
            let encodings = media.context.pathTest.map { [Encoding(maxBitrate: $0.audioBitrate)] } ?? []
            senders.audio = try peer.addAudio(
                isMediaHeld ? nil : audioSource, SendParameters(codec: "opus", encodings: encodings))
        }
        if let videoSource {
            let parameters = SendParameters(
                codec: settings.videoCodec.rawValue, encodings: encodings, degradation: settings.degradation)
            senders.video = try peer.addVideo(
                sendsVideo(to: destination) ? videoSource : nil, parameters)
        }
        state.withLock { $0.senders[leg] = senders }
        try apply(senders)
    }

    func activate(_ sources: [MediaSource], isRelayed: Bool) {
        media.activate(sources, inputs: self) { [weak self] in self?.take($0) }
    }

    func serverWants(_ routes: ServerMessage.Routes) {
        let wanted = routes.wanted
        follow { $0.want(Set(wanted.keys)) }
        let hasChanged = state.withLock { state in
            let before = state.withoutVideo
            state.withoutVideo = Set(wanted.filter { !$0.value.subscribesToVideo }.keys)
            return wanted.contains { before.contains($0.key) == $0.value.subscribesToVideo }
        }
        if hasChanged { applyPreferences() }
    }

    /// Whether video goes to a destination.
    func sendsVideo(to destination: RouteDestination) -> Bool {
        publisher.publishVideo
            && state.withLock {
                !$0.isMediaHeld && !$0.withoutVideo.contains(destination) && !$0.video.isOffByFallback
            }
    }

    /// Others send nothing on a publisher's connections.
    let expectsVideo = false

    func attach(_ track: any RemoteTrack, leg: LegName) {}

    func negotiated(hasVideoCodec: Bool) {}

    func detach(leg: LegName) { state.withLock { _ = $0.senders.removeValue(forKey: leg) } }

    /// Fallback has switched the video off.
    var isOffByFallback: Bool { state.withLock { $0.video.isOffByFallback } }

    func openRequest(leg: LegName, offer: String?) -> ClientMessage.Body {
        let content = content
        let restore = state.withLock { state in
            state.lastSent = content
            return state.restore
        }
        return .publish(
            .init(
                leg: leg, content: content, senderStatsTrack: publisher.settings.senderStatsTrack,
                audioFallbackEnabled: publisher.settings.audioFallbackEnabled,
                maximumBitrate: publisher.settings.maximumBitrate, restore: restore,
                testsNetwork: media.context.pathTest == nil ? nil : true, offer: offer))
    }

    func opened(_ reply: ServerMessage.Body) {
        guard case .published(let published) = reply else { return }
        state.withLock { $0.restore = published.restore }
        publisher.noteStream(MediaStream(published.stream))
    }

    func closeRequest(leg: LegName) -> ClientMessage.Body { .unpublish(.init(leg: leg)) }

    func changeRequest(leg: LegName) -> ClientMessage.Body? {
        let content = content
        let isNew = state.withLock { state in
            defer { state.lastSent = content }
            return state.lastSent != content
        }
        return isNew ? .update(.init(leg: leg, content: content)) : nil
    }

    func handle(_ event: RouteEvent, of destination: RouteDestination?) {
        switch event {
        case .lost(let message): follow { $0.broke(destination, message) }
        case .interrupted: follow { $0.broke(destination, RouteConnection.noPath) }
        case .restored, .connected: follow { $0.restored(destination) }
        case .changeRefused(let error), .failed(let error): publisher.eventHub.send(.didFailWithError(error))
        }
    }

    /// Notifies the publisher, once, that no one can be reached any more, or that someone can.
    private func follow(_ change: (inout PathHealth) -> Void) {
        // Sending only buffers; under the lock, so that two threads cannot swap their events.
        state.withLock { state in
            let before = state.paths.loss
            change(&state.paths)
            media.note(state.paths.state)
            guard (before == nil) != (state.paths.loss == nil) else { return }
            publisher.eventHub.send(state.paths.loss.map { .mediaLost($0) } ?? .mediaRestored)
        }
    }

    /// Audio or video was switched on or off.
    func preferencesChanged() {
        let publishesVideo = publisher.publishVideo
        if videoSource != nil { advance { $0.changed(publishesVideo: publishesVideo) } }
        applyPreferences()
        media.transport?.noteChange()
    }

    /// Holds media during a network test, or releases it.
    func holdMedia(_ isMediaHeld: Bool) throws {
        let senders = state.withLock { state in
            state.isMediaHeld = isMediaHeld
            return Array(state.senders.values)
        }
        for sender in senders {
            try sender.audio?.replace(with: isMediaHeld ? nil : audioSource)
            try apply(sender)
        }
    }

    private func applyPreferences() {
        for senders in state.withLock({ Array($0.senders.values) }) {
            do { try apply(senders) } catch {
                publisher.eventHub.send(.didFailWithError(SightlineError(cause: error)))
            }
        }
    }

    /// What the server is sent about the stream.
    private var content: StreamContent {
        let settings = publisher.settings
        let isOffByFallback = isOffByFallback
        let hasVideo = videoSource != nil && publisher.publishVideo && !isOffByFallback
        return StreamContent(
            name: settings.name, hasAudio: audioSource != nil && publisher.publishAudio, hasVideo: hasVideo,
            videoType: settings.videoType,
            videoDimensions: hasVideo ? videoSource?.dimensions : nil,
            isVideoOffByFallback: isOffByFallback ? true : nil,
            hasAudioPauses: settings.usesDiscontinuousTransmission ? true : nil)
    }

    /// What the layers need together, and some for audio.
    private func suitableStart(for encodings: [Encoding]) -> Int {
        let wanted = encodings.compactMap(\.maxBitrate).reduce(64_000, +)
        return min(wanted, publisher.settings.maximumBitrate ?? wanted)
    }

    private func apply(_ senders: Senders) throws {
        senders.audio?.setEnabled(publisher.publishAudio)
        try senders.video?.replace(with: sendsVideo(to: senders.destination) ? videoSource : nil)
    }

    /// Passes a tick's figures on.
    private func take(_ event: CallMonitorEvent) {
        // A stream has one track of each kind.
        guard case .observed(.publisher(let observation)) = event, observation.track == nil else {
            if case .unavailable = event { media.note(event, streamId: streamId) }
            return
        }
        media.note(event, streamId: streamId)
        followUplink(observation)
        publisher.observationHub.send(observation)
        for event in observation.statsEvents { publisher.statsHub.send(event) }
        for leg in observation.legs { report(observation, leg) }
    }

    /// Sends the server the measurements of the path to one end.
    private func report(_ observation: PublisherObservation, _ leg: PublishedLeg) {
        guard let connectionId = leg.connectionId, let subscriberId = leg.subscriberId else {
            return media.report(StreamSample(observation))
        }
        let connection = SubscriberConnection(connectionId: connectionId, subscriberId: subscriberId)
        var sample = StreamSample(observation.filtered(to: connection))
        sample.video?.maximumBitrate =
            sendsVideo(to: .subscriber(connection))
            ? encodings(for: .subscriber(connection)).first?.maxBitrate.map(Double.init) : nil
        media.report(sample, connection)
    }

    /// Advances the video's state, and delivers its events in order.
    private func advance(_ body: (inout PublisherVideoState) -> [PublisherLifeEvent]) {
        // Sending only buffers; under the lock, so that two threads cannot swap their events.
        state.withLock { state in
            for event in body(&state.video) { publisher.eventHub.send(event) }
        }
    }

    /// Switches video off or on with what the uplink carries, and probes while it is off.
    private func followUplink(_ observation: PublisherObservation) {
        // The same uplink leads to all ends: if the best of them is short, it is.
        let estimate = observation.legs.compactMap(\.transport.connectionEstimatedBandwidth).max()
        let now = media.context.clock.now()
        let wasOff = isOffByFallback
        advance { $0.measured(estimate: estimate, at: now) }
        if isOffByFallback != wasOff { applyPreferences() }
        probeUplink(estimate, at: now)
        // Sizes of sources may have changed, too.
        media.transport?.noteChange()
    }

    /// Raises the bound of the bitrate to a little more than is needed, which makes the engine probe for it.
    private func probeUplink(_ estimate: Double?, at now: Duration) {
        let (rate, wasProbing) = state.withLock { state in
            let rate = state.video.probe
            defer { state.isProbing = rate != nil }
            guard let rate, now >= state.probeDue ?? .zero else {
                return (rate.map { _ in 0.0 }, state.isProbing)
            }
            state.probeDue = now + .seconds(2)
            return ((estimate ?? 0) < rate / 1.2 ? rate : 0, state.isProbing)
        }
        guard rate != 0, rate != nil || wasProbing else { return }
        for peer in media.peers {
            let bound = publisher.settings.maximumBitrate
            guard let rate else {
                try? peer.setBitrate(minimum: nil, start: nil, maximum: bound)
                continue
            }
            // Also a probe is no more than the app allows.
            let most = min(Int(rate), bound ?? .max)
            try? peer.setBitrate(minimum: nil, start: nil, maximum: max(1, most - 1))
            try? peer.setBitrate(minimum: nil, start: nil, maximum: most)
        }
    }
}
