// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibPQ

/// Rows that a statement gave, or how many it changed.
///
/// Valid within the closure that it was made in.
package final class PostgresResult: Sequence {
    /// Rows.
    package let count: Int
    /// Rows that were inserted, updated, deleted, or selected.
    package let changes: Int
    fileprivate let columns: Int32
    fileprivate let pointer: OpaquePointer

    /// - Parameter pointer: A result of libpq, which it owns from now on.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        count = Int(PQntuples(pointer))
        columns = PQnfields(pointer)
        changes = PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0
    }

    deinit { PQclear(pointer) }

    /// The first row; `nil` if there is none.
    package var first: PostgresRow? { count > 0 ? PostgresRow(result: self, row: 0) : nil }

    /// The types of the columns.
    var types: [PostgresType] { (0..<columns).map { PostgresType(rawValue: PQftype(pointer, $0)) } }

    package func makeIterator() -> AnyIterator<PostgresRow> {
        var next: Int32 = 0
        return AnyIterator { [self] in
            guard Int(next) < count else { return nil }
            defer { next += 1 }
            return PostgresRow(result: self, row: next)
        }
    }
}

/// A row; columns are counted from 0.
///
/// What is there is another type, or is none where one must be, is an error and no trap.
package struct PostgresRow {
    fileprivate let result: PostgresResult
    fileprivate let row: Int32

    fileprivate init(result: PostgresResult, row: Int32) {
        self.result = result
        self.row = row
    }

    /// The column as what is wanted; `nil` if there is none.
    ///
    /// - Throws: ``PostgresError`` of the kind ``PostgresError/Kind/invalid`` if it is something else.
    package func optional<Value: PostgresReadable>(
        _ column: Int, as _: Value.Type = Value.self
    ) throws(PostgresError) -> Value? {
        guard column >= 0, column < Int(result.columns) else {
            throw PostgresError(.invalid, "there is no column \(column)")
        }
        let index = Int32(column)
        let type = PostgresType(rawValue: PQftype(result.pointer, index))
        let (value, isThere) = withExtendedLifetime(result) { () -> (Value?, Bool) in
            guard PQgetisnull(result.pointer, row, index) == 0 else { return (nil, false) }
            let bytes = UnsafeRawBufferPointer(
                start: PQgetvalue(result.pointer, row, index),
                count: Int(PQgetlength(result.pointer, row, index)))
            return (PQfformat(result.pointer, index) == 1 ? Value(type, bytes) : nil, true)
        }
        guard value != nil || !isThere else {
            throw PostgresError(
                .invalid, "column \(column) is no \(Value.self), but of type \(type.rawValue)")
        }
        return value
    }

    /// The column as what is wanted.
    ///
    /// - Throws: ``PostgresError`` of the kind ``PostgresError/Kind/invalid`` if it is something else, or there is none.
    package func value<Value: PostgresReadable>(
        _ column: Int, as _: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard let value = try optional(column, as: Value.self) else {
            throw PostgresError(.invalid, "column \(column) is null")
        }
        return value
    }
}

/// What a column can be read as.
package protocol PostgresReadable {
    /// Reads the binary form; `nil` if that is not of this type.
    init?(_ type: PostgresType, _ bytes: UnsafeRawBufferPointer)
}

extension Bool: PostgresReadable {
    package init?(_ type: PostgresType, _ bytes: UnsafeRawBufferPointer) {
        guard type == .bool, bytes.count == 1 else { return nil }
        self = bytes[0] != 0
    }
}

/// Every whole number.
extension Int64: PostgresReadable {
    package init?(_ type: PostgresType, _ bytes: UnsafeRawBufferPointer) {
        switch type {
        case .int2: self.init(Int16(bigEndian: bytes))
        case .int4: self.init(Int32(bigEndian: bytes))
        case .int8: self.init(bigEndian: bytes)
        default: return nil
        }
    }

    private init?(_ number: (some FixedWidthInteger)?) {
        guard let number else { return nil }
        self.init(exactly: number)
    }
}

/// Every whole number that it holds.
extension Int: PostgresReadable {
    package init?(_ type: PostgresType, _ bytes: UnsafeRawBufferPointer) {
        guard let number = Int64(type, bytes) else { return nil }
        self.init(exactly: number)
    }
}

/// Every number with a fraction.
extension Double: PostgresReadable {
    package init?(_ type: PostgresType, _ bytes: UnsafeRawBufferPointer) {
        switch type {
        case .float4:
            guard let pattern = UInt32(bigEndian: bytes) else { return nil }
            self.init(Float(bitPattern: pattern))
        case .float8:
            guard let pattern = UInt64(bigEndian: bytes) else { return nil }
            self.init(bitPattern: pattern)
        default: return nil
        }
    }
}

extension String: PostgresReadable {
    package init?(_ type: PostgresType, _ bytes: UnsafeRawBufferPointer) {
        guard [.text, .varchar, .name].contains(type) else { return nil }
        self.init(validating: bytes, as: UTF8.self)
    }
}

extension [UInt8]: PostgresReadable {
    package init?(_ type: PostgresType, _ bytes: UnsafeRawBufferPointer) {
        guard type == .bytea else { return nil }
        self.init(bytes)
    }
}

/// A `timestamptz`.
package struct PostgresInstant: PostgresReadable, Sendable, Equatable {
    /// Since 1970.
    package let microseconds: Int64

    package init?(_ type: PostgresType, _ bytes: UnsafeRawBufferPointer) {
        guard type == .timestamptz, let stored = Int64(bigEndian: bytes),
            let microseconds = PostgresTime.microseconds(stored)
        else { return nil }
        self.microseconds = microseconds
    }
}

extension FixedWidthInteger {
    /// Reads the most significant byte first; `nil` unless there are as many as it has.
    fileprivate init?(bigEndian bytes: UnsafeRawBufferPointer) {
        guard bytes.count == MemoryLayout<Self>.size else { return nil }
        self.init(bigEndian: bytes.loadUnaligned(as: Self.self))
    }
}
