// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Whether the wall clock can be trusted with deleting what is old.
///
/// A clock that jumps makes everything old at once. After a step, and at the start of a store whose newest
/// row is far from now, nothing is deleted for its age until the clock has run steadily for a day: time to
/// set it right.
///
/// Pure: compares the wall clock with one that no one sets.
package struct RetentionClock: Sendable {
    /// Result of comparing the clocks.
    package struct Reading: Sendable, Equatable {
        /// By how much the wall clock is off from where it should be, ms; `nil` for no step.
        package var step: Double?
        /// Whether nothing may be deleted for its age.
        package var isHeld: Bool
    }

    /// Between two looks; a clock that is put right little by little stays below it.
    package static let largestStep: Duration = .seconds(300)
    /// From the newest row to now at the start: a server that was off for longer waits as well.
    package static let largestGap: Duration = .seconds(86_400)
    /// How long nothing is deleted.
    package static let hold: Duration = .seconds(86_400)

    /// The wall clock less the other one, ms.
    private var offset: Double?
    private var heldUntil: Duration?

    /// Both clocks have not been compared yet.
    package init() {}

    /// Compares both clocks.
    ///
    /// - Parameter newest: Time of the newest row; counts at the first look only.
    package mutating func read(now: Double, uptime: Duration, newest: Double?) -> Reading {
        let current = now - uptime.milliseconds
        let step: Double?
        if let offset {
            step = abs(current - offset) > Self.largestStep.milliseconds ? current - offset : nil
        } else {
            step = newest.flatMap { abs(now - $0) > Self.largestGap.milliseconds ? now - $0 : nil }
        }
        offset = current
        if step != nil { heldUntil = uptime + Self.hold }
        return Reading(step: step, isHeld: heldUntil.map { uptime < $0 } ?? false)
    }
}
