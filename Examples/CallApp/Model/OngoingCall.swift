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
    /// Why the call may not be heard; `nil` while it is.
    private(set) var audioProblem: String?
    /// Names by stream: warnings of a stream are cleared after it has ended.
    @ObservationIgnored private var departed: [(id: String, name: String)] = []
    /// Most of them that are kept.
    private static let departedCapacity = 20
    @ObservationIgnored private let audio: CallAudioSwitch
    @ObservationIgnored private let session: Session
    @ObservationIgnored private let engine: AppleWebRTCEngine

    init(url: String, token: String, engine: AppleWebRTCEngine, signaling: any SignalingTransport) {
        session = Session(
            url: url, token: token, engine: engine, signaling: signaling, configuration: Self.configuration)
        self.engine = engine
        audio = CallAudioSwitch(engine)
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

    /// Enters the session, and is heard from then on.
    ///
    /// - Throws: `SightlineError`, whose message is for people.
    func connect() async throws {
        try await session.connect()
        do { try await audio.activate() } catch { audioProblem = "No audio: \(error.words)" }
        // The person may have left meanwhile.
        if session.state == .disconnected { await audio.deactivate() }
    }

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
        await stopDevices()
    }

    private func stopDevices() async {
        await own?.stop()
        await audio.deactivate()
    }

    func take(_ event: SessionEvent) async {
        switch event {
        case .streamCreated(let stream) where stream.connection != session.connection: receive(stream)
        case .streamDestroyed(let stream): forget(stream)
        case .callDidEmitCallQualityEvent(let event): take(event)
        case .sessionDidDisconnect:
            (participants, warnings) = ([], [])
            await stopDevices()
        default: break
        }
    }

    private func receive(_ stream: MediaStream) {
        let participant = Participant(stream)
        participants.append(participant)
        log.follow(participant.subscriber, of: participant.name)
        Task { [session] in await participant.subscribe(in: session) }
    }

    private func forget(_ stream: MediaStream) {
        guard let index = participants.firstIndex(where: { $0.id == stream.streamId }) else { return }
        departed.append((stream.streamId, participants.remove(at: index).name))
        if departed.count > Self.departedCapacity { departed.removeFirst() }
    }

    /// Whose stream it is; `nil` if that is not known any more.
    private func name(of streamId: String) -> String? {
        if streamId == own?.publisher.stream?.streamId { return "You" }
        return participants.first { $0.id == streamId }?.name ?? departed.last { $0.id == streamId }?.name
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

    /// What a warning says, and whose stream it is about; of the device, and of what has no id before it is published, the
    /// person's own.
    func words(for event: CallQualityEvent) -> String {
        guard let streamId = event.streamId else { return "You: \(event.warning.words)" }
        return name(of: streamId).map { "\($0): \(event.warning.words)" } ?? event.warning.words
    }
}
