// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells a queue by two witnesses: a media router sees all packets held up, and round trips are longer as well.
///
/// Each alone may be mistaken. A sender's clock that is set holds up all packets as the router sees it, and a round trip has no
/// direction. A longer path makes both, until its round trips have held still (``RoundTripBaseline``).
struct PacketQueue: Sendable {
    /// How long packets wait in it, in seconds; `nil` while there is none.
    private(set) var delay: Double?
    /// Whether round trips have been too short since for packets to be held up still.
    private(set) var isRefuted = false
    /// Whether a round trip of this tick rose while packets were held up by much less: it is not in this direction that it queues.
    ///
    /// What the router sees is reported a second later, so that the first of a queue's round trips is denied as well.
    private(set) var deniesRise = false

    private var newest: PathSecond?
    private var recent: [PathSecond] = []
    /// When a round trip last rose, and none has been short since.
    private var risenAt = -Double.infinity

    /// How long packets wait in a queue that is worth a word, in seconds: two thirds of the 150 ms that ITU-T G.114 allows for a
    /// whole path; and in one that still is: the 50 ms to which ITU-T Y.1541 bounds the variation of delay.
    static let long = (begins: 0.1, stays: 0.05)
    /// How far apart both may be seen, in ms: RTCP about video comes each second.
    private static let agreement = 3_000.0
    /// How old what the router has seen is at most, in ms.
    private static let window = 6_000.0
    /// Share of the wait that a round trip is longer by at least that has it in it: a queue swells and drains in between.
    private static let share = 1.0 / 3
    /// Share of what a round trip is longer by that packets wait at least in a queue that makes it so.
    private static let whole = 2.0 / 3

    /// Takes what came with a tick, oldest first.
    ///
    /// - Parameters:
    ///   - rise: How much the longest of its round trips is above the shortest ones, in seconds; `nil` if none was measured.
    ///   - hasRisen: Whether that is as much as a queue.
    mutating func handle(_ seconds: [PathSecond], rise: Double?, hasRisen: Bool, at time: Double) {
        newest = seconds.last ?? newest
        recent.removeAll { $0.time < time - Self.agreement }
        recent += seconds.filter { $0.time >= time - Self.agreement }
        let most = recent.lazy.map(\.timing.sustainedDelay).max()
        deniesRise = hasRisen && most.map { $0 < (rise ?? 0) * Self.whole } ?? false
        let wait = newest.map { time - $0.time <= Self.window ? $0.timing.sustainedDelay : 0 } ?? 0
        if hasRisen { (risenAt, isRefuted) = (time, false) }
        if let rise, rise < wait * Self.share { (risenAt, isRefuted) = (-.infinity, true) }
        let hasAgreed = delay != nil || time - risenAt <= Self.agreement
        let least = delay == nil ? Self.long.begins : Self.long.stays
        delay = wait >= least && hasAgreed && !isRefuted ? wait : nil
    }
}
