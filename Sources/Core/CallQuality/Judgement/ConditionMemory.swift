// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Notices changes of a transport's condition: a first value is none, and what is unknown for a while changes nothing.
struct ConditionMemory: Sendable {
    private var last = NetworkCondition.unknown

    /// Takes a tick's condition; returns the change from what was known before.
    mutating func handle(
        _ condition: NetworkCondition, _ reason: NetworkReason, side: NetworkDegradationSource
    ) -> NetworkConditionChange? {
        guard condition != .unknown else { return nil }
        let before = last
        last = condition
        guard before != .unknown, before != condition else { return nil }
        return NetworkConditionChange(
            side: side, from: before, to: condition,
            reason: reason == .none || reason == .unknown ? .networkConditionChange : reason)
    }
}
