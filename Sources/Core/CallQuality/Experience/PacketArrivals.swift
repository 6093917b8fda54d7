// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether every packet of continuous audio comes, early or late.
///
/// Its sender makes packets at a steady rate; as many as before mean that none is missing, whoever may have lost it.
struct PacketArrivals: Sendable {
    private var ticks: [(time: Double, packets: Double, seconds: Double)] = []
    /// The rate that is usual, in packets per second.
    private var usual = 0.0
    /// Whether as many came lately as usual.
    private(set) var isComplete = false
    /// Share of the usual rate that came in the newest tick; `nil` if that is not known.
    private(set) var share: Double?

    /// Fewer packets per second than this are comfort noise.
    static let continuous = 12.0
    /// Share of the usual rate that is all of it.
    private static let whole = 0.96
    /// Times the mean that come at once after a stall: a window may hold them and not the stall.
    private static let heap = 1.3

    /// Takes a tick's rate, in packets per second; `nil` says nothing.
    mutating func handle(
        _ rate: Double?, over interval: Double?, at time: Double, window seconds: Double
    ) {
        guard let rate, let interval, rate.isFinite, interval > 0 else {
            (isComplete, share) = (false, nil)
            return
        }
        ticks.append((time, rate * interval, interval))
        ticks.removeAll { $0.time <= time - max(seconds, interval) * 1000 }
        let sum = ticks.reduce((packets: 0.0, seconds: 0.0)) {
            ($0.packets + $1.packets, $0.seconds + $1.seconds)
        }
        let mean = sum.packets / sum.seconds
        // Stalls even out over the whole window. The first report holds what was before.
        let isRegular = ticks.allSatisfy { $0.packets <= Self.heap * mean * $0.seconds }
        if sum.seconds >= seconds - interval / 2, isRegular || usual == 0 { usual = max(mean, usual) }
        isComplete = usual >= Self.continuous && mean >= Self.whole * usual
        share = usual >= Self.continuous ? rate / usual : nil
    }
}
