// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Reason of a network condition, or of an event about it.
///
/// Numbers 0 to 4 are Vonage's (`OTNetworkReason`); ``connection`` is ours.
public enum NetworkReason: Int, CodableByName {
    /// Nothing is wrong.
    case none = 0
    /// Could not be determined.
    case unknown = 1
    /// The bandwidth does not cover the demand.
    case bandwidth = 2
    /// The network loses packets.
    case packetLoss = 3
    /// An event's reason: the local or the remote condition changed.
    case networkConditionChange = 4
    /// No packets arrive at all: an outage, or ICE is disconnected.
    case connection = 5

    /// The name of each case.
    public static let names = caseNames()
}
