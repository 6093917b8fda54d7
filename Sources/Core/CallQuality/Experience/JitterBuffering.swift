// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Follows the delay that a jitter buffer of audio aims at because packets come unsteadily.
///
/// A receiver that has learned how late packets may be conceals little; what is left of the jitter is delay.
struct JitterBuffering: Sendable {
    /// The delay, in seconds, while it is much longer than usual and packets come unsteadily; else `nil`.
    private(set) var delay: Double?

    /// The delay while packets come steadily, in seconds: the shortest, from which it rises slowly.
    private var usual: Double?
    /// Jitter of packets while the delay is short, in seconds.
    private var usualJitter: Double?
    private var grown = Lasting()
    private var unsteadyAt = -Double.infinity

    /// Delay that is disturbing by itself, in seconds: with a usual path it is more than ITU-T G.114 recommends at most.
    static let disturbing = 0.3
    /// Delay that makes itself felt beside that of the path, in seconds, and how many times the usual one it has to be.
    private static let noticeable = 0.15
    private static let factor = 2.5
    /// How long it has to last, in seconds, and how long it counts after the last packet that came unsteadily, in ms: buffers
    /// shrink slowly.
    private static let confirmation = 2.0
    private static let memory = 6000.0
    /// How far the usual delay and the usual jitter move in a tick, of the way to the present ones.
    private static let smoothing = 0.03
    /// Jitter of packets that come unsteadily, in seconds, and how many times the usual one it has to be.
    private static let unsteady = 0.008
    private static let jitterFactor = 2.0

    /// Takes a tick.
    ///
    /// - Parameters:
    ///   - new: The delay, in seconds; `nil` if unknown.
    ///   - jitter: That of the packets, in seconds; `nil` if unknown.
    ///   - isConcealed: Whether audio is concealed of which no packet was lost.
    mutating func handle(_ new: Double?, jitter: Double?, isConcealed: Bool, at tick: Tick) {
        let isUnsteady = isConcealed || isUnsteady(jitter)
        if isUnsteady { unsteadyAt = tick.time }
        let span = max(Self.memory, 1500 * (tick.interval ?? 0))
        let isSteady = tick.time - unsteadyAt > span
        if let new { noteUsual(new, jitter, isSteady: isSteady) }
        let isLong = new.map { $0 >= Self.noticeable && $0 >= Self.factor * (usual ?? $0) }
        grown.handle(isLong ?? false, for: Self.confirmation, at: tick)
        delay = grown.isTrue && !isSteady ? new : nil
    }

    private func isUnsteady(_ jitter: Double?) -> Bool {
        guard let jitter, jitter >= Self.unsteady else { return false }
        return jitter >= Self.jitterFactor * (usualJitter ?? 0)
    }

    private mutating func noteUsual(_ new: Double, _ jitter: Double?, isSteady: Bool) {
        let usual = usual ?? new
        self.usual = new < usual ? new : isSteady ? usual + (new - usual) * Self.smoothing : usual
        guard let jitter, new < Self.noticeable else { return }
        let usualJitter = usualJitter ?? jitter
        self.usualJitter = usualJitter + (jitter - usualJitter) * Self.smoothing
    }
}
