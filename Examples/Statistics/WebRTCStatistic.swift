// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import WebRTCStats

/// An entry of a report of WebRTC.framework, whatever its module and prefix.
///
/// The classes of every build have these members. Say so of yours, and hand its reports over:
///
/// ```swift
/// import WebRTC                                       // or: import LiveKitWebRTC
///
/// extension RTCStatistics: @retroactive WebRTCStatistic {}    // or: LKRTCStatistics
///
/// struct PeerConnectionSource: StatsSource {
///     let connection: RTCPeerConnection               // or: LKRTCPeerConnection
///
///     func statistics() async throws -> StatsReport {
///         StatsReport(framework: Array(await connection.statistics().statistics.values))
///     }
/// }
///
/// let monitor = CallMonitor(PeerConnectionSource(connection: connection))
/// ```
///
/// The module `AppleWebRTC` has this for `WebRTC`; an app with `LiveKitWebRTC` needs these lines.
public protocol WebRTCStatistic {
    /// Id of the entry in its report.
    var id: String { get }
    /// W3C name of the type.
    var type: String { get }
    /// Unix time in microseconds.
    var timestamp_us: Double { get }
    /// Members by their W3C names.
    var values: [String: NSObject] { get }
}

extension StatsReport {
    /// Takes over a report of WebRTC.framework.
    public init(framework statistics: some Sequence<any WebRTCStatistic>) {
        self.init(
            statistics.map {
                ForeignStatsEntry(
                    id: $0.id, type: $0.type, timestamp: $0.timestamp_us / 1000, values: $0.values)
            })
    }
}
