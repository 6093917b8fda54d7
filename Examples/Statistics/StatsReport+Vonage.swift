// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension StatsReport {
    /// Reads what Vonage's SDK hands to `OTSubscriberKitRtcStatsReportDelegate`, or to the publisher's delegate as
    /// `OTPublisherRtcStats.jsonArrayOfReports`: an array of W3C statistics as JSON, with times in microseconds.
    ///
    /// ```swift
    /// let source = HandedOverStatistics { subscriber.getRtcStatsReport() }
    /// subscriber.rtcStatsReportDelegate = self
    /// let monitor = CallMonitor(source, roles: [.subscriber])
    ///
    /// func subscriber(_ subscriber: OTSubscriberKit, rtcStatsReport jsonArrayOfReports: String) {
    ///     if let report = try? StatsReport(vonage: jsonArrayOfReports) { source.take(report) }
    /// }
    ///
    /// func publisher(_ publisher: OTPublisherKit, rtcStatsReport stats: [OTPublisherRtcStats]) {
    ///     // Through the Media Router there is one; of a relayed session one for each subscriber, with a source each.
    ///     for one in stats { sources[one.connectionId]?.take(try StatsReport(vonage: one.jsonArrayOfReports)) }
    /// }
    /// ```
    ///
    /// - Throws: What `StatsReport.parse` throws of a text that is no report.
    public init(vonage jsonArrayOfReports: String) throws {
        self = try StatsReport.parse(Array(jsonArrayOfReports.utf8)).report
    }
}
