// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Observation

/// What a view shows of a session: who publishes, and everyone's network quality level.
///
/// Make it before ``Session/connect()``, to miss nothing. It does not keep the session.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor @Observable
public final class SessionModel {
    /// What the session is doing.
    public enum Phase: Sendable, Equatable {
        /// Not connected yet.
        case new
        /// In the session.
        case connected
        /// Being brought back after the socket was lost.
        case reconnecting
        /// Over; with the error that ended it, if there was one.
        case over(SightlineError?)
    }

    /// What the session is doing.
    public private(set) var phase = Phase.new
    /// The streams of the session, those of this client included, in the order in which they came.
    public private(set) var streams: [MediaStream] = []
    /// The newest network quality level of each participant, by connection id; only if
    /// ``Session/networkQualityConfiguration`` asks for them.
    public private(set) var levels: [String: NetworkQualityLevel] = [:]
    @ObservationIgnored private var following: Task<Void, Never>?
    @ObservationIgnored private var failure: SightlineError?

    /// Follows a session from now on.
    public init(_ session: Session) {
        let events = session.events()
        following = Task { [weak self] in
            for await event in events { self?.take(event) }
        }
    }

    deinit { following?.cancel() }

    private func take(_ event: SessionEvent) {
        switch event {
        case .sessionDidConnect, .sessionDidReconnect: phase = .connected
        case .sessionDidBeginReconnecting: phase = .reconnecting
        case .didFailWithError(let error): failure = error
        case .sessionDidDisconnect:
            phase = .over(failure)
            // No event says that those of others are gone, too.
            (streams, levels) = ([], [:])
        case .streamCreated(let stream): streams.append(stream)
        case .streamPropertyChanged(let stream, _):
            streams = streams.map { $0.streamId == stream.streamId ? stream : $0 }
        case .streamDestroyed(let stream): streams.removeAll { $0.streamId == stream.streamId }
        case .networkQualityLevelChanged(let connection, let stats):
            levels[connection.connectionId] = stats.level
        case .connectionDestroyed(let connection): levels[connection.connectionId] = nil
        case .connectionCreated, .callDidEmitCallQualityEvent: break
        }
    }
}
