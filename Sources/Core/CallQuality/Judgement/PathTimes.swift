// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What packets showed of their path within a second that ended at a time of the reports, in ms.
struct PathSecond: Sendable, Equatable {
    var time: Double
    var timing: PathTiming
}

/// Dates what a media router measured, and omits what is said again.
struct PathTimes: Sendable {
    private var newest: PathSecond?

    /// What is equal and comes no later after another is the same, in ms.
    private static let repeated = 500.0

    /// Takes what came with a tick, oldest first.
    mutating func handle(_ timings: [Aged<PathTiming>], at time: Double) -> [PathSecond] {
        timings.compactMap { timing in
            guard timing.age.isFinite, timing.value.isSane else { return nil }
            let measured = time - max(0, timing.age) * 1000
            if let newest {
                guard measured >= newest.time else { return nil }
                if measured - newest.time < Self.repeated, timing.value == newest.timing { return nil }
            }
            let second = PathSecond(time: measured, timing: timing.value)
            newest = second
            return second
        }
    }
}

extension PathTiming {
    /// An app may set any figures.
    fileprivate var isSane: Bool {
        [capacityBound, sustainedDelay, delaySpread].allSatisfy { $0.isFinite && $0 >= 0 }
    }
}
