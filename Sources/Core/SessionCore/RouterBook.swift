// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the server knows of its router, and what all sessions together have of it.
struct RouterBook: Sendable {
    private(set) var isReady = false
    /// Times that the router came after the first.
    private(set) var restarts = 0
    /// When the router last said something or had no need to.
    var heardAt: Duration = .zero
    /// Legs that the router has or is to get.
    var legs = 0
    /// Sessions with offers that wait for their turn.
    var waiting: Set<SessionID> = []
    /// Whether something has changed by which an offer's turn may have come.
    var mayRelease = false
    /// Offers that had their turn.
    private(set) var turns: UInt64 = 0
    /// What fills clients' networks at the moment.
    var saturations: [LegID: Saturation] = [:]
    private var hasBeenThere = false

    /// Notes that the router is there.
    mutating func begin(at now: Duration) {
        if hasBeenThere { restarts += 1 }
        hasBeenThere = true
        isReady = true
        heardAt = now
        mayRelease = true
    }

    /// Notes that the router is gone.
    mutating func end() { isReady = false }

    /// Gives someone a turn; which one that is.
    mutating func nextTurn() -> UInt64 {
        turns += 1
        return turns
    }

    /// Takes out whether an offer's turn may have come.
    mutating func takeRelease() -> Bool {
        defer { mayRelease = false }
        return mayRelease
    }

    /// Rate at which clients' networks are being filled, bps.
    func saturation(at now: Duration) -> Double {
        saturations.values.reduce(0) { $0 + ($1.end > now ? $1.bitrate : 0) }
    }

    /// Forgets what fills no one's network any more.
    mutating func expireSaturations(at now: Duration) {
        if !saturations.isEmpty { saturations = saturations.filter { $0.value.end > now } }
    }

    /// All sessions have ended.
    mutating func forgetSessions() {
        waiting = []
        saturations = [:]
        legs = 0
    }
}
