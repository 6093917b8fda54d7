// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The direction of a network path, as seen from the client that is observed.
public enum NetworkDirection: String, Hashable, Codable, Sendable, CaseIterable {
    /// From the client into the network.
    case uplink
    /// From the network to the client.
    case downlink
    /// Either both, or a figure that has no direction, such as the round trip time.
    case both

    /// The direction as the other end of the path has it.
    public var reversed: NetworkDirection {
        switch self {
        case .uplink: .downlink
        case .downlink: .uplink
        case .both: .both
        }
    }
}
