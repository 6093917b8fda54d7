// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AppleWebRTC
import CallQuality
import Observation
import Sightline

/// One call: what the SDK's models do not have of it, which is who is received and what is raised.
@MainActor @Observable
final class OngoingCall {
    /// Phase, streams and levels of the session.
    let quality: SessionModel
    let log = EventLog()
    /// What is published; `nil` until camera and microphone are asked for.
    private(set) var own: OwnStream?
    private(set) var participants: [Participant] = []
    /// The warnings that are raised now.
    private(set) var warnings: [CallQualityEvent] = []
    @ObservationIgnored private let session: Session
    @ObservationIgnored private let engine: AppleWebRTCEngine

    init(url: String, token: String, engine: AppleWebRTCEngine, signaling: any SignalingTransport) {
        session = Session(
            url: url, token: token, engine: engine, signaling: signaling, configuration: Self.configuration)
        self.engine = engine
        quality = SessionModel(session)
        // Before connecting, to miss nothing; they end with the session.
        let events = session.events()
        Task { [weak self] in
            for await event in events { await self?.take(event) }
        }
    }

    private static var configuration: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.networkQualityConfiguration = .init(local: .minimal, remote: .minimal)
        configuration.quality.warnings = .extended
        configuration.clientName = "Sightline CallApp"
        return configuration
    }

    /// Enters the session.
    ///
    /// - Throws: `SightlineError`, whose message is for people.
    func connect() async throws { try await session.connect() }

    /// Publishes camera and microphone, or the microphone alone; what fails is `own`'s problem.
    func publish(video: Bool) async {
        let own = await OwnStream.make(engine, video: video)
        // The person may have left while the system asked for the camera.
        guard session.state != .disconnected else { return await own.stop() }
        self.own = own
        log.follow(own.publisher)
        await own.publish(in: session)
    }

    /// Leaves the session; returns when nothing of it runs any more.
    func leave() async {
        await session.disconnect()
        await own?.stop()
    }

    private func take(_ event: SessionEvent) async {
        switch event {
        case .streamCreated(let stream) where stream.connection != session.connection: receive(stream)
        case .streamDestroyed(let stream): participants.removeAll { $0.id == stream.streamId }
        case .callDidEmitCallQualityEvent(let event): take(event)
        case .sessionDidDisconnect:
            (participants, warnings) = ([], [])
            await own?.stop()
        default: break
        }
    }

    private func receive(_ stream: MediaStream) {
        let participant = Participant(stream)
        participants.append(participant)
        log.follow(participant.subscriber, of: participant.name)
        Task { [session] in await participant.subscribe(in: session) }
    }

    private func take(_ event: CallQualityEvent) {
        warnings = session.raisedWarnings
        log.add(words(for: event))
    }
}

extension OngoingCall {
    /// The own network quality level.
    var level: NetworkQualityLevel { level(of: session.connection?.connectionId) }

    /// A participant's network quality level.
    func level(of connectionId: String?) -> NetworkQualityLevel {
        connectionId.flatMap { quality.levels[$0] } ?? .unknown
    }

    /// What a warning says, and whose stream it is about.
    func words(for event: CallQualityEvent) -> String {
        let name = participants.first { $0.id == event.streamId }?.name ?? "You"
        return "\(name): \(event.warning.words)"
    }
}
