// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A JSON value with reports somewhere in it, read where they stand.
public struct WrappedReports: Sendable, Equatable {
    /// The value; in place of each report its number in ``reports``.
    public var value: StatsValue
    /// The reports, in the order in which they stand.
    public var reports: [ParsedStatsReport]

    /// Creates a result.
    public init(value: StatsValue, reports: [ParsedStatsReport] = []) {
        self.value = value
        self.reports = reports
    }

    /// Reads a JSON value in one pass.
    ///
    /// As lenient as ``StatsValue/parse(_:limits:)`` with the value and as ``StatsReport/parse(_:limits:)`` with
    /// the reports.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 text of one value.
    ///   - member: The name of the members whose arrays and objects are reports.
    ///   - limits: How much to take; ``ParseLimits/bytes`` is for the whole text.
    /// - Throws: ``StatsParseError`` if the bytes are not one JSON value, or pass a limit.
    public static func parse(
        _ bytes: some Sequence<UInt8>, member: String, limits: ParseLimits = .default
    ) throws(StatsParseError) -> WrappedReports {
        let result = bytes.withContiguousStorageIfAvailable { storage in
            parse(UnsafeRawBufferPointer(storage), member, limits)
        }
        if let result { return try result.get() }
        let copy = Array(bytes)
        return try copy.withUnsafeBytes { parse($0, member, limits) }.get()
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer, _ member: String, _ limits: ParseLimits
    ) -> Result<WrappedReports, StatsParseError> {
        guard bytes.count <= limits.bytes else {
            return .failure(StatsParseError(.tooLarge, offset: bytes.count))
        }
        var parser = WrappedReportParser(bytes, member: member, limits: limits)
        do throws(JSONFailure) {
            return .success(try parser.parse())
        } catch {
            return .failure(StatsParseError(error.code, offset: error.offset))
        }
    }
}

/// Reads what is around reports, and leaves them to their own parser.
private struct WrappedReportParser {
    private var reader: JSONReader
    private var reports: [ParsedStatsReport] = []
    private let member: String
    private let limits: ParseLimits

    init(_ bytes: UnsafeRawBufferPointer, member: String, limits: ParseLimits) {
        reader = JSONReader(bytes, depthLimit: min(limits.depth, ParseLimits.maximumDepth))
        self.member = member
        self.limits = limits
    }

    mutating func parse() throws(JSONFailure) -> WrappedReports {
        reader.skipSpace()
        let value = try readValue(depth: 0)
        reader.skipSpace()
        guard reader.position == reader.bytes.count else { throw reader.failure() }
        return WrappedReports(value: value, reports: reports)
    }

    private mutating func readValue(depth: Int) throws(JSONFailure) -> StatsValue {
        switch reader.current {
        case UInt8(ascii: "{"): .object(try readObject(depth: depth + 1))
        case UInt8(ascii: "["): .array(try readArray(depth: depth + 1))
        default: try reader.readValue(depth: depth)
        }
    }

    private mutating func readArray(depth: Int) throws(JSONFailure) -> [StatsValue] {
        try reader.enter(depth)
        var values: [StatsValue] = []
        reader.skipSpace()
        if reader.take(UInt8(ascii: "]")) { return values }
        repeat {
            reader.skipSpace()
            values.append(try readValue(depth: depth))
            reader.skipSpace()
        } while reader.take(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "]"))
        return values
    }

    private mutating func readObject(depth: Int) throws(JSONFailure) -> [StatsMember] {
        try reader.enter(depth)
        var members: [StatsMember] = []
        reader.skipSpace()
        if reader.take(UInt8(ascii: "}")) { return members }
        repeat {
            reader.skipSpace()
            let name = try reader.readText()
            try reader.readColon()
            let isReport = name == member && [UInt8(ascii: "["), UInt8(ascii: "{")].contains(reader.current)
            let value = isReport ? try readReport() : try readValue(depth: depth)
            members.append(StatsMember(name: name, value: value))
            reader.skipSpace()
        } while reader.take(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "}"))
        _ = members.keepLastOfEachName()
        return members
    }

    private mutating func readReport() throws(JSONFailure) -> StatsValue {
        var parser = ReportParser(reader.bytes, limits: limits)
        parser.reader.position = reader.position
        reports.append(try parser.parsePart())
        reader.position = parser.reader.position
        return .int(Int64(reports.count - 1))
    }
}
