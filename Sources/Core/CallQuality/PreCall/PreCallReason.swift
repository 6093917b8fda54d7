// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Why a medium cannot be published: the limit that was not met.
public struct PreCallReason: Sendable, Equatable, Codable {
    /// What is in its way.
    public enum Cause: String, Sendable, Codable {
        /// The network carries too little.
        case bandwidth
        /// The network loses too much.
        case packetLoss
        /// Nothing arrives.
        case noMedia
        /// The device is too slow.
        case cpu
        /// There was no time to find out.
        case notMeasured
    }

    /// The medium.
    public var medium: MediaKind
    /// The direction of the path that fails, as seen from the client.
    public var direction: NetworkDirection
    /// What is in the way.
    public var cause: Cause
    /// What was measured: bps, or a loss of 0 to 1; `nil` if nothing was.
    public var measured: Double?
    /// What it is held against: bps, or a loss of 0 to 1.
    public var limit: Double

    /// Describes a reason.
    public init(
        medium: MediaKind, direction: NetworkDirection, cause: Cause, measured: Double?, limit: Double
    ) {
        self.medium = medium
        self.direction = direction
        self.cause = cause
        self.measured = measured
        self.limit = limit
    }

    /// The reason in words, such as `the uplink has 90 kbit/s for it, and 150 kbit/s are needed`.
    public var text: String {
        let path = direction == .downlink ? "downlink" : "uplink"
        switch cause {
        case .bandwidth:
            return
                "the \(path) provides \(NumberFormat.rate(measured)) for it, but \(NumberFormat.rate(limit)) are needed"
        case .packetLoss:
            return
                "the \(path) loses \(NumberFormat.percent(measured)) of the packets; the maximum is \(NumberFormat.percent(limit))"
        case .noMedia: return "none of it arrives on the \(path)"
        case .cpu: return "this device is too slow to send \(NumberFormat.rate(limit)) of it"
        case .notMeasured: return "the \(path) could not be measured in time"
        }
    }
}
