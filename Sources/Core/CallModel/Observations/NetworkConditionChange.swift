// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A transport's network condition changed; the statistics are those of the observation that carries the
/// event.
public struct NetworkConditionChange: Sendable, Equatable, Codable {
    /// The subscriber's connection of a relayed publisher; `nil` otherwise.
    public var connectionId: String?
    /// The subscriber of a relayed publisher; `nil` otherwise.
    public var subscriberId: String?
    /// The transport: the own one, or the remote publisher's.
    public var side: NetworkDegradationSource
    /// The condition before.
    public var from: NetworkCondition
    /// The condition now.
    public var to: NetworkCondition
    /// Why the event was sent; what drives the score is the transport's own reason.
    public var reason: NetworkReason

    /// Creates a change.
    public init(
        connectionId: String? = nil, subscriberId: String? = nil, side: NetworkDegradationSource = .local,
        from: NetworkCondition, to: NetworkCondition, reason: NetworkReason = .networkConditionChange
    ) {
        self.connectionId = connectionId
        self.subscriberId = subscriberId
        self.side = side
        self.from = from
        self.to = to
        self.reason = reason
    }

    /// Whether it is a believed worsening to a bad condition (fair or worse); a recovery never is, and neither is what
    /// is still good: no one notices it.
    public var isAlarm: Bool { to.isBad && (from == .unknown || to < from) }

    /// The change between two conditions; `nil` if they are the same.
    package init?(_ old: NetworkCondition, _ new: NetworkCondition, side: NetworkDegradationSource) {
        guard old != new else { return nil }
        self.init(side: side, from: old, to: new)
    }
}
