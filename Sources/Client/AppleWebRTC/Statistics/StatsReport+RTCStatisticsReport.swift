// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import MediaEngine
import WebRTC
import WebRTCStats

extension StatsReport {
    /// Makes what WebRTC.framework reports a report of ours.
    ///
    /// Members keep their W3C names, units and values; times become Unix ms. A value that is neither number,
    /// text, list nor dictionary is omitted.
    public init(_ report: RTCStatisticsReport) {
        self.init(
            report.statistics.values.map { entry in
                ForeignStatsEntry(
                    id: entry.id, type: entry.type, timestamp: entry.timestamp_us / 1000, values: entry.values
                )
            })
    }
}
#endif
