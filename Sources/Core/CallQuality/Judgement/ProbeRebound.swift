// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether probes show again and again that a path carries much more than congestion control believes.
///
/// Congestion control sends a burst now and then to see whether more gets through. At a limit it does not, or it queues. On a
/// path that stalls by itself the estimate jumps to a multiple each time, without a queue, and falls back with the next stall.
struct ProbeRebound: Sendable {
    private var estimates: [(time: Double, value: Double)] = []
    private var jumps: [Double] = []
    private var lossyAt = -Double.infinity

    /// Time over which it is looked at, in ms, and how many jumps there have to be.
    private static let window = 20_000.0
    private static let fewest = 2
    /// How many times the least estimate of the last seconds, in ms, a jump leads to; the estimate fell as far before.
    private static let factor = 2.5
    private static let lately = 3000.0
    /// Share of the round trips that may meet a stall.
    private static let stalled = 0.3

    /// Takes a tick.
    mutating func handle(_ input: CongestionClassifier.Input, at time: Double, _ rules: ConditionRules) {
        if input.recentLoss ?? 0 >= rules.loss.good { lossyAt = time }
        let oldest = time - Self.window
        jumps.removeAll { $0 < oldest }
        guard let estimate = input.estimate, !input.isEstimateInferred else { return }
        estimates.removeAll { $0.time < oldest }
        let low = estimates.lazy.filter { $0.time >= time - Self.lately }.map(\.value).min()
        // A start and what follows an outage leap as well: nothing has fallen yet.
        let high = estimates.lazy.filter { $0.time < time - Self.lately }.map(\.value).max()
        estimates.append((time, estimate))
        guard let low, estimate >= low * Self.factor, high ?? 0 >= low * Self.factor else { return }
        // The same leap is not one again.
        if time - (jumps.last ?? -.infinity) > Self.lately { jumps.append(time) }
    }

    /// Whether it does.
    func isShown(_ roundTrips: RoundTrips, at time: Double, _ rules: ConditionRules) -> Bool {
        let recent = roundTrips.since(time - Self.window)
        guard jumps.count >= Self.fewest, time - lossyAt >= Self.window, !recent.isEmpty else { return false }
        let long = recent.count { roundTrips.rise(of: $0) > rules.queueingTime }
        return Double(long) <= Self.stalled * Double(recent.count)
    }

    /// Starts over: on another path, or after an outage, from which the estimate comes back in leaps.
    mutating func forgetPath() { self = ProbeRebound() }
}
