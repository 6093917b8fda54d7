// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import GRDB

/// What a page of rows, the newest first, is narrowed to; every value is an argument.
struct PageFilter {
    private(set) var arguments: StatementArguments
    private var conditions = ["1"]
    private let limit: Int

    /// - Parameters:
    ///   - limit: Most rows of a page.
    ///   - cursor: Where the page before ended.
    ///   - place: The columns that order the rows: a time and an id.
    /// - Throws: ``ForeignCursor``.
    init(limit: Int, after cursor: PageCursor?, in place: String) throws(ForeignCursor) {
        let cursor = try TimeCursor.read(cursor)
        self.limit = max(0, limit)
        arguments = ["limit": self.limit]
        narrow("(\(place)) < (:time, :id)", "time", cursor?.time)
        if let id = cursor?.id { arguments += ["id": id] }
    }

    /// What stands behind `WHERE`.
    var sql: String { conditions.joined(separator: " AND ") }

    /// Adds a condition, unless its argument is absent.
    mutating func narrow(_ condition: String, _ name: String, _ value: (any DatabaseValueConvertible)?) {
        guard let value else { return }
        conditions.append(condition)
        arguments += [name: value]
    }

    /// Adds a condition that has no argument.
    mutating func require(_ condition: String) { conditions.append(condition) }

    /// The page that rows make, but for those that are no item; another one may follow a full one.
    func page<Item>(_ rows: [Row], by time: String, _ item: (Row) -> Item?) -> StorePage<Item> {
        let last = rows.count == limit ? rows.last : nil
        let next = last.flatMap { TimeCursor(time: $0.key(time), id: $0.key("id")).cursor }
        return StorePage(items: rows.compactMap(item), next: next)
    }
}
