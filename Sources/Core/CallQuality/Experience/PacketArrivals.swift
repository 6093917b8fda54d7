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

    /// Fewer packets per second than this are comfort noise.
    static let continuous = 12.0
    /// Share of the usual rate that is all of it.
    private static let whole = 0.96

    /// Takes a tick's rate, in packets per second; `nil` says nothing.
    mutating func handle(
        _ rate: Double?, over interval: Double?, at time: Double, window seconds: Double
    ) {
        guard let rate, let interval, rate.isFinite, interval > 0 else {
            isComplete = false
            return
        }
        ticks.append((time, rate * interval, interval))
        ticks.removeAll { $0.time <= time - max(seconds, interval) * 1000 }
        let sum = ticks.reduce((packets: 0.0, seconds: 0.0)) {
            ($0.packets + $1.packets, $0.seconds + $1.seconds)
        }
        let mean = sum.packets / sum.seconds
        // Stalls even out over the whole window. The first report holds what was before.
        if sum.seconds >= seconds - interval / 2 { usual = max(mean, usual) }
        isComplete = usual >= Self.continuous && mean >= Self.whole * usual
    }
}
