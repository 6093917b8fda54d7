// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether packets come as steadily as they were sent, by what they show a media router: what is late then was late before.
///
/// It takes some seconds without one that varies. What a stall leaves behind, a jitter buffer that is long, outlasts it by ten.
struct SteadyPath: Sendable {
    private var seconds: [PathSecond] = []
    /// Whether they do.
    private(set) var isShown = false

    /// Which seconds count, in ms, and how many of them it takes.
    private static let window = 12_000.0
    private static let fewest = 6
    /// How far delays of a second's packets are apart at most, in seconds: as much jitter is the best level's.
    private static let spread = 0.01

    /// Takes what came with a tick, oldest first.
    mutating func handle(_ new: [PathSecond], at time: Double) {
        seconds += new
        seconds.removeAll { $0.time < time - Self.window }
        isShown = seconds.count >= Self.fewest && seconds.allSatisfy { $0.timing.delaySpread < Self.spread }
    }
}
