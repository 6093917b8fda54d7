// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionWire

/// A message of a participant of an observed call, which is answered once all that it says is stored.
package struct ReportTicket: Hashable, Comparable, Sendable {
    let number: UInt64

    package static func < (first: Self, second: Self) -> Bool { first.number < second.number }
}

/// How a message of a participant of an observed call is to be answered.
package enum ReportOutcome: Sendable {
    /// All that it says is stored.
    case stored
    /// Something of it was dropped, and sent again it would be no better: too much comes, or nothing can be stored.
    case dropped
    /// Not all of it is stored yet: whoever has sent it is to send it again, and waits for the same then.
    case late
}

/// What was taken of a message of a participant of an observed call.
package struct ObservedTaking: Sendable {
    /// What is to be answered.
    package let receipt: ObservedReceipt
    /// By which ``CoreAction/settled(_:_:)`` says how; `nil` if there is nothing to wait for.
    package let ticket: ReportTicket?
}

extension ServerError {
    /// What was said was dropped; ``ReportOutcome/dropped``.
    package static let unstorable = ServerError(.tooMany, "the server cannot store reports at the moment")
}
