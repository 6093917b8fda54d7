// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What packets showed of their path within a second that ended at a time of the reports, in ms.
struct PathSecond: Sendable {
    var time: Double
    var timing: PathTiming
}

/// Dates what a media router measured, and omits what is said again.
struct PathSeconds: Sendable {
    private var newest = -Double.infinity

    /// What comes sooner after another is the same, in ms.
    private static let repeated = 500.0

    /// Takes what came with a tick, oldest first.
    mutating func handle(_ timings: [Aged<PathTiming>], at time: Double) -> [PathSecond] {
        timings.compactMap { timing in
            guard timing.age.isFinite else { return nil }
            let measured = time - max(0, timing.age) * 1000
            guard measured - newest >= Self.repeated else { return nil }
            newest = measured
            return PathSecond(time: measured, timing: timing.value)
        }
    }
}
