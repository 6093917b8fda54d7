// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Whose network is to blame for a subscriber's impairment.
///
/// Numbers 0 to 3 are Vonage's (`OTNetworkDegradationSource`); ``unknown`` and ``server`` are ours.
public enum NetworkDegradationSource: Int, CodableByName {
    /// No degradation was detected.
    case none = 0
    /// Both sides, or the side cannot be determined.
    case bothOrUnclear = 1
    /// The subscriber's own downlink.
    case local = 2
    /// The publisher's uplink.
    case remote = 3
    /// There is no data to judge by.
    case unknown = 4
    /// The router's side: all connections of a router are bad at once.
    case server = 5

    /// The name of each case.
    public static let names = caseNames()
}
