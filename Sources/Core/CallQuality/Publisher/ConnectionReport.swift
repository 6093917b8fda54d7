// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// A report of one of a publisher's peer connections.
public struct ConnectionReport: Sendable {
    /// What `getStats()` returned.
    public var report: StatsReport
    /// The subscriber that the connection leads to; `nil` in a routed session.
    public var connection: SubscriberConnection?
    /// The observation of a transport that other streams share; `nil` if the stream has it for itself.
    public var transport: TransportObservation?
    /// What is wanted on this connection, where that is not what is wanted of the stream; else `nil`.
    public var intent: MediaIntent?

    /// Names a report's connection.
    public init(
        _ report: StatsReport, connection: SubscriberConnection? = nil,
        transport: TransportObservation? = nil, intent: MediaIntent? = nil
    ) {
        self.report = report
        self.connection = connection
        self.transport = transport
        self.intent = intent
    }
}
