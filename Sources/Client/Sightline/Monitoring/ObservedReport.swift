// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// What one tick was judged by: the report, and what was known beside it.
///
/// Whoever keeps these can have the call judged again later, with the same outcome.
public struct ObservedReport: Sendable, Equatable {
    /// What `getStats()` returned.
    public var report: StatsReport
    /// What was wanted of the media then; its role says which end was observed.
    public var intent: MediaIntent
    /// Figures from elsewhere with the age that they had then.
    public var remote: RemoteFacts
    /// The stream; `nil` where no session names one.
    public var streamId: String?
    /// The subscriber that a relayed publisher's peer connection leads to; else `nil`.
    public var connection: SubscriberConnection?
    /// How many further reports of the same tick follow directly: a relayed publisher's are judged together.
    public var following: Int

    /// Creates a report.
    public init(
        report: StatsReport, intent: MediaIntent, remote: RemoteFacts = RemoteFacts(),
        streamId: String? = nil, connection: SubscriberConnection? = nil, following: Int = 0
    ) {
        self.report = report
        self.intent = intent
        self.remote = remote
        self.streamId = streamId
        self.connection = connection
        self.following = following
    }
}
