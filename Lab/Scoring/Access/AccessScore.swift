// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// How observers did in calls over access lines; in seconds unless said otherwise.
package struct AccessScore: Sendable, Equatable {
    /// Seconds, and those of them that are right.
    package struct Share: Sendable, Equatable {
        package var seconds = 0
        package var right = 0

        package init(seconds: Int = 0, right: Int = 0) {
            self.seconds = seconds
            self.right = right
        }

        mutating func add(_ isRight: Bool) {
            seconds += 1
            if isRight { right += 1 }
        }

        static func += (left: inout Self, right: Self) {
            left.seconds += right.seconds
            left.right += right.right
        }

        /// In percent, one digit; a dash without seconds.
        package var text: String { Words.share(right, seconds) }
    }

    /// Figures of one observer: the product, or one that always says that nothing is wrong.
    package struct Figures: Sendable, Equatable {
        package var cause = Share()
        package var side = Share()
        /// The same while something is wrong.
        package var faultCause = Share()
        package var faultSide = Share()
        /// The same where the truth has been as it is for long enough.
        package var settledCause = Share()
        package var settledSide = Share()
        package var settledFaultCause = Share()
        package var settledFaultSide = Share()

        package init() {}

        static let shares = [
            \Self.cause, \.side, \.faultCause, \.faultSide, \.settledCause, \.settledSide,
            \.settledFaultCause, \.settledFaultSide,
        ]

        static func += (left: inout Self, right: Self) {
            for share in shares { left[keyPath: share] += right[keyPath: share] }
        }
    }

    /// A wrong answer.
    package struct Mistake: Hashable, Sendable {
        package var truth: String
        package var said: String

        package init(truth: String, said: String) {
            self.truth = truth
            self.said = said
        }
    }

    package var calls = 0
    package var product = Figures()
    package var silent = Figures()
    /// Seconds without a judgement.
    package var unknown = Share()
    /// Right ones in which several causes held.
    package var severalRight = 0
    /// Right ones in which something might be named or not.
    package var borderlineRight = 0
    /// Right ones in which recovering was another word for none.
    package var recoveringRight = 0
    /// Seconds from the beginning of each fault to its first right cause; `nil` where it never came.
    package var detections: [Double?] = []
    /// Seconds from the first one after each detected fault that does not allow what was named to none or recovering;
    /// `nil` where that never came.
    package var clears: [Double?] = []
    /// Detected faults of which that could not be seen: another one began too soon, or the call ended.
    package var unseenClears = 0
    /// How often something was named that was not there, and the seconds in which nothing was.
    package var falseAlarms = 0
    package var wellSeconds = 0
    /// How often something began to be named in a second in which it might be, or not.
    package var borderlineAlarms = 0
    package var mistakes: [Mistake: Int] = [:]
    package var sideMistakes: [Mistake: Int] = [:]

    package init() {}

    package static func += (left: inout Self, right: Self) {
        left.calls += right.calls
        left.product += right.product
        left.silent += right.silent
        left.unknown += right.unknown
        left.severalRight += right.severalRight
        left.borderlineRight += right.borderlineRight
        left.recoveringRight += right.recoveringRight
        left.detections += right.detections
        left.clears += right.clears
        left.unseenClears += right.unseenClears
        left.falseAlarms += right.falseAlarms
        left.wellSeconds += right.wellSeconds
        left.borderlineAlarms += right.borderlineAlarms
        left.mistakes.merge(right.mistakes, uniquingKeysWith: +)
        left.sideMistakes.merge(right.sideMistakes, uniquingKeysWith: +)
    }
}
