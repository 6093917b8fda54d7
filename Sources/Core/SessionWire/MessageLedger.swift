// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Send and receive log of one side: so that each message arrives once
/// and in order, over as many sockets as that takes.
///
/// Pure. Server and client keep one for each session; see ``Resumption``.
package struct MessageLedger<Message: Sendable>: Sendable {
    /// Classification of an arrived message by its number.
    package enum Reception: Sendable, Equatable {
        /// Its turn has come.
        case next
        /// It was here before.
        case duplicate
        /// One before it is missing; nothing that comes after it on this socket can be used.
        case gap
    }

    private struct Entry: Sendable {
        var message: Message
        var weight: Int
    }

    private let limit: Int
    private let weightLimit: Int
    /// Sent and not confirmed, oldest first; the last has the number `lastSent`.
    private var kept: [Entry] = []
    private var weight = 0
    private var reported = 0
    /// When the first message arrived that was not confirmed yet; `nil` if all were.
    package private(set) var unreportedSince: Duration?
    /// The number of the last message that was sent; 0 if there was none.
    package private(set) var lastSent = 0
    /// The number of the last message that has arrived; 0 if there was none.
    package private(set) var received = 0

    /// - Parameters:
    ///   - limit: Most messages that are kept.
    ///   - weightLimit: Most bytes, or whatever ``send(weight:_:)`` counts in, that are kept.
    package init(limit: Int, weightLimit: Int = .max) {
        self.limit = limit
        self.weightLimit = weightLimit
    }

    /// Messages that the other side has not confirmed.
    package var unconfirmed: Int { kept.count }

    /// Messages that have arrived and were not confirmed yet.
    package var unreported: Int { received - reported }

    /// Numbers a message and keeps it.
    ///
    /// - Parameter make: Makes the message with its number.
    /// - Returns: The message; `nil` if too many are unconfirmed, and the two sides can no longer be brought
    ///   together.
    package mutating func send(
        weight: Int = 1, _ make: (Int) throws -> Message
    ) rethrows -> Message? {
        guard kept.count < limit, weight <= weightLimit - self.weight else { return nil }
        let message = try make(lastSent + 1)
        lastSent += 1
        self.weight += weight
        kept.append(Entry(message: message, weight: weight))
        return message
    }

    /// Records that a message with this number has arrived at `now`.
    package mutating func receive(_ number: Int, at now: Duration) -> Reception {
        guard number > received else { return .duplicate }
        // Not `received + 1`: the other side chooses how far it counts.
        guard number - received == 1 else { return .gap }
        received = number
        unreportedSince = unreportedSince ?? now
        return .next
    }

    /// What the other side is to be sent about what has arrived.
    package mutating func report() -> Acknowledgement {
        reported = received
        unreportedSince = nil
        return Acknowledgement(received: received)
    }

    /// The other side has received everything up to a number; an older acknowledgement changes nothing.
    ///
    /// - Returns: `false` if that many were never sent.
    package mutating func confirm(_ number: Int) -> Bool {
        guard (0...lastSent).contains(number) else { return false }
        let count = number - (lastSent - kept.count)
        guard count > 0 else { return true }
        for entry in kept.prefix(count) { weight -= entry.weight }
        // Again: an array that was long once keeps its length for good, and most clients have nothing
        // unconfirmed.
        kept = Array(kept.dropFirst(count))
        return true
    }

    /// The other side is there again, on a new socket, and has got everything up to a number.
    ///
    /// - Returns: What it has not got, in order; `nil` if that is not to be had any more.
    package mutating func resume(after number: Int) -> [Message]? {
        guard number >= lastSent - kept.count, confirm(number) else { return nil }
        return kept.map(\.message)
    }
}
