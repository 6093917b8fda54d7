// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether packets of a direction pass freely while round trip times rise, by what they show a media router.
///
/// Then it is the other direction that queues, or is longer. Round trip times may be seconds old, and a queue that begins or ends
/// lets some packets pass, so they have to disagree for some seconds.
struct FreePath: Sendable {
    private var rises: [Double] = []
    /// When they disagreed since packets were last held up.
    private var disagreements: [Double] = []
    private var heldUpAt = -Double.infinity
    private var newest = -Double.infinity
    /// Whether they do.
    private(set) var isShown = false

    /// How long packets that pass freely are held up at most, in seconds: less than half of a queue that round trips show.
    private static let free = 0.02
    /// How long after a round trip a second ends at most that contains it, in ms.
    private static let second = 1_200.0
    /// How far apart the first and the last of them are at least, and for how long they count, in ms.
    private static let span = 3_000.0
    private static let memory = 15_000.0
    /// For how long none of the packets may have been held up, and how old what they show is at most, in ms.
    private static let rest = 6_000.0

    /// Takes what came with a tick, oldest first, and whether one of its round trip times rose.
    mutating func handle(_ seconds: [PathSecond], isRisen: Bool, at time: Double) {
        if isRisen { rises.append(time) }
        for second in seconds {
            newest = second.time
            if second.timing.sustainedDelay > Self.free {
                heldUpAt = second.time
                disagreements = []
            } else if rises.contains(where: { $0 <= second.time && second.time <= $0 + Self.second }) {
                disagreements.append(second.time)
            }
        }
        rises.removeAll { $0 < time - Self.memory }
        disagreements.removeAll { $0 < time - Self.memory }
        let span = (disagreements.last ?? 0) - (disagreements.first ?? 0)
        isShown = span >= Self.span && time - heldUpAt > Self.rest && time - newest <= Self.rest
    }
}
