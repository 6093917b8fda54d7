// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Tells whether other flows fill the queue that an uplink's packets wait in, by what these show a media router.
///
/// A queue of others that is always full looks like a longer path by its round trip times: they rose once, and hold still. But
/// a longer path carries what it carried before, and packets of others between ours let no two of them come as fast as that.
struct CrossTraffic: Sendable {
    /// What a second let through, in bps.
    private struct Second {
        var time: Double
        var bound: Double
        var isDelayed: Bool
    }

    private var recent: [Second] = []
    /// What the last seconds without a queue let through, in bps: the newest last.
    private var idle: [Double] = []
    /// Whether they do.
    private(set) var isSeen = false

    /// How old those seconds are at most that show it, in ms, and how many it takes.
    private static let window = 6_000.0
    private static let fewest = 3
    private static let usual = 30
    /// How long packets wait in such a queue at least, in seconds.
    private static let delay = 0.05
    /// Share of what the path usually lets through, that it lets through at most with it.
    private static let share = 0.5

    /// Takes what came with a tick, oldest first.
    mutating func handle(_ timings: [Aged<UplinkTiming>], at time: Double) {
        for timing in timings where timing.age.isFinite {
            let measured = time - timing.age * 1000
            if measured > recent.last?.time ?? -.infinity { note(timing.value, at: measured) }
        }
        recent.removeAll { $0.time < time - Self.window }
        isSeen = recent.count == Self.fewest && recent.allSatisfy(\.isDelayed) && isSlow
    }

    private mutating func note(_ timing: UplinkTiming, at time: Double) {
        let isDelayed = timing.sustainedDelay >= Self.delay
        if recent.count == Self.fewest { recent.removeFirst() }
        recent.append(Second(time: time, bound: timing.capacityBound, isDelayed: isDelayed))
        guard !isDelayed else { return }
        if idle.count == Self.usual { idle.removeFirst() }
        idle.append(timing.capacityBound)
    }

    private var isSlow: Bool {
        let sorted = idle.sorted()
        guard let most = recent.lazy.map(\.bound).max(), !sorted.isEmpty else { return false }
        return most < Self.share * sorted[sorted.count / 2]
    }
}
