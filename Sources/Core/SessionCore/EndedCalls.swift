// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import SessionWire

/// Observed calls that the application has ended: whoever had a token by then adds no more to them.
///
/// A token that is made later begins the call again. Bounded: of very many the one that was ended first is forgotten.
struct EndedCalls: Sendable {
    /// When each was ended last, Unix ms.
    private var ends: [SessionID: Double] = [:]

    /// Remembers a call.
    ///
    /// - Returns: Whether it was known only to have been ended earlier, or not at all.
    @discardableResult
    mutating func insert(_ call: SessionID, at time: Double) -> Bool {
        if ends[call] == nil, ends.count >= EndedCallMemory.limit,
            let first = ends.min(by: { $0.value < $1.value })?.key
        {
            ends[first] = nil
        }
        if let known = ends[call], known >= time { return false }
        ends[call] = time
        return true
    }

    /// Whether a call was ended after a token was made, or in the same second: tokens have no finer time.
    ///
    /// - Parameter issued: When it was made, Unix ms.
    func contain(_ call: SessionID, forTokenOf issued: Double) -> Bool {
        ends[call].map { issued <= $0 } ?? false
    }
}

extension ObserverGrant {
    /// Tells it from others where what it does is counted.
    var subject: UInt64 {
        var hasher = Hasher()
        hasher.combine(call)
        hasher.combine(participant)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
