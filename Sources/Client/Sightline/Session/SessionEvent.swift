// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Events of a session; the same as in ``SessionDelegate``.
public enum SessionEvent: Sendable, Equatable {
    /// The client is in the session.
    case sessionDidConnect
    /// The socket to the server was lost; the session is being brought back.
    ///
    /// ``sessionDidReconnect`` or, when that failed, ``sessionDidDisconnect`` follows.
    case sessionDidBeginReconnecting
    /// The session continues.
    case sessionDidReconnect
    /// The client has left the session, or lost it; the last event.
    case sessionDidDisconnect
    /// The session ended by itself, or an error occurred that no call can throw.
    case didFailWithError(SightlineError)
    /// Someone else has joined, or was there before.
    case connectionCreated(Connection)
    /// Someone else has left.
    case connectionDestroyed(Connection)
    /// Someone publishes, this client included, or did before.
    case streamCreated(MediaStream)
    /// A stream's properties have changed.
    case streamPropertyChanged(MediaStream, Set<StreamProperty>)
    /// A stream is over.
    case streamDestroyed(MediaStream)
    /// A call quality warning was raised or cleared; what is raised when a stream ends is cleared with it.
    case callDidEmitCallQualityEvent(CallQualityEvent)
    /// The network quality level of a participant changed; it is this client if the connection is the
    /// session's own.
    case networkQualityLevelChanged(Connection, NetworkQualityStats)
}

extension SessionEvent {
    init(_ change: QualityChange) {
        switch change {
        case .warning(let event): self = .callDidEmitCallQualityEvent(event)
        case .level(let connection, let stats): self = .networkQualityLevelChanged(connection, stats)
        }
    }
}
