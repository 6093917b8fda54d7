// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension JSONReader {
    /// Digits of a number: up to nineteen of them as an integer, with the place of the decimal point.
    private struct Decimal {
        var mantissa: UInt64 = 0
        var digits = 0
        var exponent = 0
        var isNegative = false
        var isWhole = true
    }

    /// More digits than these may not fit a `UInt64`.
    private static let exactDigits = 19
    /// No exponent beyond these makes a finite number of the digits a text can hold.
    private static let exponentLimit = 100_000

    /// Reads a number: a whole one exactly where it fits 64 bits, others as the nearest `Double`.
    @inline(__always)
    mutating func readNumber() throws(JSONFailure) -> StatsValue {
        let start = position
        var decimal = Decimal()
        if take(UInt8(ascii: "-")) { decimal.isNegative = true }
        if take(UInt8(ascii: "0")) {
            if Self.isDigit(current) { throw failure() }
        } else {
            try readDigits(into: &decimal)
        }
        if current == UInt8(ascii: ".") || current | 0x20 == UInt8(ascii: "e") {
            return try readFraction(of: &decimal, start: start)
        }
        if decimal.digits < Self.exactDigits {
            let value = Int64(truncatingIfNeeded: decimal.mantissa)
            return .int(decimal.isNegative ? -value : value)
        }
        return readLargeInteger(start: start)
    }

    private mutating func readFraction(of decimal: inout Decimal, start: Int) throws(JSONFailure)
        -> StatsValue
    {
        if take(UInt8(ascii: ".")) {
            let point = position
            try readDigits(into: &decimal)
            decimal.exponent = point - position
        }
        if current | 0x20 == UInt8(ascii: "e") {
            position += 1
            decimal.exponent += try readExponent()
        }
        guard decimal.digits <= Self.exactDigits,
            let magnitude = DecimalConversion.double(decimal.mantissa, exponent: decimal.exponent)
        else {
            return convertText(from: start)
        }
        return .double(decimal.isNegative ? -magnitude : magnitude)
    }

    /// Reads one digit or more.
    ///
    /// Leading zeros do not count, so that `0.000123` has three.
    @inline(__always)
    private mutating func readDigits(into decimal: inout Decimal) throws(JSONFailure) {
        guard Self.isDigit(current) else { throw failure() }
        var mantissa = decimal.mantissa
        var index = position
        var firstSignificant = mantissa == 0 ? nil : index
        while index < bytes.count, Self.isDigit(bytes[index]) {
            mantissa = mantissa &* 10 &+ UInt64(bytes[index] &- UInt8(ascii: "0"))
            index &+= 1
            if firstSignificant == nil, mantissa != 0 { firstSignificant = index &- 1 }
        }
        if let firstSignificant { decimal.digits &+= index &- firstSignificant }
        decimal.mantissa = mantissa
        position = index
    }

    private mutating func readExponent() throws(JSONFailure) -> Int {
        let isNegative = take(UInt8(ascii: "-"))
        if !isNegative { _ = take(UInt8(ascii: "+")) }
        guard Self.isDigit(current) else { throw failure() }
        var exponent = 0
        while Self.isDigit(current) {
            exponent = min(exponent * 10 + Int(current - UInt8(ascii: "0")), Self.exponentLimit)
            position += 1
        }
        return isNegative ? -exponent : exponent
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    private mutating func readLargeInteger(start: Int) -> StatsValue {
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        if let value = Int64(text) { return .int(value) }
        if let value = UInt64(text) { return .uint(value) }
        return convertText(from: start)
    }

    /// The number from the start to the position, by the standard library.
    @inline(never)
    private mutating func convertText(from start: Int) -> StatsValue {
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        guard let value = Double(text), value.isFinite else {
            remarks.insert(.numberOutOfRange)
            return .null
        }
        return .double(value)
    }
}
