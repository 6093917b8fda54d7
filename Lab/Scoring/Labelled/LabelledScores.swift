// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// How right the analysis of a folder of labelled calls is, over all of them.
public struct LabelledScores: Sendable {
    /// Moments in which something is wrong: the cause.
    public private(set) var cause = LabelledScore.Share()
    /// The side, where the truth has one and the cause is right.
    public private(set) var side = LabelledScore.Share()
    /// The severity, where the truth bounds it and the cause is right.
    public private(set) var severity = LabelledScore.Share()
    /// Moments in which nothing is wrong.
    public private(set) var clean = LabelledScore.Share()
    /// Calls that are judged rightly as a whole.
    public private(set) var calls = LabelledScore.Share()
    /// A line for each call that is not, with what was said of it, and the sums.
    public private(set) var lines: [String] = []

    /// Judges the calls of a folder.
    ///
    /// - Parameters:
    ///   - listsMoments: Whether the lines hold what was said at each moment.
    ///   - isWanted: Which calls.
    public init(
        _ folder: URL, listsMoments: Bool = false, where isWanted: (LabelledCall) -> Bool = { _ in true }
    ) throws {
        for call in try LabelledCall.all(in: folder) where isWanted(call) {
            let score = try LabelledScore(call, in: folder)
            cause = cause + score.cause
            side = side + score.side
            severity = severity + score.severity
            clean = clean + score.clean
            calls.note(score.isRight)
            if listsMoments { lines += score.moments.map { "\(call.name) \($0)" } }
            guard !score.isRight else { continue }
            let mistakes = score.mistakes.sorted { $0.value > $1.value }.prefix(5).map {
                "\($0.value) x \($0.key)"
            }
            lines.append(
                "\(call.name) (\(call.engine), \(call.interval) s; \(call.truth)): \(mistakes.joined(separator: "; "))"
            )
        }
        lines.append(
            "calls \(calls), cause \(cause), side \(side), severity \(severity), nothing wrong \(clean)")
    }
}

extension LabelledScore.Share: CustomStringConvertible {
    /// Such as `95 of 100`.
    public var description: String { "\(right) of \(all)" }

    static func + (left: Self, right: Self) -> Self {
        Self(right: left.right + right.right, all: left.all + right.all)
    }
}
