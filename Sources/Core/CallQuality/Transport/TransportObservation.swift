// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What one tick said about a peer connection, for the observers of the streams on it.
public struct TransportObservation: Sendable {
    /// Time of the report, in Unix ms.
    public var timestamp: Double
    /// The uplink, of what this end sends; everything is unknown while it sends nothing.
    public var uplink: TransportStats
    /// The downlink, of what this end receives; everything is unknown while it receives nothing.
    public var downlink: TransportStats

    /// The report's place in time; `nil` for a report that was repeated or late, which changes nothing.
    var tick: Tick?
    var path: PathDelta
    /// What the leg's sender measured since the last report, in seconds.
    var legRoundTripTime: Double?
    /// Whether what is sent leaves much of the uplink's estimate unused.
    var isApplicationLimited = false
    var uplinkVerdict = DirectionVerdict()
    var downlinkVerdict = DirectionVerdict()
    /// How media is routed, as far as the reports show; `nil` where they do not.
    var routing: MediaRouting?
    /// The moment before nothing of several people's media came any more, in ms; `nil` if they did not stop at
    /// once.
    var stoppedSince: Double?
    /// Time that decoding all received video took, as a share of the interval; `nil` if unknown.
    var decodingShare: Double?
    var outbound: [OutboundDelta]
    var inbound: [InboundDelta]

    init(timestamp: Double) {
        self.timestamp = timestamp
        uplink = TransportStats()
        downlink = TransportStats()
        path = PathDelta()
        outbound = []
        inbound = []
    }
}
