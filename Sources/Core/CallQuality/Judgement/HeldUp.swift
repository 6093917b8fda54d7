// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether all packets of a path are held up, by what they show a media router.
///
/// A delay that varies lets some packets through as fast as ever. One that holds up all of them is a queue or a longer path, which
/// only their round trips distinguish: in a queue that others keep full, packets come as fast after one another as on an idle link.
struct HeldUp: Sendable {
    private var recent: [PathSecond] = []
    /// Whether they are.
    private(set) var isSeen = false

    /// How old the seconds are at most that show it, in ms, and how many it takes.
    private static let window = 6_000.0
    private static let fewest = 3
    /// How long all packets wait at least, in seconds.
    private static let delay = 0.05

    /// Takes what came with a tick, oldest first.
    mutating func handle(_ seconds: [PathSecond], at time: Double) {
        recent = (recent + seconds).suffix(Self.fewest).filter { $0.time >= time - Self.window }
        isSeen = recent.count == Self.fewest && recent.allSatisfy { $0.timing.sustainedDelay >= Self.delay }
    }
}
