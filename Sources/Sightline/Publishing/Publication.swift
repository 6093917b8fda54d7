// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallTelemetry
import MediaEngine
import SessionProtocol
import Synchronization

/// A publisher while it is published: its sources, its senders, what is told about it.
final class Publication: LinkOwner {
    private struct Senders {
        let end: RouteEnd
        var audio: (any MediaSender)?
        var video: (any MediaSender)?
    }

    private struct State {
        /// By the leg they belong to: a new one gets its own before the old one goes.
        var senders: [String: Senders] = [:]
        /// Whether nothing is sent yet.
        var isHeldBack = false
        /// What the server was told of the stream.
        var told: StreamContent?
        var routes = RouteTable()
    }

    let publisher: Publisher
    let media: MediaBox
    let videoSource: (any VideoSource)?
    let audioSource: (any AudioSource)?
    let encodings: [Encoding]
    private let state = Mutex(State())

    /// Makes the sources that the publisher's settings ask for.
    ///
    /// - Throws: ``SightlineError`` if they contradict themselves or the engine cannot make them.
    init(_ publisher: Publisher, _ context: MediaContext) throws {
        let settings = publisher.settings
        guard settings.audio != nil || settings.video != nil else {
            throw SightlineError(.invalidArgument, "a stream has audio or video: give the settings a source")
        }
        self.publisher = publisher
        media = try MediaBox(
            context, .publisher, conditions: settings.networkConditions, networkTest: settings.networkTest)
        videoSource = try settings.makeVideoSource(context.engine)
        audioSource = try settings.makeAudioSource(context.engine)
        state.withLock { $0.isHeldBack = settings.networkTest?.holdsMediaBack == true }
        encodings =
            try videoSource.map { try settings.simulcast.encodings(for: VideoSize($0.dimensions)) } ?? []
    }

    let legPrefix = "pub"

    var peerConfiguration: PeerConnectionConfiguration {
        var configuration = media.context.peerConfiguration(media.conditioner)
        configuration.usesDiscontinuousTransmission = publisher.settings.usesDiscontinuousTransmission
        configuration.allowsSaturation = publisher.settings.networkTest != nil
        configuration.usesConstantAudioBitrate = publisher.settings.networkTest != nil
        return configuration
    }

    /// What connects the stream, as its session wants it.
    func makeStreamLink() -> any StreamLink {
        media.context.mayBeRelayed ? PublicationRoutes(self) : media.makeLink(self)
    }

    func prepare(_ peer: any MediaPeerConnection, leg: String) throws {
        try prepare(peer, leg: leg, .router)
    }

    /// Adds what is sent to a new peer connection.
    func prepare(_ peer: any MediaPeerConnection, leg: String, _ end: RouteEnd) throws {
        let settings = publisher.settings
        let encodings = encodings(for: end)
        try peer.setBitrate(
            minimum: nil, start: settings.startBitrate ?? suitableStart(for: encodings),
            maximum: settings.maximumBitrate)
        var senders = Senders(end: end)
        let isHeldBack = state.withLock { $0.isHeldBack }
        if let audioSource {
            let encodings = settings.networkTest.map { [Encoding(maxBitrate: $0.audioBitrate)] } ?? []
            senders.audio = try peer.addAudio(
                isHeldBack ? nil : audioSource, SendParameters(codec: "opus", encodings: encodings))
        }
        if let videoSource {
            let parameters = SendParameters(
                codec: settings.videoCodec.rawValue, encodings: encodings, degradation: settings.degradation)
            senders.video = try peer.addVideo(sendsVideo(to: end) ? videoSource : nil, parameters)
        }
        state.withLock { $0.senders[leg] = senders }
        try apply(senders)
    }

    func activate(_ peer: any MediaPeerConnection, leg: String) { activate(peer, leg: leg, .router) }

    /// A peer connection carries the media to an end from now on.
    func activate(_ peer: any MediaPeerConnection, leg: String, _ end: RouteEnd) {
        let source = MediaSource(peer: peer, leg: leg, connection: end.connection)
        showRoutes { $0.activate(source, end) }
    }

    /// What the subscriber at an end wants.
    func note(_ end: RouteEnd, subscribesToVideo: Bool) {
        let hasChanged = state.withLock { $0.routes.note(end, subscribesToVideo: subscribesToVideo) }
        if hasChanged { applyWishes() }
    }

    /// Ends are no longer to be connected to.
    func forget(_ isOver: (RouteEnd) -> Bool) { showRoutes { $0.forget(isOver) } }

    /// Changes which peer connections there are, and takes the figures from those that count then.
    private func showRoutes(_ change: (inout RouteTable) -> Void) {
        let (before, after) = state.withLock { state in
            let before = state.routes.shown.map(\.leg)
            change(&state.routes)
            return (before, state.routes.shown)
        }
        guard before != after.map(\.leg) else { return }
        media.activate(after, role: .publisher, inputs: self) { [weak self] in self?.take($0) }
    }

    /// Whether an end gets pictures.
    func sendsVideo(to end: RouteEnd) -> Bool {
        publisher.publishVideo && state.withLock { !$0.isHeldBack && $0.routes.subscribesToVideo(end) }
    }

    func openRequest(leg: String, offer: String) -> ClientMessage.Body {
        openRequest(leg: leg, offer: .some(offer))
    }

    /// Without an offer in a session that may be relayed.
    func openRequest(leg: String, offer: String?) -> ClientMessage.Body {
        let content = content
        state.withLock { $0.told = content }
        return .publish(
            .init(
                leg: leg, content: content, senderStatsTrack: publisher.settings.senderStatsTrack,
                audioFallbackEnabled: publisher.settings.audioFallbackEnabled,
                testsNetwork: publisher.settings.networkTest == nil ? nil : true, offer: offer))
    }

    func closeRequest(leg: String) -> ClientMessage.Body? { .unpublish(.init(leg: leg)) }

    func changeRequest(leg: String) -> ClientMessage.Body? {
        let content = content
        let isNew = state.withLock { state in
            defer { state.told = content }
            return state.told != content
        }
        return isNew ? .update(.init(leg: leg, content: content)) : nil
    }

    func handle(_ event: LinkEvent) {
        media.note(event)
        switch event {
        case .lost(let message): publisher.eventHub.send(.mediaLost(message))
        case .restored: publisher.eventHub.send(.mediaRestored)
        case .changeRefused(let error), .failed(let error): publisher.eventHub.send(.didFailWithError(error))
        case .dropped(let leg):
            state.withLock { _ = $0.senders.removeValue(forKey: leg) }
            showRoutes { $0.drop(leg) }
        case .track, .connected, .interrupted: break
        }
    }

    /// Audio or video was switched on or off.
    func wishesChanged() {
        applyWishes()
        media.link?.noteChange()
    }

    /// Sends what a network test has held back.
    func releaseMedia() throws {
        let senders = state.withLock { state in
            state.isHeldBack = false
            return Array(state.senders.values)
        }
        for sender in senders {
            try sender.audio?.replace(with: audioSource)
            try apply(sender)
        }
    }

    private func applyWishes() {
        for senders in state.withLock({ Array($0.senders.values) }) {
            do { try apply(senders) } catch {
                publisher.eventHub.send(.didFailWithError(SightlineError(cause: error)))
            }
        }
    }

    /// What the server is told of the stream.
    private var content: StreamContent {
        let settings = publisher.settings
        let hasVideo = videoSource != nil && publisher.publishVideo
        return StreamContent(
            name: settings.name, hasAudio: audioSource != nil && publisher.publishAudio, hasVideo: hasVideo,
            videoType: WireVideoType(rawValue: settings.videoType.name),
            videoDimensions: hasVideo
                ? videoSource.map { Dimensions(width: $0.dimensions.width, height: $0.dimensions.height) }
                : nil)
    }

    /// What the layers need together, and some for audio.
    private func suitableStart(for encodings: [Encoding]) -> Int {
        let wanted = encodings.compactMap(\.maxBitrate).reduce(64_000, +)
        return min(wanted, publisher.settings.maximumBitrate ?? wanted)
    }

    private func apply(_ senders: Senders) throws {
        senders.audio?.setEnabled(publisher.publishAudio)
        try senders.video?.replace(with: sendsVideo(to: senders.end) ? videoSource : nil)
    }

    /// Passes a tick's figures on.
    private func take(_ observation: CallObservation) {
        media.note(observation, streamId: streamId)
        guard case .publisher(let observation) = observation else { return }
        publisher.observationHub.send(observation)
        publisher.statsHub.send(.videoNetworkStatsUpdated(observation.video))
        publisher.statsHub.send(.audioNetworkStatsUpdated(observation.audio))
        publisher.statsHub.send(.mediaLinkStatsUpdated(observation.mediaLink))
        for event in observation.statsEvents { publisher.statsHub.send(event) }
        for link in observation.mediaLink { report(observation, link) }
    }

    /// Tells the server what was measured on the way to one end.
    private func report(_ observation: PublisherObservation, _ link: PublisherMediaLinkStats) {
        guard let connectionId = link.connectionId, let subscriberId = link.subscriberId else {
            return media.report(TelemetrySample(observation))
        }
        let connection = SubscriberConnection(connectionId: connectionId, subscriberId: subscriberId)
        var sample = TelemetrySample(observation.only(connection))
        sample.video?.maximumBitrate =
            sendsVideo(to: .subscriber(connection))
            ? encodings(for: .subscriber(connection)).first?.maxBitrate.map(Double.init) : nil
        media.report(sample, connection)
    }
}
