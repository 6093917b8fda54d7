// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// One report of a recording, and what was known beside it when it was taken.
public struct RecordedReport: Sendable, Equatable {
    /// When the report was taken, in Unix ms by the recorder's clock.
    ///
    /// Orders the reports of several peer connections; rates are made from the report's own times.
    public var time: Double
    /// The peer connection, by a name that is unique in the recording.
    public var peerConnection: String
    /// What `getStats()` returned.
    public var report: StatsReport
    /// What was wanted of the stream; `nil` if nothing new is known: what was said before still holds.
    public var intent: MediaIntent?
    /// Figures from elsewhere that were at hand then; `nil` if there were none.
    public var remote: RemoteMetrics?
    /// The stream that the peer connection carries, by a name that publisher and subscribers share; `nil` if
    /// unknown.
    public var stream: String?
    /// The name under which several peer connections are judged as one stream, as those of a relayed
    /// publisher are; `nil` if this one is judged alone.
    public var view: String?
    /// The subscriber that a relayed publisher's peer connection leads to; else `nil`.
    public var connection: SubscriberConnection?
    /// How many further reports of the same view and tick follow; they are judged together with this one.
    public var remainingInTick: Int

    /// Creates a recorded report; whatever is omitted is unknown.
    public init(
        time: Double, peerConnection: String, report: StatsReport, intent: MediaIntent? = nil,
        remote: RemoteMetrics? = nil, stream: String? = nil, view: String? = nil,
        connection: SubscriberConnection? = nil, remainingInTick: Int = 0
    ) {
        self.time = time
        self.peerConnection = peerConnection
        self.report = report
        self.intent = intent
        self.remote = remote
        self.stream = stream
        self.view = view
        self.connection = connection
        self.remainingInTick = remainingInTick
    }

    /// The same as a report of a client of that name.
    ///
    /// The peer connections of a relayed publisher are distinguished by the connections that they lead to, and judged as
    /// one.
    public func named(_ client: String) -> RecordedReport {
        var record = self
        record.peerConnection = connection.map { "\(client)/\($0.connectionId)" } ?? client
        record.view = connection.map { _ in client }
        return record
    }
}
