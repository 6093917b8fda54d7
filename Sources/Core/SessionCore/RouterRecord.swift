// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// One of a server's routers.
package struct RouterID: Hashable, Comparable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The only one of a server that has one.
    package static let first = RouterID(rawValue: 0)

    package static func < (left: RouterID, right: RouterID) -> Bool { left.rawValue < right.rawValue }
}

/// What the server knows of one router.
struct RouterRecord: Sendable {
    private(set) var isReady = false
    /// Times that the router came after the first.
    private(set) var restarts = 0
    /// When the router last said something or had no need to.
    var heardAt: Duration = .zero
    /// Legs that the router has or is to get.
    var legs = 0
    /// The sessions that are on it.
    var sessions: Set<SessionID> = []
    var service = Service.open
    /// How much of what it can do it does; `nil` while no one knows: its legs alone count then.
    private(set) var load: SmoothedLoad?
    private var comparison = RouterComparison()
    /// Whether there was nothing to be measured the last time.
    private var isUnmeasured = false
    private var hasBeenThere = false

    /// Whether a router takes further sessions.
    enum Service: Sendable {
        case open
        /// It takes none, and ends when it has none, or at that moment.
        case draining(until: Duration)
        /// It was ended, and is about to be started again.
        case ending
    }

    /// Whether further sessions may be placed on it.
    var takesSessions: Bool { isReady && !isDraining }

    /// Whether it takes none because it is to be started again.
    var isDraining: Bool { if case .open = service { false } else { true } }

    /// Whether it was ended, and is about to be started again.
    var isEnding: Bool { if case .ending = service { true } else { false } }

    /// Whether new legs would spoil those that it has, by its load.
    var isFull: Bool { load?.isFull ?? false }

    /// Its load with what legs that have just come are about to take; `nil` while no one knows it.
    var expectedLoad: Double? { load?.expected(with: legs) }

    /// Notes what was measured of its load; it is full above `limit`, if there is one.
    ///
    /// Of one measurement that is missing nothing is concluded: a full router would be open for that second.
    mutating func note(load measured: Double?, limit: Double?, at now: Duration) {
        guard let measured, measured.isFinite else {
            if isUnmeasured { load = nil }
            isUnmeasured = true
            return
        }
        isUnmeasured = false
        guard load != nil else {
            load = SmoothedLoad(measured, legs: legs, at: now)
            return
        }
        load?.take(measured, legs: legs, limit: limit, at: now)
    }

    /// Whether it is to blame for those of its legs that are bad.
    var isToBlame: Bool { comparison.isToBlame }

    /// Notes how its legs are, and those of the other routers.
    mutating func compare(
        _ legs: LegTally, beside others: LegTally, at now: Duration, _ rules: ComparisonRules
    ) {
        guard isReady else { return }
        comparison.handle(legs, beside: others, isOverloaded: isFull, at: now, rules)
    }

    /// Notes that the router is there.
    mutating func begin(at now: Duration) {
        if hasBeenThere { restarts += 1 }
        hasBeenThere = true
        isReady = true
        heardAt = now
        service = .open
        forgetCourse()
    }

    /// Notes that the router is gone.
    mutating func end() {
        isReady = false
        forgetCourse()
    }

    private mutating func forgetCourse() {
        load = nil
        isUnmeasured = false
        comparison = RouterComparison()
    }
}
