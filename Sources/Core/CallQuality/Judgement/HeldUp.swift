// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether all packets of a path are held up, by what they show a media router.
///
/// A delay that varies lets some packets through as fast as ever. One that holds up all of them is a queue or a longer path: in a
/// queue that others keep full, packets come as fast after one another as on an idle link. A longer path holds them up by the same
/// time, but for jitter; a queue swells and drains.
struct HeldUp: Sendable {
    /// Those in which they are, in a row.
    private var seconds: [PathSecond] = []
    /// Whether they are.
    var isSeen: Bool { seconds.count >= Self.fewest }
    /// How long all are of late, in seconds; `nil` unless they are.
    var delay: Double? { isSeen ? seconds.suffix(Self.fewest).map(\.timing.sustainedDelay).min() : nil }
    /// Whether it moves by more than jitter.
    private(set) var isMoving = false

    /// How old the seconds are at most that show it, in ms, and how many it takes.
    private static let window = 6_000.0
    private static let fewest = 3
    /// The same of how it moves.
    private static let longWindow = 20_000.0
    private static let fewestMoving = 5
    /// How long all packets wait at least, in seconds.
    private static let least = 0.05
    /// By how much a queue moves, in seconds and as a multiple of jitter.
    private static let move = (seconds: 0.012, jitters: 3.0)

    /// Takes what came with a tick, oldest first, and the jitter of media, in seconds; `nil` if unknown.
    mutating func handle(_ new: [PathSecond], jitter: Double?, at time: Double) {
        for second in new {
            if second.timing.sustainedDelay >= Self.least { seconds.append(second) } else { seconds = [] }
        }
        if time - (seconds.last?.time ?? -.infinity) > Self.window { seconds = [] }
        seconds.removeAll { $0.time < time - Self.longWindow }
        isMoving = jitter.map { moves(by: max(Self.move.seconds, Self.move.jitters * $0)) } ?? false
    }

    /// Whether it does since it settled: what comes first may be of both paths.
    private func moves(by least: Double) -> Bool {
        guard seconds.count >= Self.fewestMoving else { return false }
        let delays = seconds.map(\.timing.sustainedDelay)
        let settled = delays.indices.dropLast(2).first { first in
            delays[first..<(first + 3)].allSatisfy { abs($0 - delays[first]) < least }
        }
        // One that never does is no path.
        let since = delays[(settled ?? 1)...]
        return (since.max() ?? 0) - (since.min() ?? 0) >= least
    }
}
