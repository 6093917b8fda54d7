// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a JSON text could not be read on.
struct JSONFailure: Error {
    var code: StatsParseError.Code
    var offset: Int
}

/// Reads JSON values from bytes, one after the other.
///
/// Every access to `bytes` is preceded by a check against its end, here and in the extensions; nothing else in the
/// parser touches memory. The bytes must stay valid for the reader's life time, which is one call of `parse`.
struct JSONReader {
    /// What was tolerated since these were last cleared.
    struct Remarks: OptionSet {
        let rawValue: UInt8
        static let invalidText = Remarks(rawValue: 1)
        static let numberOutOfRange = Remarks(rawValue: 2)
        static let duplicateMember = Remarks(rawValue: 4)
    }

    let bytes: UnsafeRawBufferPointer
    var position = 0
    var remarks: Remarks = []
    /// How many more values may be kept; below zero they are read and dropped.
    var budget = Int.max

    private let depthLimit: Int

    init(_ bytes: UnsafeRawBufferPointer, depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    /// The byte at the position; `0`, which is nowhere valid outside of text, at the end.
    @inline(__always)
    var current: UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    func failure(_ code: StatsParseError.Code = .invalidJSON) -> JSONFailure {
        JSONFailure(code: code, offset: position)
    }

    @inline(__always)
    mutating func skipSpace() {
        if current <= 0x20 { skipMoreSpace() }
    }

    @inline(never)
    private mutating func skipMoreSpace() {
        while current == 0x20 || current == 0x0A || current == 0x0D || current == 0x09 {
            position += 1
        }
    }

    /// Steps over the byte if it is there.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONFailure) {
        guard take(byte) else { throw failure() }
    }

    /// Steps over the mark that some programs begin a text with.
    mutating func skipByteOrderMark() {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Reads a value; the position is at its first byte before and behind its last one after.
    @inline(__always)
    mutating func readValue(depth: Int) throws(JSONFailure) -> StatsValue {
        budget &-= 1
        switch current {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
        case UInt8(ascii: "\""): return .string(try readText())
        default: return try readOther(depth: depth)
        }
    }

    @inline(never)
    private mutating func readOther(depth: Int) throws(JSONFailure) -> StatsValue {
        switch current {
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
        case UInt8(ascii: "{"): return .object(try readObject(depth: depth + 1))
        default: throw failure()
        }
    }

    private mutating func readWord(_ word: StaticString, _ value: StatsValue) throws(JSONFailure)
        -> StatsValue
    {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard take(word.utf8Start[index]) else {
                position = start
                throw failure()
            }
        }
        return value
    }

    private mutating func readArray(depth: Int) throws(JSONFailure) -> [StatsValue] {
        try enter(depth)
        var values: [StatsValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return values }
        repeat {
            skipSpace()
            let value = try readValue(depth: depth)
            if budget >= 0 { values.append(value) }
            skipSpace()
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
        return values
    }

    private mutating func readObject(depth: Int) throws(JSONFailure) -> [StatsMember] {
        try enter(depth)
        var members: [StatsMember] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return members }
        var names = MemberNameTally()
        repeat {
            skipSpace()
            let (name, number) = try readName()
            try readColon()
            let value = try readValue(depth: depth)
            if budget >= 0 {
                if members.isEmpty { members.reserveCapacity(4) }
                members.append(StatsMember(name: name, value: value))
                names.note(number)
            }
            skipSpace()
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
        if names.mayRepeat, !members.keepLastOfEachName().isEmpty { remarks.insert(.duplicateMember) }
        return members
    }

    /// Reads a member's name; a listed one, which most are, is not made once more.
    @inline(__always)
    private mutating func readName() throws(JSONFailure) -> (name: String, number: UInt8) {
        let span = try scanText()
        let number = span.hasEscapes ? 0 : MemberIndex.shared.number(of: slice(span))
        if number > 0 { return (MemberNames.all[Int(number) - 1], number) }
        let name = decode(span)
        // An escaped name may still be a listed one.
        return (name, span.hasEscapes ? StatsReportBuilder.key(for: name).number : 0)
    }

    @inline(__always)
    mutating func readColon() throws(JSONFailure) {
        skipSpace()
        try expect(UInt8(ascii: ":"))
        skipSpace()
    }

    /// Steps over the bracket that opens the level.
    mutating func enter(_ depth: Int) throws(JSONFailure) {
        guard depth <= depthLimit else { throw failure(.tooDeep) }
        position += 1
    }
}
