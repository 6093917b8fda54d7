// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// All there is of one kind, by id.
///
/// A row is looked up as a value. It is changed where it is, by ``change(_:_:)`` alone, and only while it is there.
///
/// Each row has memory of its own, which goes with it. A dictionary keeps room for as many as it ever held, and a row may
/// take ten kilobytes: sessions that were full once would stay as large.
struct Table<ID: Hashable & Sendable, Row: Sendable>: Sendable {
    /// Changed only while no other table has it.
    private final class Storage: @unchecked Sendable {
        var row: Row

        init(_ row: Row) { self.row = row }
    }

    private var rows: [ID: Storage] = [:]

    subscript(id: ID) -> Row? { rows[id]?.row }

    func has(_ id: ID) -> Bool { rows[id] != nil }

    var ids: some Collection<ID> { rows.keys }
    var values: some Collection<Row> { rows.values.lazy.map(\.row) }
    var count: Int { rows.count }
    var isEmpty: Bool { rows.isEmpty }

    // Conditions are asked where the rows are: only what they hold for is copied.

    /// The rows that a condition holds for.
    func rows(where isIncluded: (Row) -> Bool) -> [Row] {
        var included: [Row] = []
        for storage in rows.values where isIncluded(storage.row) { included.append(storage.row) }
        return included
    }

    /// The ids of those rows.
    func ids(where isIncluded: (Row) -> Bool) -> [ID] {
        var included: [ID] = []
        for (id, storage) in rows where isIncluded(storage.row) { included.append(id) }
        return included
    }

    /// Whether a condition holds for a row.
    func contains(where isIncluded: (Row) -> Bool) -> Bool {
        rows.values.contains { isIncluded($0.row) }
    }

    mutating func add(_ row: Row, as id: ID) { rows[id] = Storage(row) }

    /// Takes a row out; `nil` if there is none.
    @discardableResult
    mutating func remove(_ id: ID) -> Row? { rows.removeValue(forKey: id)?.row }

    mutating func removeAll() { rows.removeAll() }

    /// Changes a row in its place, without a copy; `nil`, and nothing happens, if there is none.
    @discardableResult
    mutating func change<Result, Failure: Error>(
        _ id: ID, _ change: (inout Row) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let index = rows.index(forKey: id) else { return nil }
        return try self.change(at: index, change)
    }

    /// Changes a row in its place; where there is none, one is added first.
    mutating func change<Result>(
        _ id: ID, orAdd row: @autoclosure () -> Row, _ change: (inout Row) -> Result
    ) -> Result {
        if let result = self.change(id, change) { return result }
        var row = row()
        defer { add(row, as: id) }
        return change(&row)
    }

    private mutating func change<Result, Failure: Error>(
        at index: Dictionary<ID, Storage>.Index, _ change: (inout Row) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !isKnownUniquelyReferenced(&rows.values[index]) {
            rows.values[index] = Storage(rows.values[index].row)
        }
        return try change(&rows.values[index].row)
    }
}

extension Table where Row == Endpoint {
    /// Changes the legs of a publication or subscription at the router.
    @discardableResult
    mutating func changeLegs<Result>(of id: ID, _ change: (inout RouterLegs) -> Result) -> Result? {
        self.change(id) { $0.changeLegs(change) }
    }

    /// Changes a subscription's ways that use no router.
    mutating func changeDirect(of id: ID, _ change: (inout DirectPaths) -> Void) {
        self.change(id) { $0.changeDirect(change) }
    }

    /// Changes what only subscriptions have.
    mutating func changeSubscription(of id: ID, _ change: (inout Subscription) -> Void) {
        self.change(id) { $0.changeSubscription(change) }
    }
}
