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
    /// What there is to know before media arrive, and while they do not; `nil` while all is as it should be.
    private(set) var notice: String? = "Connecting…"

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
        do { try await session.subscribe(subscriber) } catch { notice = error.words }
    }

    private func take(_ event: SubscriberLifeEvent) {
        switch event {
        case .didConnectToStream, .didReconnectToStream: notice = nil
        case .didDisconnectFromStream: notice = "Nothing arrives; reconnecting…"
        case .videoDisabled(let reason): notice = "Video is off: \(reason.words)."
        case .videoEnabled: notice = nil
        case .didFailWithError(let error): notice = error.message
        default: break
        }
    }
}
