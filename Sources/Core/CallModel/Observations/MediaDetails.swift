// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the end that measured a medium knows of it beside the figures of its sample, which are ``MediaFigures``.
public struct MediaDetails: Sendable, Equatable, Codable {
    /// When the totals began, in Unix ms; `nil` before the medium's first report.
    public var startTime: Double?
    /// Bits sent or received per second, with RTP headers and retransmissions; `nil` if unknown.
    public var totalBitrate: Double?
    /// Round trip time in seconds: of what is sent, in the newest RTCP report of the tick; of what is received, that of the
    /// connection; `nil` if it was not measured.
    public var roundTripTime: Double?

    /// Creates details; whatever is omitted is unknown.
    public init(startTime: Double? = nil, totalBitrate: Double? = nil, roundTripTime: Double? = nil) {
        self.startTime = startTime
        self.totalBitrate = totalBitrate
        self.roundTripTime = roundTripTime
    }
}
