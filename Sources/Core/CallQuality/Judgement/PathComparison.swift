// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Whose network harms what goes to one of several receivers, by how the paths to the others do: the verdict of a moment,
/// settled.
///
/// Paths that become bad together, or well, do not show it in the same second: that one alone is bad counts once it has
/// lasted. Until then what was so before is, or else it is unclear. Pure.
package struct PathComparison: Sendable {
    private var side: NetworkDegradationSource?
    /// The start of the time in which this path alone is bad, in ms.
    private var aloneSince: Double?
    private var last: Double?

    /// How long one path has to be bad alone for its receiver's network to be to blame, in ms.
    private static let settling = 3_000.0
    /// The longest time between two reports over which anything is known to have lasted, in ms; a clock that was set back by
    /// more is another one.
    private static let longestGap = 15_000.0

    /// Nothing has been compared yet.
    package init() {}

    /// Settles the verdict of a moment, one of those of ``DegradationJudge/verdicts(on:)``.
    ///
    /// - Parameters:
    ///   - verdict: Whose network harms this path, by how all do at the moment; `nil` where it is fine or unknown.
    ///   - time: The time of the report, in ms. A late one changes nothing; after a long time without one the comparison
    ///     restarts.
    /// - Returns: The side as the receiver sees it; `nil` where the path is fine or unknown.
    package mutating func settle(_ verdict: NetworkDegradationSource?, at time: Double)
        -> NetworkDegradationSource?
    {
        if let last, time < last, last - time <= Self.longestGap { return side }
        if let last, abs(time - last) > Self.longestGap { self = Self() }
        last = time
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
