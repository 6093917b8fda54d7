// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Video that freezes again and again while nothing is wrong with its path: whoever sends it stops and resumes.
///
/// A single freeze may be a camera that was switched off and on again, two that end with key frames two pauses on purpose, and
/// what moves little in between is a screen.
struct RecurrentFreezes: Sendable {
    private var freezes: [(end: Double, seconds: Double, hasKeyFrame: Bool)] = []
    /// Frames since the newest freeze, and how long they took, in seconds.
    private var moving = (frames: 0.0, seconds: 0.0)

    /// How long they are remembered, in seconds.
    private static let window = 20.0
    /// A freeze is shorter where a server switches layers, or a key frame is awaited, in seconds.
    private static let shortest = 0.4
    /// How long they last in sum where they are worth a word, in seconds.
    private static let least = 2.0
    /// Frames per second from which on video between two freezes is a camera's.
    private static let motion = 12.0
    /// How many times the longest pause between two has to pass without another for them to be over.
    private static let holdFactor = 1.25

    /// Takes a tick.
    ///
    /// - Parameters:
    ///   - seconds: How long the freezes lasted that ended in this tick; `nil` if none did.
    ///   - frames: Frames of this tick; `nil` if unknown.
    ///   - hasKeyFrame: Whether a key frame was among them, as there is after a pause, and after a request for one.
    ///   - isExplained: Whether the path explains them.
    /// - Returns: The share of the time in which video was frozen since they began; `nil` while there are none, or one.
    mutating func handle(
        _ seconds: Double?, frames: Double?, hasKeyFrame: Bool, isExplained: Bool, at tick: Tick
    ) -> Double? {
        guard !isExplained, let frames else {
            self = RecurrentFreezes()
            return nil
        }
        let time = tick.time
        moving.frames += frames
        // A tick without frames is part of the freeze that the engine counts when it is over.
        if frames > 0 { moving.seconds += tick.interval ?? 0 }
        freezes.removeAll { $0.end <= time - Self.window * 1000 }
        if let seconds, seconds.isFinite, seconds >= Self.shortest {
            if moving.frames < Self.motion * moving.seconds { freezes = [] }
            freezes.append((time, min(seconds, Self.window), hasKeyFrame))
            moving = (0, 0)
        }
        let fewest = freezes.contains(where: \.hasKeyFrame) ? 3 : 2
        guard freezes.count >= fewest, let first = freezes.first, let last = freezes.last else { return nil }
        let pauses = zip(freezes.dropFirst(), freezes).map { $0.end - $1.end }
        // Reports that come rarely hold several freezes each.
        let longest = max(pauses.max() ?? 0, (tick.interval ?? 0) * 1000)
        guard time - last.end <= longest * Self.holdFactor else {
            freezes = []
            return nil
        }
        let sum = freezes.reduce(0) { $0 + $1.seconds }
        guard sum >= Self.least else { return nil }
        return min(sum / ((time - first.end) / 1000 + first.seconds), 1)
    }
}
