// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import GRDB

extension Row {
    /// When the row's minute began, Unix ms.
    var minuteTime: Double { Double(unixMinute: Swift.min(Swift.max(0, key("minute")), .latestMinute)) }
}

extension JudgementTally {
    /// Reads a row of the minutes, or of their ``sums``.
    init(_ row: Row) {
        let gaps = Self.gapNames.map { row.integer($0).map { max(0, $0) } }
        self.init(
            samples: row.count("samples"), bad: row.count("bad"),
            worst: NetworkCondition(code: row.integer("worst")),
            audio: .init(sum: row.count("a_mos_sum"), count: row.count("a_mos_count")),
            video: .init(sum: row.count("v_mos_sum"), count: row.count("v_mos_count")),
            freezes: .init(count: gaps[0].map { Int($0) }, duration: gaps[1]),
            pauses: .init(count: gaps[2].map { Int($0) }, duration: gaps[3]))
    }

    private static let gapNames = ["freezes", "freeze_ms", "pauses", "pause_ms"]

    /// Several minutes as one, by the columns' names; `total` cannot overflow, as `sum` does.
    static let sums: String = {
        let counts = ["samples", "bad", "a_mos_sum", "a_mos_count", "v_mos_sum", "v_mos_count"]
        return
            (["min(minutes.worst) AS worst"] + counts.map { "total(minutes.\($0)) AS \($0)" }
            + gapNames.map { "max(minutes.\($0)) AS \($0)" }).joined(separator: ", ")
    }()
}
