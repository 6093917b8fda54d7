// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A value that is sent with a statement, as itself and never as part of its text.
package enum PostgresValue: Sendable, Equatable {
    /// None, of whatever type is wanted.
    case null
    /// `boolean`.
    case bool(Bool)
    /// `smallint`.
    case int16(Int16)
    /// `integer`.
    case int32(Int32)
    /// `bigint`.
    case int64(Int64)
    /// `real`.
    case float(Float)
    /// `double precision`.
    case double(Double)
    /// `text`; the server refuses one with a NUL in it.
    case text(String)
    /// `bytea`.
    case bytes([UInt8])
    /// `timestamptz`, in microseconds since 1970; those that the server has no number for are its infinities.
    case time(microseconds: Int64)
    /// `bigint[]`.
    case int64s([Int64])
    /// `text[]`.
    case texts([String?])
    /// `bytea[]`.
    case blobs([[UInt8]])

    /// An absent value is none.
    package static func optional<Value>(_ value: Value?, _ make: (Value) -> Self) -> Self {
        value.map(make) ?? .null
    }

    /// Its type.
    var type: PostgresType {
        switch self {
        case .null: .unspecified
        case .bool: .bool
        case .int16: .int2
        case .int32: .int4
        case .int64: .int8
        case .float: .float4
        case .double: .float8
        case .text: .text
        case .bytes: .bytea
        case .time: .timestamptz
        case .int64s: .int8Array
        case .texts: .textArray
        case .blobs: .byteaArray
        }
    }

    /// Appends the binary form; nothing for none.
    func append(to buffer: inout [UInt8]) {
        switch self {
        case .null: break
        case .bool(let value): buffer.append(value ? 1 : 0)
        case .int16(let value): buffer.append(bigEndian: value)
        case .int32(let value): buffer.append(bigEndian: value)
        case .int64(let value): buffer.append(bigEndian: value)
        case .float(let value): buffer.append(bigEndian: value.bitPattern)
        case .double(let value): buffer.append(bigEndian: value.bitPattern)
        case .text(let value): buffer.append(contentsOf: value.utf8)
        case .bytes(let value): buffer.append(contentsOf: value)
        case .time(let microseconds): buffer.append(bigEndian: PostgresTime.stored(microseconds))
        case .int64s(let values): Self.append(values.map(Self.int64), of: .int8, to: &buffer)
        case .texts(let values):
            Self.append(values.map { $0.map(Self.text) ?? .null }, of: .text, to: &buffer)
        case .blobs(let values): Self.append(values.map(Self.bytes), of: .bytea, to: &buffer)
        }
    }

    /// Appends the number of bytes and the binary form, as fields of rows and elements of arrays have them.
    func appendField(to buffer: inout [UInt8]) {
        guard self != .null else { return buffer.append(bigEndian: Int32(-1)) }
        let place = buffer.count
        buffer.append(bigEndian: Int32(0))
        append(to: &buffer)
        let length = Int32(clamping: buffer.count - place - 4)
        for (index, byte) in length.bigEndianBytes.enumerated() { buffer[place + index] = byte }
    }

    private static func append(_ elements: [Self], of type: PostgresType, to buffer: inout [UInt8]) {
        buffer.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
        buffer.append(bigEndian: Int32(elements.contains(.null) ? 1 : 0))
        buffer.append(bigEndian: type.rawValue)
        guard !elements.isEmpty else { return }
        buffer.append(bigEndian: Int32(clamping: elements.count))
        buffer.append(bigEndian: Int32(1))
        for element in elements { element.appendField(to: &buffer) }
    }
}

/// A type by its number at the server; those of its own have the same at each.
package struct PostgresType: RawRepresentable, Sendable, Hashable {
    /// The number.
    package let rawValue: UInt32

    /// Takes a number.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    static let unspecified = Self(rawValue: 0)
    static let bool = Self(rawValue: 16)
    static let bytea = Self(rawValue: 17)
    static let name = Self(rawValue: 19)
    static let int8 = Self(rawValue: 20)
    static let int2 = Self(rawValue: 21)
    static let int4 = Self(rawValue: 23)
    static let text = Self(rawValue: 25)
    static let float4 = Self(rawValue: 700)
    static let float8 = Self(rawValue: 701)
    static let byteaArray = Self(rawValue: 1001)
    static let textArray = Self(rawValue: 1009)
    static let int8Array = Self(rawValue: 1016)
    static let varchar = Self(rawValue: 1043)
    static let timestamptz = Self(rawValue: 1184)
}

/// Times, which the server counts in microseconds from 2000 on; its first and its last number are its infinities.
enum PostgresTime {
    /// From 1970 to 2000, microseconds.
    private static let epoch: Int64 = 946_684_800_000_000

    /// Of microseconds since 1970.
    static func stored(_ microseconds: Int64) -> Int64 {
        let (stored, overflows) = microseconds.subtractingReportingOverflow(epoch)
        return overflows ? .min : stored
    }

    /// Microseconds since 1970; `nil` for an infinity, and for what no number holds.
    static func microseconds(_ stored: Int64) -> Int64? {
        guard stored != .min, stored != .max else { return nil }
        let (microseconds, overflows) = stored.addingReportingOverflow(epoch)
        return overflows ? nil : microseconds
    }
}

extension FixedWidthInteger {
    /// The most significant first.
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension [UInt8] {
    /// Appends the most significant byte first.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
