// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Numbers in as few bytes as they need, seven bits a byte, the least first (LEB128).
enum Varint {
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A signed one: those near zero are short, on either side of it.
    static func append(signed number: Int64, to bytes: inout [UInt8]) {
        append(UInt64(bitPattern: (number << 1) ^ (number >> 63)), to: &bytes)
    }
}

/// Reads bytes one after the other; `nil` once there are no more of what is wanted.
struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var next: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        next = bytes.startIndex
    }

    /// Bytes that are left.
    var left: Int { bytes.endIndex - next }
    var isAtEnd: Bool { left <= 0 }

    mutating func byte() -> UInt8? {
        guard !isAtEnd else { return nil }
        defer { next += 1 }
        return bytes[next]
    }

    mutating func number() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = byte() else { return nil }
            // Of the tenth byte there is room for one bit.
            guard shift < 63 || byte <= 1 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
        }
        return nil
    }

    mutating func signed() -> Int64? {
        number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }

    /// As many bytes as a number before them says.
    mutating func slice(upTo limit: Int = .max) -> ArraySlice<UInt8>? {
        guard let length = number(), length <= UInt64(limit), length <= UInt64(max(0, left)) else {
            return nil
        }
        return take(Int(length))
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= left else { return nil }
        defer { next += count }
        return bytes[next..<(next + count)]
    }

    mutating func text(upTo limit: Int) -> String? {
        slice(upTo: limit).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
