// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Hears what happens in a session.
///
/// Calls come one after the other, never two at a time, where <doc:EventsAndOrder> says. Every method
/// has a default that does nothing.
public protocol SessionDelegate: AnyObject {
    /// The client is in the session.
    func sessionDidConnect(_ session: Session)
    /// The socket to the server was lost; the session is being brought back, by itself.
    func sessionDidBeginReconnecting(_ session: Session)
    /// The session continues: nothing of what the server has said meanwhile is missing.
    func sessionDidReconnect(_ session: Session)
    /// The client has left the session, or lost it.
    func sessionDidDisconnect(_ session: Session)
    /// The session ended by itself, or an error occurred that no call can throw.
    func session(_ session: Session, didFailWithError error: SightlineError)
    /// Someone else has joined, or was there before.
    func session(_ session: Session, connectionCreated connection: Connection)
    /// Someone else has left.
    func session(_ session: Session, connectionDestroyed connection: Connection)
    /// Someone publishes, or did before.
    ///
    /// It is this client if `stream.connection == session.connection`.
    func session(_ session: Session, streamCreated stream: MediaStream)
    /// Properties of a stream have changed, of others or of one's own; `stream` has the new values.
    func session(
        _ session: Session, streamPropertyChanged stream: MediaStream, changes: Set<StreamProperty>)
    /// A stream is over; subscriptions to it are over with it.
    func session(_ session: Session, streamDestroyed stream: MediaStream)
    /// A call quality warning of any stream was raised (`trigger`) or cleared (`recover`), never the same
    /// twice in a row.
    ///
    /// What is raised when a stream ends is cleared with it. ``Session/raisedWarnings`` has what is raised now.
    func callDidEmitCallQualityEvent(_ session: Session, event: CallQualityEvent)
    /// The network quality level of a participant changed.
    ///
    /// It is this client if `connection == session.connection`. Only if
    /// ``Session/networkQualityConfiguration`` asks for it.
    func session(
        _ session: Session, networkQualityLevelChanged stats: NetworkQualityStats, of connection: Connection)
}

extension SessionDelegate {
    /// Does nothing.
    public func sessionDidConnect(_ session: Session) {}
    /// Does nothing.
    public func sessionDidBeginReconnecting(_ session: Session) {}
    /// Does nothing.
    public func sessionDidReconnect(_ session: Session) {}
    /// Does nothing.
    public func sessionDidDisconnect(_ session: Session) {}
    /// Does nothing.
    public func session(_ session: Session, didFailWithError error: SightlineError) {}
    /// Does nothing.
    public func session(_ session: Session, connectionCreated connection: Connection) {}
    /// Does nothing.
    public func session(_ session: Session, connectionDestroyed connection: Connection) {}
    /// Does nothing.
    public func session(_ session: Session, streamCreated stream: MediaStream) {}
    /// Does nothing.
    public func session(
        _ session: Session, streamPropertyChanged stream: MediaStream, changes: Set<StreamProperty>
    ) {}
    /// Does nothing.
    public func session(_ session: Session, streamDestroyed stream: MediaStream) {}
    /// Does nothing.
    public func callDidEmitCallQualityEvent(_ session: Session, event: CallQualityEvent) {}
    /// Does nothing.
    public func session(
        _ session: Session, networkQualityLevelChanged stats: NetworkQualityStats, of connection: Connection
    ) {}
}

extension SessionDelegate {
    /// Calls the method that an event belongs to.
    func hear(_ event: SessionEvent, from session: Session) {
        switch event {
        case .sessionDidConnect: sessionDidConnect(session)
        case .sessionDidBeginReconnecting: sessionDidBeginReconnecting(session)
        case .sessionDidReconnect: sessionDidReconnect(session)
        case .sessionDidDisconnect: sessionDidDisconnect(session)
        case .didFailWithError(let error): self.session(session, didFailWithError: error)
        case .connectionCreated(let connection): self.session(session, connectionCreated: connection)
        case .connectionDestroyed(let connection): self.session(session, connectionDestroyed: connection)
        case .streamCreated(let stream): self.session(session, streamCreated: stream)
        case .streamPropertyChanged(let stream, let changes):
            self.session(session, streamPropertyChanged: stream, changes: changes)
        case .streamDestroyed(let stream): self.session(session, streamDestroyed: stream)
        case .callDidEmitCallQualityEvent(let event): callDidEmitCallQualityEvent(session, event: event)
        case .networkQualityLevelChanged(let connection, let stats):
            self.session(session, networkQualityLevelChanged: stats, of: connection)
        }
    }
}
