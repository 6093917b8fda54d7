// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What drives a network condition, or why an event about it was sent.
///
/// Numbers 0 to 4 are Vonage's (`OTNetworkReason`); ``connection`` is ours.
public enum NetworkReason: Int, CodableByName {
    /// Nothing is wrong.
    case none = 0
    /// Could not be determined.
    case unknown = 1
    /// Less bandwidth than what is wanted needs.
    case bandwidth = 2
    /// The network loses packets.
    case packetLoss = 3
    /// An event's reason: the local or the remote condition changed.
    case networkConditionChange = 4
    /// Nothing gets through at all: an outage, or ICE is disconnected.
    case connection = 5

    /// The name of each case.
    public static let names = caseNames()
}
