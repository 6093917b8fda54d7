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

    /// Takes a tick's estimate, in bps; `nil` if there is none.
    mutating func handle(_ estimate: Double?, at time: Double) {
        guard let estimate else {
            estimates = []
            isSteady = false
            return
        }
        // What fell or stands climbs no more.
        if let last = estimates.last, estimate <= last.estimate { estimates = [] }
        estimates.append((time, estimate))
        let start = estimates.lastIndex { $0.time <= time - Self.window }
        if let start { estimates.removeFirst(start) }
        isSteady = start != nil && estimate >= (estimates.first?.estimate ?? .infinity) * Self.growth
    }
}
