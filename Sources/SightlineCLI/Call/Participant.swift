// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import CallQuality
import Foundation
import LibWebRTC
import MediaEngine
import NIOSignaling
import Sightline
import Synchronization

/// One headless client in a session.
final class Participant: Sendable {
    let name: String
    let session: Session
    let bus: EventBus
    /// Cuts its signalling.
    let gate = SignalingGate()
    /// Passes the session's events on; ends with the session.
    private let following = Mutex<Task<Void, Never>?>(nil)
    private let lastError = Mutex<SightlineError?>(nil)

    init(
        name: String, url: URL, token: String, loopbackOnly: Bool, relayOnly: Bool = false, bus: EventBus,
        quality: QualityConfiguration = .extended, recorder: CallRecorder? = nil,
        statistics: StatisticsOptions? = nil
    ) throws {
        self.name = name
        self.bus = bus
        var configuration = SessionConfiguration()
        configuration.loopbackOnly = loopbackOnly
        configuration.transportPolicy = relayOnly ? .relay : .all
        configuration.quality = quality
        configuration.networkQualityConfiguration = .init(local: .detailed, remote: .moderate)
        configuration.onReport = recorder?.sink(for: name)
        statistics?.apply(to: &configuration)
        configuration.clientName = "sightline-cli \(SightlineCommand.version)"
        let engine: LibWebRTCEngine
        do {
            engine = try LibWebRTCEngine()
        } catch {
            throw CommandFailure("The media engine failed to start: \(error)")
        }
        session = Session(
            url: url.absoluteString, token: token, engine: engine,
            signaling: NIOSignalingTransport(gate: gate),
            configuration: configuration)
    }

    /// Enters the session; its events are shown from now on.
    func connect() async throws {
        let events = session.events()
        let task = Task { [name, bus, weak self] in
            for await event in events {
                if case .didFailWithError(let error) = event { self?.note(error) }
                bus.show(event, participant: name)
            }
        }
        following.withLock { $0 = task }
        try await session.connect()
    }

    private func note(_ error: SightlineError) { lastError.withLock { $0 = error } }

    /// The session's error that no call could throw, above all its unexpected end; known after
    /// ``leave()``.
    var failure: CommandFailure? {
        lastError.withLock { $0 }.map { CommandFailure("\(name): \($0.message)") }
    }

    /// Leaves the session; returns when its last event has been passed on.
    func leave() async {
        // No one waits for a network that is still cut.
        gate.isOpen = true
        await session.disconnect()
        await following.withLock { $0 }?.value
    }

    /// Waits for a stream of someone else; by id or name if `wanted` says one.
    func stream(_ wanted: String?) async throws -> MediaStream {
        let matches = { (stream: MediaStream) in
            wanted.map { stream.streamId == $0 || stream.name == $0 }
                ?? (stream.connection != self.session.connection)
        }
        let events = session.events()
        if let present = session.streams.first(where: matches) { return present }
        for await event in events {
            if case .streamCreated(let stream) = event, matches(stream) { return stream }
        }
        throw CommandFailure("The session ended before there was a stream\(wanted.map { " '\($0)'" } ?? "").")
    }
}

extension EventBus {
    /// Shows what happens in a session.
    fileprivate func show(_ event: SessionEvent, participant: String) {
        switch event {
        case .sessionDidConnect: send(life: "sessionDidConnect", participant: participant)
        case .sessionDidBeginReconnecting: send(life: "sessionDidBeginReconnecting", participant: participant)
        case .sessionDidReconnect: send(life: "sessionDidReconnect", participant: participant)
        case .sessionDidDisconnect: send(life: "sessionDidDisconnect", participant: participant)
        case .didFailWithError(let error):
            send(life: "sessionDidFailWithError", participant: participant, message: error.description)
        case .streamCreated(let stream):
            send(
                life: "streamCreated", participant: participant, stream: stream.streamId, message: stream.name
            )
        case .streamDestroyed(let stream):
            send(
                life: "streamDestroyed", participant: participant, stream: stream.streamId,
                message: stream.name)
        case .streamPropertyChanged, .connectionCreated, .connectionDestroyed: break
        case .callDidEmitCallQualityEvent(let event):
            send(
                CallEvent(
                    time: Self.now(), role: event.role, participant: participant, stream: event.streamId,
                    kind: .warning(event)))
        case .networkQualityLevelChanged(let connection, let stats):
            let name = connection.name ?? connection.connectionId
            send(
                CallEvent(
                    time: Self.now(), participant: participant, kind: .level(stats, connection: name)))
        }
    }
}
