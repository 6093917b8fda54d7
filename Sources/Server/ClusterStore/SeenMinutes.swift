// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import PostgresClient

/// The minutes of the table and those in memory as one, for statements: what is in memory are arguments.
struct SeenMinutes {
    /// How many arguments those are.
    static let argumentCount = columns.count + 4
    /// Those, which come first.
    let arguments: [PostgresValue]

    private static let columns = [
        "flow", "minute", "observer", "samples", "worst", "bad", "a_mos_sum", "a_mos_count", "v_mos_sum",
        "v_mos_count", "freezes", "freeze_ms", "pauses", "pause_ms",
    ]

    /// - Parameter open: Those in memory.
    init(_ open: [OpenMinutes.Minute]) {
        let tallies = open.map { (key: $0.key, tally: MinuteTally($0.samples)) }
        func column(_ value: (MinuteTally) -> Int64?) -> PostgresValue {
            .int64s(tallies.map { value($0.tally) ?? -1 })
        }
        let keys: [PostgresValue] = [
            .int64s(tallies.map(\.key.flow)),
            .int64s(tallies.map { min(max(0, $0.key.minute), Int64(Int32.max)) }),
            .int64s(tallies.map(\.key.observer.rawValue)),
        ]
        let sums = [
            column { $0.samples }, column { $0.worst }, column { $0.bad }, column { $0.opinionSums[0] },
            column { $0.opinionCounts[0] }, column { $0.opinionSums[1] }, column { $0.opinionCounts[1] },
        ]
        let totals = MinuteTally.Total.allCases.map { total in column { $0.totals[total.rawValue] } }
        let counts = tallies.flatMap { minute in
            TallyColumns.packed(minute.tally).map { (key: minute.key, packed: $0) }
        }
        let words: [PostgresValue] = [
            .int64s(counts.map(\.key.flow)),
            .int64s(counts.map { min(max(0, $0.key.minute), Int64(Int32.max)) }),
            .int64s(counts.map(\.key.observer.rawValue)), .int64s(counts.map(\.packed)),
        ]
        arguments = [keys, sums, totals, words].flatMap(\.self)
    }

    private static func parameters(_ numbers: Range<Int>) -> String {
        numbers.map { "$\($0 + 1)::bigint[]" }.joined(separator: ", ")
    }

    /// The minutes with what each comes to.
    ///
    /// - Parameter condition: Which of the table's, by its columns; it holds for those in memory.
    static func sums(where condition: String) -> String {
        let all = columns.joined(separator: ", ")
        let open = columns.map { $0 == "worst" || isTotal($0) ? "nullif(\($0), -1)" : $0 }
        let each = columns.dropFirst(3).map { name in
            let sum = name == "worst" ? "min" : isTotal(name) ? "max" : "sum"
            return "\(sum)(\(name))::bigint AS \(name)"
        }
        return """
            (SELECT flow, minute, observer, \(each.joined(separator: ", ")) FROM (
                SELECT \(columns.map { "\($0)::bigint" }.joined(separator: ", ")) FROM minutes
                WHERE \(condition)
                UNION ALL
                SELECT \(open.joined(separator: ", "))
                FROM unnest(\(parameters(0..<columns.count))) AS open (\(all))
            ) AS each (\(all)) GROUP BY flow, minute, observer)
            """
    }

    /// How many samples of the minutes have which word: kind, code, samples.
    static func counts(where condition: String) -> String {
        """
        (SELECT flow, minute, observer, \(TallyColumns.kind) AS kind, \(TallyColumns.code) AS code,
            \(TallyColumns.samples) AS samples
        FROM (
            SELECT flow, minute::bigint, observer::bigint, packed FROM minutes, unnest(counts) AS packed
            WHERE \(condition)
            UNION ALL
            SELECT * FROM unnest(\(parameters(columns.count..<argumentCount)))
        ) AS each (flow, minute, observer, packed))
        """
    }

    private static func isTotal(_ name: String) -> Bool {
        ["freezes", "freeze_ms", "pauses", "pause_ms"].contains(name)
    }

    /// Several of ``sums(where:)`` as one, in the order in which ``CallHistory/JudgementTally`` is read.
    static let together = """
        sum(samples)::bigint, min(worst), sum(bad)::bigint, sum(a_mos_sum)::bigint, sum(a_mos_count)::bigint,
        sum(v_mos_sum)::bigint, sum(v_mos_count)::bigint, max(freezes), max(freeze_ms), max(pauses), max(pause_ms)
        """
    /// One of them.
    static let single = columns.dropFirst(3).joined(separator: ", ")
}

extension JudgementTally {
    /// Reads eleven columns.
    init(_ row: PostgresRow, from first: Int) throws {
        func gap(_ column: Int) throws -> Int64? { try row.optional(first + column) }
        self.init(
            samples: try row.count(first), bad: try row.count(first + 2), worst: try row.code(first + 1),
            audio: .init(sum: try row.count(first + 3), count: try row.count(first + 4)),
            video: .init(sum: try row.count(first + 5), count: try row.count(first + 6)),
            freezes: .init(count: try gap(7).map { Int($0) }, duration: try gap(8)),
            pauses: .init(count: try gap(9).map { Int($0) }, duration: try gap(10)))
    }
}

extension MinuteCounts {
    /// Adds a row of kind, code and samples.
    mutating func add(_ row: PostgresRow, from first: Int) throws {
        guard let kind = Kind(rawValue: try row.value(first)) else { return }
        add(kind, code: try row.value(first + 1), samples: try row.count(first + 2))
    }
}
