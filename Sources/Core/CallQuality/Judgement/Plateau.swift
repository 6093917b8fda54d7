// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether an estimate stays where it fell to though nothing is lost: there is a limit.
///
/// After losses or an outage it climbs, and where delay varies it falls on.
struct Plateau: Sendable {
    /// The fall, in ms.
    private var fall = -Double.infinity
    /// The time at which it began to be followed, in ms.
    private var begin: Double?
    private var (low, high) = (Double.infinity, -Double.infinity)
    /// Whether it has stayed for long.
    private(set) var isLong = false

    /// How long it takes to settle, and how long it stays at least, in ms.
    private static let settling = 5_000.0
    private static let length = 20_000.0
    /// How much it varies at most, as a factor.
    private static let width = 1.3

    /// Takes an estimate since it fell at a time; packets that are lost hold it down by themselves.
    mutating func handle(_ estimate: Double?, isLossy: Bool, since fall: Double, at time: Double) {
        if fall != self.fall || isLossy {
            self = Plateau()
            self.fall = fall
        }
        guard !isLossy, let estimate, time - fall >= Self.settling else { return }
        let begin = begin ?? time
        self.begin = begin
        (low, high) = (min(low, estimate), max(high, estimate))
        isLong = high <= Self.width * low && time - begin >= Self.length
    }
}
