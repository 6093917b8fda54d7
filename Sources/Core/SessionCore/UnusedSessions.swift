// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The sessions that no one is in and that end in time, in the order in which they became so.
///
/// There may be many: applications make sessions that no one ever comes to. What is due is therefore looked for at the
/// front only.
struct UnusedSessions: Sendable {
    private struct Place: Sendable {
        let number: UInt64
        let since: Duration
    }

    private var places: [SessionID: Place] = [:]
    /// Also has those that were used again; their numbers are others.
    private var queue: [(id: SessionID, number: UInt64)] = []
    /// Where the queue begins.
    private var front = 0
    private var lastNumber: UInt64 = 0

    var count: Int { places.count }

    /// The time from which on no one is in a session; `nil` if someone is, or it is kept.
    subscript(id: SessionID) -> Duration? { places[id]?.since }

    /// The one that no one has been in for longest.
    mutating func oldest() -> SessionID? {
        while front < queue.count, places[queue[front].id]?.number != queue[front].number { front += 1 }
        guard front < queue.count else { return nil }
        return queue[front].id
    }

    /// No one is in a session any more, or yet.
    mutating func add(_ id: SessionID, at now: Duration) {
        lastNumber += 1
        places[id] = Place(number: lastNumber, since: now)
        queue.append((id, lastNumber))
        if queue.count > 2 * places.count + 64 { compact() }
    }

    /// Someone is in a session, or it is gone.
    mutating func remove(_ id: SessionID) { places[id] = nil }

    private mutating func compact() {
        queue = queue.filter { places[$0.id]?.number == $0.number }
        front = 0
    }
}
