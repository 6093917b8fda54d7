// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Follows how long audio waits in the jitter buffer because packets come unsteadily.
///
/// A receiver that has learned how late packets may be conceals little; what is left of the jitter is delay.
struct JitterBuffering: Sendable {
    /// The delay, in seconds, while it is much longer than usual and packets come unsteadily; else `nil`.
    private(set) var delay: Double?

    /// The shortest delay of the call, in seconds.
    private var usual: Double?
    private var grown = Lasting()
    private var unsteadyAt = -Double.infinity

    /// Jitter of audio that a buffer has to make up for, in seconds.
    static let unsteady = 0.008
    /// Delay that is disturbing by itself, in seconds: with a usual path it is more than ITU-T G.114 recommends at most.
    static let disturbing = 0.3
    /// Delay that makes itself felt beside that of the path, in seconds, and how many times the usual one it has to be.
    private static let noticeable = 0.15
    private static let factor = 2.5
    /// How long it has to last, in seconds, and how long it counts after the last packet that came unsteadily, in ms: buffers
    /// shrink slowly.
    private static let confirmation = 2.0
    private static let memory = 6000.0

    /// Takes a tick.
    mutating func handle(_ new: Double?, isUnsteady: Bool, at tick: Tick) {
        if isUnsteady { unsteadyAt = tick.time }
        if let new { usual = min(usual ?? new, new) }
        let isLong = new.map { $0 >= Self.noticeable && $0 >= Self.factor * (usual ?? $0) }
        grown.handle(isLong ?? false, for: Self.confirmation, at: tick)
        let span = max(Self.memory, 1500 * (tick.interval ?? 0))
        delay = grown.isTrue && tick.time - unsteadyAt <= span ? new : nil
    }
}
