// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How much of what its threads can do a media router does, over some seconds: a busy moment fills no router.
struct SmoothedLoad: Sendable {
    /// How long a change takes to show for the most part.
    private static let memory: Duration = .seconds(2)
    /// A full router has room again below this share of the limit, so that it does not alternate at it.
    private static let release = 0.95
    /// What a leg counts for until its own work shows: a router is full at some hundred of them.
    private static let legLoad = 0.01
    /// Loads that differ by no more than that are alike: a measurement is not more exact.
    static let exactness = 0.05

    /// 1 is all that the threads can do.
    private(set) var share: Double
    /// Whether new legs would spoil those that the router has.
    private(set) var isFull = false
    /// The router's legs, smoothed as the share is: the work of those beyond does not show in it yet.
    private var legs: Double
    private var measuredAt: Duration

    /// Begins with the measurement of a first second, as if the router had done nothing before.
    ///
    /// It fills no router by itself: where many come back at once, the first seconds are their handshakes.
    init(_ measured: Double, legs: Int, at now: Duration) {
        let weight = Self.weight(of: .seconds(1))
        share = weight * measured
        self.legs = weight * Double(legs)
        measuredAt = now
    }

    /// How much a measurement counts for that comes so long after the one before.
    private static func weight(of time: Duration) -> Double { time / (time + memory) }

    /// Takes a measurement.
    ///
    /// - Parameters:
    ///   - legs: What the router has at that moment.
    ///   - limit: Above it the router is full; `nil` if it never is.
    mutating func take(_ measured: Double, legs: Int, limit: Double?, at now: Duration) {
        let time = now - measuredAt
        guard time > .zero else { return }
        measuredAt = now
        let weight = Self.weight(of: time)
        share += weight * (measured - share)
        self.legs += weight * (Double(legs) - self.legs)
        judge(limit)
    }

    private mutating func judge(_ limit: Double?) {
        guard let limit else {
            isFull = false
            return
        }
        isFull = share > (isFull ? limit * Self.release : limit)
    }

    /// What it comes to with the legs that have come or gone too lately to show in it.
    func expected(with legs: Int) -> Double {
        max(0, share + Self.legLoad * (Double(legs) - self.legs))
    }

    /// To three decimals, as it is shown.
    var shown: Double { (share * 1000).rounded() / 1000 }
}
