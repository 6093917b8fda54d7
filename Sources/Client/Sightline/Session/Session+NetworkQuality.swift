// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import SessionWire

/// Call quality warnings.
extension Session {
    /// The call quality warnings that are raised now, in the order in which they were.
    ///
    /// Empty outside the session.
    public var raisedWarnings: [CallQualityEvent] { driver.quality.raisedWarnings }
}

/// Network quality levels: off unless asked for.
extension Session {
    /// How much is reported of the own and of the others' network quality; `nil` for nothing at all.
    ///
    /// Can be changed at any time, also during the call: ``SessionEvent/networkQualityLevelChanged(_:_:)`` says the first
    /// level after levels are switched on. What `remote` requests is sent by the server.
    public var networkQualityConfiguration: NetworkQualityConfiguration? {
        get { driver.quality.configuration }
        set {
            let request = driver.quality.configure(newValue)
            if state == .connected || state == .reconnecting { driver.send([.networkQuality(request)]) }
        }
    }

    /// How well this client's network carries the demand.
    ///
    /// `zero` while it is reconnecting, `five` while nothing is sent nor received (``networkQualityStats``
    /// says that it is idle); `unknown` without data, while levels are off, and outside the session.
    public var networkQualityLevel: NetworkQualityLevel { networkQualityStats?.level ?? .unknown }

    /// The components of ``networkQualityLevel``, as detailed as requested; `nil` while levels are off and
    /// outside the session.
    public var networkQualityStats: NetworkQualityStats? { driver.quality.stats }

    /// Another participant's network quality, by its own figures and the server's.
    ///
    /// `zero` while it is reconnecting; `unknown` without data, and unless ``networkQualityConfiguration``
    /// asks for remote participants.
    public func networkQualityLevel(of connection: Connection) -> NetworkQualityLevel {
        networkQualityStats(of: connection)?.level ?? .unknown
    }

    /// The components of ``networkQualityLevel(of:)``, as detailed as requested; `nil` if it was not asked
    /// for, and until the server has sent it.
    ///
    /// Without figures unless that participant publishes, all of it with ``PublisherSettings/senderStatsTrack``.
    public func networkQualityStats(of connection: Connection) -> NetworkQualityStats? {
        connection == self.connection
            ? networkQualityStats : driver.quality.stats(of: connection.connectionId)
    }
}
