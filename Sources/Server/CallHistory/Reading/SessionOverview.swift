// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// A session in a list.
package struct SessionOverview: Sendable, Equatable, Codable {
    /// Its id.
    package var session: String
    /// The media mode of one of the server's own, or `observed`.
    package var mediaMode: SessionKind
    /// When it was created, Unix ms.
    package var creationTime: Double
    /// When it ended, Unix ms; `nil` while it continues.
    package var endTime: Double?
    /// When it was last active, Unix ms; a few seconds old.
    package var lastTime: Double
    /// The worst network condition of anyone in it; `nil` if none was known.
    package var worstCondition: NetworkCondition?
    /// Connections, also those that have left.
    package var connections: Int
    /// Streams, also those that have ended.
    package var streams: Int
    /// Sustained issues.
    package var alerts: Int

    /// Describes one.
    package init(
        session: String, mediaMode: SessionKind, creationTime: Double, endTime: Double?, lastTime: Double,
        worstCondition: NetworkCondition?, connections: Int, streams: Int, alerts: Int
    ) {
        self.session = session
        self.mediaMode = mediaMode
        self.creationTime = creationTime
        self.endTime = endTime
        self.lastTime = lastTime
        self.worstCondition = worstCondition
        self.connections = connections
        self.streams = streams
        self.alerts = alerts
    }
}
