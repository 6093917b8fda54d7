// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Packets that were due on a path, and how many of them the network lost.
struct LossTally: Sendable, Equatable {
    var lost = 0.0
    var due = 0.0

    /// 0 to 1; `nil` before anything was due.
    var fraction: Double? { due > 0 ? min(1, max(0, lost / due)) : nil }

    static func + (left: LossTally, right: LossTally) -> LossTally {
        LossTally(lost: left.lost + right.lost, due: left.due + right.due)
    }
}
