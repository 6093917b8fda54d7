// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import WebRTCStats

/// An entry of what LiveKit's SDK says of a track.
///
/// Its class `Statistics` has these members; `rawValues` are those of the W3C's statistics, also where LiveKit has no member of
/// its own. A track's statistics are all of its peer connection that are about it, so that each track has a source and a
/// monitor of its own:
///
/// ```swift
/// import LiveKit
///
/// extension Statistics: @retroactive LiveKitStatistic {}
///
/// extension TrackStatistics {
///     var all: [any LiveKitStatistic] {
///         codec + videoSource + iceCandidatePair + inboundRtpStream + outboundRtpStream
///             + remoteInboundRtpStream + remoteOutboundRtpStream
///             + [transportStats, localIceCandidate, remoteIceCandidate].compactMap(\.self)
///     }
/// }
///
/// final class Delegate: TrackDelegate {               // with RoomOptions(reportRemoteTrackStatistics: true)
///     let source = HandedOverStatistics()
///
///     func track(_ track: Track, didUpdateStatistics statistics: TrackStatistics, simulcastStatistics: [VideoCodec: TrackStatistics]) {
///         source.take(StatsReport(liveKit: statistics.all))
///     }
/// }
/// ```
public protocol LiveKitStatistic {
    associatedtype Kind: RawRepresentable<String>

    /// Id of the entry in its report.
    var id: String { get }
    /// Its raw value is the W3C's name of the type.
    var type: Kind { get }
    /// Unix time in microseconds.
    var timestamp: Double { get }
    /// Members by their W3C names.
    var rawValues: [String: NSObject] { get }
}

extension StatsReport {
    /// Takes over what LiveKit's SDK says of a track.
    public init(liveKit statistics: some Sequence<any LiveKitStatistic>) {
        self.init(statistics.map { Self.entry($0) })
    }

    private static func entry(_ statistic: some LiveKitStatistic) -> ForeignStatsEntry {
        ForeignStatsEntry(
            id: statistic.id, type: statistic.type.rawValue, timestamp: statistic.timestamp / 1000,
            values: statistic.rawValues)
    }
}
