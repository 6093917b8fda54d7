// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality

/// Whose network harms what goes to one of several receivers, by how the paths to the others do.
///
/// Paths that become bad together, or well, do not show it in the same second: that one alone is bad counts once it has
/// lasted. Until then what was so before is, or else it is unclear. Pure.
struct PathComparison: Sendable {
    private var side: NetworkDegradationSource?
    /// The start of the time in which this path alone is bad, in ms.
    private var aloneSince: Double?

    /// How long one path has to be bad alone for its receiver's network to be to blame, in ms.
    static let settling = 3_000.0

    /// - Returns: The side as the receiver sees it; `nil` where the path is fine or unknown.
    mutating func handle(
        _ own: NetworkCondition, others: [NetworkCondition], at time: Double
    ) -> NetworkDegradationSource? {
        let verdict = DegradationJudge.verdicts(on: [own] + others)[0]
        guard verdict == .local else {
            (side, aloneSince) = (verdict, nil)
            return verdict
        }
        let since = aloneSince ?? time
        aloneSince = since
        side = time - since >= Self.settling ? .local : side ?? .bothOrUnclear
        return side
    }
}
