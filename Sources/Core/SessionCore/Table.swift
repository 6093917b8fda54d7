// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// All there is of one kind, by id.
///
/// A row is looked up as a value. It is changed where it is, by ``change(_:_:)`` alone, and only while it is there.
struct Table<ID: Hashable & Sendable, Row: Sendable>: Sendable {
    private var rows: [ID: Row] = [:]

    subscript(id: ID) -> Row? { rows[id] }

    var ids: some Collection<ID> { rows.keys }
    var values: some Collection<Row> { rows.values }
    var count: Int { rows.count }
    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ row: Row, as id: ID) { rows[id] = row }

    /// Takes a row out; `nil` if there is none.
    @discardableResult
    mutating func remove(_ id: ID) -> Row? { rows.removeValue(forKey: id) }

    mutating func removeAll() { rows.removeAll() }

    /// Changes a row in its place, without a copy; `nil`, and nothing happens, if there is none.
    @discardableResult
    mutating func change<Result, Failure: Error>(
        _ id: ID, _ change: (inout Row) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let index = rows.index(forKey: id) else { return nil }
        return try change(&rows.values[index])
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
