// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// State of a session.
public enum SessionState: String, Sendable, CaseIterable {
    /// Not in the session: before ``Session/connect()``, or over.
    case disconnected
    /// ``Session/connect()`` is at work.
    case connecting
    /// In the session.
    case connected
    /// The socket to the server was lost; the session is being brought back. Media may continue meanwhile.
    case reconnecting
}
