// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A transport's network condition changed; the statistics are those of the observation that carries the
/// event.
///
/// A first value is no change, and neither is a condition that is unknown for a while: what is known now is compared
/// with what was known last.
public struct NetworkConditionChange: Sendable, Equatable, Codable {
    /// The subscriber's connection of a relayed publisher; `nil` otherwise.
    public var connectionId: String?
    /// The subscriber of a relayed publisher; `nil` otherwise.
    public var subscriberId: String?
    /// Whose condition changed: `local`, the own one, or `remote`, the publisher's of a subscription.
    public var side: NetworkDegradationSource
    /// The condition before.
    public var from: NetworkCondition
    /// The condition now.
    public var to: NetworkCondition
    /// What drives the new condition; ``NetworkReason/networkConditionChange`` where nothing is wrong any more.
    public var reason: NetworkReason
    /// The own condition now; `unknown` without data.
    public var localCondition: NetworkCondition
    /// The publisher's condition now, for subscribers, whether or not it shows its figures; `unknown` without data, and
    /// for publishers.
    public var remoteCondition: NetworkCondition

    /// Creates a change.
    public init(
        connectionId: String? = nil, subscriberId: String? = nil, side: NetworkDegradationSource = .local,
        from: NetworkCondition, to: NetworkCondition, reason: NetworkReason = .networkConditionChange,
        localCondition: NetworkCondition = .unknown, remoteCondition: NetworkCondition = .unknown
    ) {
        self.connectionId = connectionId
        self.subscriberId = subscriberId
        self.side = side
        self.from = from
        self.to = to
        self.reason = reason
        self.localCondition = localCondition
        self.remoteCondition = remoteCondition
    }

    /// Whether it is a believed worsening to a bad condition (fair or worse); a recovery never is, and neither is what
    /// is still good: no one notices it.
    public var isAlarm: Bool { to.isBad && (from == .unknown || to < from) }
}
