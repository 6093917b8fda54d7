// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whose network is to blame for what a subscriber suffers.
package enum DegradationJudge {
    /// What is known of both sides.
    struct Input: Sendable {
        var local: NetworkCondition
        var remote: NetworkCondition
        var routing: MediaRouting?
        /// The side that shows where connections are compared.
        var comparedSide: NetworkDegradationSource?
        /// Whether what is lost on the local side was lost on the remote one before.
        var isLossPassedOn = false
        /// Whether an impairment is audible or visible.
        var isImpaired = false
    }

    /// The side, by the table of the quality model.
    static func source(_ input: Input) -> NetworkDegradationSource {
        guard input.local != .unknown else { return .unknown }
        // Where no router is known to divide the path, both ends may see one.
        if input.routing != .routed { return relayed(input) }
        if input.local.isBad, input.comparedSide == .server { return .server }
        if input.isLossPassedOn, input.local.isBad, input.remote.isBad { return .remote }
        switch (input.local.isBad, input.remote) {
        case (false, .unknown): return input.isImpaired ? .unknown : .none
        case (true, .unknown): return .local
        case (false, let remote): return remote.isBad ? .remote : .none
        case (true, let remote):
            guard remote.isBad else { return .local }
            let distance = input.local.rawValue - remote.rawValue
            if abs(distance) < 2 { return .bothOrUnclear }
            return distance < 0 ? .local : .remote
        }
    }

    /// Both ends of a relayed stream see one path; only the publisher can compare it with its others.
    private static func relayed(_ input: Input) -> NetworkDegradationSource {
        guard input.local.isBad || input.remote.isBad else {
            return input.remote == .unknown && input.isImpaired ? .unknown : .none
        }
        switch input.comparedSide {
        case .local?: return .local
        case .remote?: return .remote
        default: return .bothOrUnclear
        }
    }

    /// A relayed publisher's verdict on each of its connections: all bad is its uplink, some bad are their
    /// downlinks.
    ///
    /// - Returns: As each subscriber sees it: `remote` is the publisher's uplink; `nil` where the connection
    ///   is fine or unknown.
    package static func verdicts(on conditions: [NetworkCondition]) -> [NetworkDegradationSource?] {
        let known = conditions.filter { $0 != .unknown }
        let areAllBad = known.allSatisfy(\.isBad)
        return conditions.map { condition in
            guard condition.isBad else { return nil }
            if known.count < 2 { return .bothOrUnclear }
            return areAllBad ? .remote : .local
        }
    }
}
