// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The subscriber that a relayed publisher's peer connection leads to.
public struct SubscriberConnection: Sendable, Hashable, Codable {
    /// The subscriber's connection to the session.
    public var connectionId: String
    /// The subscriber.
    public var subscriberId: String

    /// Names a subscriber.
    public init(connectionId: String, subscriberId: String) {
        self.connectionId = connectionId
        self.subscriberId = subscriberId
    }
}
