// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Where the problem of an interval was: on a network path, or in the device itself.
public enum IntervalDirection: String, Hashable, Codable, Sendable, CaseIterable {
    /// From the client into the network.
    case uplink
    /// From the network to the client.
    case downlink
    /// Both, or a figure that has no direction.
    case both
    /// On the client's own device.
    case local

    /// Location of a diagnosed problem; `nil` for none.
    public init?(_ diagnosis: Diagnosis) {
        switch (diagnosis.cause, diagnosis.direction) {
        // Of the other end's device.
        case (.cpu, _) where diagnosis.side == .remote: return nil
        case (.cpu, _), (.device, _): self = .local
        case (_, .uplink?): self = .uplink
        case (_, .downlink?): self = .downlink
        case (_, .both?): self = .both
        case (_, nil): return nil
        }
    }

    /// The direction on the network path; `nil` on the device.
    var ofNetwork: NetworkDirection? {
        switch self {
        case .uplink: .uplink
        case .downlink: .downlink
        case .both: .both
        case .local: nil
        }
    }
}
