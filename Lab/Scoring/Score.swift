// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// How one observer did in one call.
package struct ViewScore: Sendable, Equatable {
    /// Seconds on which it is judged.
    package var settledSeconds = 0
    /// Those of them with a right cause.
    package var causeRight = 0
    /// Seconds on which its side is judged: at bob the side, at alice the direction.
    package var sideSeconds = 0
    /// Those of them with a right one.
    package var sideRight = 0
    /// The same for the seconds on which something is wrong.
    package var fault = Share()
    /// Seconds from the beginning of each problem to its right cause; `nil` where it never came.
    package var detections: [Double?] = []
    /// Seconds from the end of each detected problem to `none` or `recovering`; `nil` where that never came.
    package var clears: [Double?] = []
    /// Wrong causes, with their seconds.
    package var mistakes: [Mistake: Int] = [:]

    /// Wrong sides (at alice: directions), with the seconds of them, those with a wrong cause included.
    package var sideMistakes: [Mistake: Int] = [:]

    /// Seconds, and those of them that are right.
    package struct Share: Sendable, Equatable {
        /// Seconds on which the cause is judged.
        package var seconds = 0
        /// Those of them with a right one.
        package var causeRight = 0
        /// Seconds on which the side is judged.
        package var sideSeconds = 0
        /// Those of them with a right one.
        package var sideRight = 0

        /// Nothing judged yet.
        package init() {}

        static func += (left: inout Share, right: Share) {
            left.seconds += right.seconds
            left.causeRight += right.causeRight
            left.sideSeconds += right.sideSeconds
            left.sideRight += right.sideRight
        }
    }

    /// A wrong cause in place of the right one.
    package struct Mistake: Hashable, Sendable {
        /// What was right.
        package var expected: String
        /// What was said.
        package var said: String

        /// Names a mistake.
        package init(expected: String, said: String) {
            self.expected = expected
            self.said = said
        }
    }

    /// Nothing judged yet.
    package init() {}

    /// Adds another call's score.
    package static func += (left: inout ViewScore, right: ViewScore) {
        left.settledSeconds += right.settledSeconds
        left.causeRight += right.causeRight
        left.sideSeconds += right.sideSeconds
        left.sideRight += right.sideRight
        left.fault += right.fault
        left.detections += right.detections
        left.clears += right.clears
        left.sideMistakes.merge(right.sideMistakes, uniquingKeysWith: +)
        left.mistakes.merge(right.mistakes, uniquingKeysWith: +)
    }
}

/// How both observers did in one or several calls.
package struct Score: Sendable, Equatable {
    /// Calls that were judged.
    package var calls = 0
    /// Alice's observer.
    package var alice = ViewScore()
    /// Bob's observer.
    package var bob = ViewScore()
    /// False alarms: of calls on which nothing was wrong, `nil` for the others.
    package var cleanAlarms: [String]?
    /// Share of packets that the emulated networks really dropped while something was wrong, percent; `nil`
    /// without packets then.
    package var droppedPercent: Double?
    /// Calls that the schedule check rejected before these were accepted.
    package var rejectedBefore = 0
    /// The highest load of the machine during the calls; `nil` if unknown.
    package var load: Double?

    /// Nothing judged yet.
    package init() {}

    /// Someone's observer.
    package subscript(party: Scenario.Party) -> ViewScore {
        get { party == .alice ? alice : bob }
        set { if party == .alice { alice = newValue } else { bob = newValue } }
    }

    /// Adds another call's score.
    package static func += (left: inout Score, right: Score) {
        left.calls += right.calls
        left.rejectedBefore += right.rejectedBefore
        left.alice += right.alice
        left.bob += right.bob
        if let alarms = right.cleanAlarms { left.cleanAlarms = (left.cleanAlarms ?? []) + alarms }
        left.droppedPercent = [left.droppedPercent, right.droppedPercent].compactMap(\.self).max()
        left.load = [left.load, right.load].compactMap(\.self).max()
    }
}

/// The middle of times, one that never came counting as longer than all others.
///
/// - Returns: `nil` if there are none, infinity if the middle one never came.
package func median(_ times: [Double?]) -> Double? { percentile(times, 50) }

/// The shortest of times that this share of them does not exceed, one that never came counting as longer than all others.
///
/// - Returns: `nil` if there are none, infinity if that one never came.
package func percentile(_ times: [Double?], _ percent: Int) -> Double? {
    guard !times.isEmpty else { return nil }
    let rank = (times.count * percent + 99) / 100
    return times.map { $0 ?? .infinity }.sorted()[max(0, rank - 1)]
}
