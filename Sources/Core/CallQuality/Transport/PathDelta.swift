// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// A report's figures of the path, apart from the media on it.
struct PathDelta: Sendable {
    /// The sending estimate, in bps.
    var estimate: Double?
    /// Round trip time of the selected pair, in seconds; that of media on it where the engine does not give it.
    var roundTripTime: Double?
    /// Whether it is that of media by RTCP, because the engine gives none of the pair.
    var isRoundTripTimeOfMedia = false
    /// Whether ``roundTripTime`` was measured since the last report.
    var roundTripTimeIsNew = false
    /// ``roundTripTime`` if it is new.
    var newRoundTripTime: Double? { roundTripTimeIsNew ? roundTripTime : nil }
    /// The same of the pair alone.
    var newPairRoundTripTime: Double? { isRoundTripTimeOfMedia ? nil : newRoundTripTime }
    /// Mean of those measured since the last report, in seconds; `nil` if there are none, or no one says.
    var meanRoundTripTime: Double?
    /// ``newRoundTripTime``, or the mean where that is lower: one that is long only now and then does not last.
    var lastingRoundTripTime: Double? {
        newRoundTripTime.map { min($0, meanRoundTripTime ?? $0) }
    }
    var bytesSent: Increment?
    var bytesReceived: Increment?
    /// Whether connectivity checks were answered since the last report; `nil` if no one says.
    var isAnswered: Bool?
    /// Whether anything came: bytes, or answers to connectivity checks, which bytes do not count; `nil` if no one says.
    var hasArrivals: Bool? {
        isAnswered == true ? true : bytesReceived.map { $0.amount > 0 }
    }
    /// Whether ICE is connected; `nil` if the report does not say.
    var isConnected: Bool?
    /// Whether it is TCP, to the far end or to a TURN server.
    var isTCP = false
    /// Whether the path is another one than in the last report: another pair, an ICE restart, a new peer
    /// connection.
    var hasChanged = false
}
