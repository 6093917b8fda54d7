// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The jitter that the sender's own pacer adds to video.
///
/// A frame's packets carry one timestamp and leave one after the other. The far end measures the time from
/// the last packet of a frame to the first of the next (RFC 3550, 6.4.1), which is too short by what the
/// packets are spread over: twice their mean wait. Few and large frames thus make 80 ms of jitter on a path
/// that has none.
struct PacingSpread: Sendable {
    /// Share of the previous value that RFC 3550's estimate keeps with each timestamp.
    private static let memory = 15.0 / 16
    /// After this many timestamps nothing of the old is left.
    private static let longMemory: UInt64 = 64

    private var sendDelay = Accumulator()
    /// In seconds, smoothed like the jitter; `nil` if the engine does not report how long packets wait.
    private(set) var spread: Double?

    /// Takes the total of seconds that packets waited, and what was sent since.
    mutating func advance(to reading: Double?, packets: Increment?, frames: Increment?) {
        guard let waited = sendDelay.advance(to: reading) else {
            spread = nil
            return
        }
        let before = spread ?? 0
        guard let packets = packets?.amount, let frames = frames?.amount, packets > 0, frames > 0 else {
            spread = before
            return
        }
        var kept = 1.0
        for _ in 0..<min(frames, Self.longMemory) { kept *= Self.memory }
        spread = before * kept + 2 * waited / Double(packets) * (1 - kept)
    }

    /// Prepares for counters that start over.
    mutating func restart() { self = PacingSpread() }
}
