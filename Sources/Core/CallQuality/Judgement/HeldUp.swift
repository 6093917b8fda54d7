// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Tells whether all packets of an uplink are held up, by what they show a media router.
///
/// A delay that varies lets some packets through as fast as ever. One that holds up all of them is a queue or a longer path, which
/// only their round trips distinguish: in a queue that others keep full, packets come as fast after one another as on an idle link.
struct HeldUp: Sendable {
    private var recent: [(time: Double, delay: Double)] = []
    /// Whether they are.
    private(set) var isSeen = false

    /// How old the seconds are at most that show it, in ms, and how many it takes.
    private static let window = 6_000.0
    private static let fewest = 3
    /// How long all packets wait at least, in seconds.
    private static let delay = 0.05
    /// Facts that come sooner after others than that are the same, in ms.
    private static let repeated = 500.0

    /// Takes what came with a tick, oldest first.
    mutating func handle(_ timings: [Aged<UplinkTiming>], at time: Double) {
        for timing in timings where timing.age.isFinite {
            let measured = time - max(0, timing.age) * 1000
            guard measured - (recent.last?.time ?? -.infinity) >= Self.repeated else { continue }
            if recent.count == Self.fewest { recent.removeFirst() }
            recent.append((measured, timing.value.sustainedDelay))
        }
        recent.removeAll { $0.time < time - Self.window }
        isSeen = recent.count == Self.fewest && recent.allSatisfy { $0.delay >= Self.delay }
    }
}
