// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether congestion control's estimate climbs steadily: no limit holds it as long as it does.
struct EstimateClimb: Sendable {
    private var estimates: [(time: Double, estimate: Double)] = []
    /// Whether it has climbed for the last seconds.
    private(set) var isSteady = false

    /// Milliseconds for which it has to have climbed, and how much in that time, as a factor.
    private static let window = 3000.0
    private static let growth = 1.12
    /// Readings that show it.
    private static let fewest = 3

    /// Takes a tick's estimate, in bps; `nil` if there is none.
    mutating func handle(_ estimate: Double?, at time: Double) {
        guard let estimate else {
            estimates = []
            isSteady = false
            return
        }
        if let last = estimates.last {
            if estimate < last.estimate { estimates = [] }
            // What is reported again is no new figure; what stands has not climbed.
            if estimate == last.estimate {
                isSteady = isSteady && time - last.time < Self.window
                return
            }
        }
        estimates.append((time, estimate))
        let start = estimates.lastIndex { $0.time <= time - Self.window }
        if let start { estimates.removeFirst(start) }
        isSteady =
            start != nil && estimates.count >= Self.fewest
            && estimate >= (estimates.first?.estimate ?? .infinity) * Self.growth
    }
}
