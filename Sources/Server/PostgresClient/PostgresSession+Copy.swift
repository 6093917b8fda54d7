// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ

extension PostgresSession {
    /// Appends rows to a table by `COPY`, in its binary form: all of them, or none.
    ///
    /// - Parameters:
    ///   - table: Its name, as it is.
    ///   - columns: Their names; the values of a row come in their order.
    ///   - write: Writes the rows; it may not use the session.
    /// - Returns: How many there were.
    /// - Throws: ``PostgresError``, `CancellationError`, or what `write` throws.
    @discardableResult
    package func copy(
        into table: String, _ columns: [String], _ write: (inout PostgresCopy) throws -> Void
    ) throws -> Int {
        try checkUse()
        let target = try CopyTarget(table, columns)
        let types = try types(of: target)
        let begin = link.answer(to: "COPY \(target.sql) FROM STDIN (FORMAT binary)")
        guard let begin, PQresultStatus(begin) == PGRES_COPY_IN else {
            _ = try checked(begin)
            throw PostgresError(.invalid, "the server copies nothing")
        }
        PQclear(begin)
        var copy = PostgresCopy(self, types)
        isStreaming = true
        defer { isStreaming = false }
        do {
            try write(&copy)
            try copy.end()
        } catch is CopyStopped {
            // Why, the server says next.
            try finishCopy("the server has stopped")
            throw PostgresError(.invalid, "the server has stopped to copy")
        } catch {
            _ = try? finishCopy("not all of it was there")
            throw error
        }
        return try finishCopy(nil).changes
    }

    /// - Parameter problem: Why nothing is to be kept; `nil` to keep it.
    @discardableResult
    private func finishCopy(_ problem: String?) throws -> PostgresResult {
        link.putCopyEnd(problem)
        return try checked(link.answer())
    }

    /// Asks the server once for the types of columns: it would take any eight bytes for a time.
    private func types(of target: CopyTarget) throws -> [PostgresType] {
        if let known = link.copied[target.sql] { return known }
        let types = try execute("SELECT \(target.columns) FROM \(target.table) WHERE false").types
        link.copied[target.sql] = types
        return types
    }
}

/// The server takes no more of what is copied, or is gone.
private struct CopyStopped: Error {}

/// Names of a table and its columns, quoted.
private struct CopyTarget {
    let table: String
    let columns: String

    var sql: String { "\(table) (\(columns))" }

    init(_ table: String, _ columns: [String]) throws(PostgresError) {
        guard !columns.isEmpty, !(columns + [table]).contains(where: { $0.isEmpty || $0.utf8.contains(0) })
        else {
            throw PostgresError(.invalid, "a table and its columns have names")
        }
        self.table = Self.quoted(table)
        self.columns = columns.map(Self.quoted).joined(separator: ", ")
    }

    private static func quoted(_ name: String) -> String {
        "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}

/// Rows on their way into a table.
package struct PostgresCopy {
    /// Bytes that are sent at once.
    private static let piece = 64 << 10
    /// What a stream of rows begins with: a signature, no flags, nothing more.
    private static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

    private let session: PostgresSession
    private let types: [PostgresType]
    private var buffer = Self.header

    fileprivate init(_ session: PostgresSession, _ types: [PostgresType]) {
        self.session = session
        self.types = types
    }

    /// Appends a row, one value for each column, of the column's own type.
    ///
    /// - Throws: ``PostgresError``; of the kind ``PostgresError/Kind/invalid`` if a value is not of its column's type.
    package mutating func add(_ row: [PostgresValue]) throws {
        guard row.count == types.count else {
            throw PostgresError(.invalid, "a row has \(types.count) values, and not \(row.count)")
        }
        for (index, value) in row.enumerated() where value != .null && value.type != types[index] {
            throw PostgresError(
                .invalid, "column \(index) has type \(types[index].rawValue), and not \(value.type.rawValue)")
        }
        buffer.append(bigEndian: Int16(clamping: row.count))
        for value in row { value.appendField(to: &buffer) }
        guard buffer.count <= PostgresSession.byteLimit else {
            throw PostgresError(.invalid, "a row has \(PostgresSession.byteLimit) bytes at most")
        }
        if buffer.count >= Self.piece { try send() }
    }

    fileprivate mutating func end() throws {
        buffer.append(bigEndian: Int16(-1))
        try send()
    }

    private mutating func send() throws {
        try session.checkCancellation()
        guard session.link.putCopyData(buffer) else { throw CopyStopped() }
        buffer.removeAll(keepingCapacity: true)
    }
}
