// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The raw report of one of a publisher's peer connections.
public struct PublisherRTCStats: Sendable, Equatable {
    /// The subscriber's connection in a relayed session; `nil` in a routed one.
    public var connectionId: String?
    /// The subscriber in a relayed session; `nil` in a routed one.
    public var subscriberId: String?
    /// A JSON array of W3C statistics, times in Unix ms.
    public var jsonArrayOfReports: String
}
