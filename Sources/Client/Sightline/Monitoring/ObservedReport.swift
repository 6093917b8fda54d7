// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// The inputs of one tick's judgement: the report, intent and remote metrics.
///
/// With these stored the call can be judged again later, with the same result.
public struct ObservedReport: Sendable, Equatable {
    /// What `getStats()` returned.
    public var report: StatsReport
    /// The media's intent at that time; its role is the observed end.
    public var intent: MediaIntent
    /// Figures from elsewhere with the age that they had then.
    public var remote: RemoteMetrics
    /// The stream; `nil` where no session names one.
    public var streamId: String?
    /// The subscriber that a relayed publisher's peer connection leads to; else `nil`.
    public var connection: SubscriberConnection?
    /// Number of further reports of the same tick that follow directly: a relayed publisher's are judged
    /// together.
    public var remainingInTick: Int

    /// Creates a report.
    public init(
        report: StatsReport, intent: MediaIntent, remote: RemoteMetrics = RemoteMetrics(),
        streamId: String? = nil, connection: SubscriberConnection? = nil, remainingInTick: Int = 0
    ) {
        self.report = report
        self.intent = intent
        self.remote = remote
        self.streamId = streamId
        self.connection = connection
        self.remainingInTick = remainingInTick
    }
}
