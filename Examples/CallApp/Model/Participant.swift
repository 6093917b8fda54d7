// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Observation
import Sightline

/// Someone who is received, and how their stream does.
@MainActor @Observable
final class Participant {
    /// The stream's id.
    nonisolated let id: String
    let connectionId: String
    let name: String
    let subscriber: Subscriber
    /// Diagnosis and figures.
    let quality: StreamModel<SubscriberObservation>
    /// What there is to know before media arrive, and while they do not; `nil` while they do.
    private(set) var connectionNotice: String? = "Connecting…"
    /// Why there is no video, also while audio arrives; `nil` while there is.
    private(set) var videoNotice: String?

    init(_ stream: MediaStream) {
        id = stream.streamId
        connectionId = stream.connection.connectionId
        name = stream.connection.name ?? stream.name ?? "Guest"
        subscriber = Subscriber(stream: stream)
        quality = StreamModel(subscriber)
        let events = subscriber.events()
        Task { [weak self] in
            for await event in events { self?.take(event) }
        }
    }

    func subscribe(in session: Session) async {
        do { try await session.subscribe(subscriber) } catch {
            connectionNotice = error.words
        }
    }

    /// Each event changes what it is about alone: video may be off before media arrive, and still when they are back.
    func take(_ event: SubscriberLifeEvent) {
        switch event {
        case .didConnectToStream, .didReconnectToStream: connectionNotice = nil
        case .didDisconnectFromStream: connectionNotice = "Nothing arrives; reconnecting…"
        case .videoDisabled(let reason): videoNotice = "Video is off: \(reason.words)."
        case .videoEnabled: videoNotice = nil
        case .didFailWithError(let error): connectionNotice = error.message
        default: break
        }
    }
}
