// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A JSON value with reports somewhere in it, read where they stand.
public struct WrappedReports: Sendable, Equatable {
    /// Where in a value reports are looked for.
    public enum Place: Sendable, Hashable {
        /// Arrays and objects that are the value of a member of that name, at any level.
        case member(String)
        /// What the value's member of that name lists: pairs of a name and a report, or a report per name.
        case list(String)
    }

    /// The value; in place of each report its number in ``reports``, in place of a number that stood there `null`.
    public var value: StatsValue
    /// The reports, in the order in which they stand; of one that has too many entries, that it has.
    public var reports: [Result<ParsedStatsReport, StatsParseError>]

    /// Creates a result.
    public init(value: StatsValue, reports: [Result<ParsedStatsReport, StatsParseError>] = []) {
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
    ///   - place: Where the reports are.
    ///   - time: The name of the value's member with the time, in Unix ms, of entries that have none; `nil` if there is no
    ///     such member.
    ///   - limits: How much to take; ``ParseLimits/bytes`` is for the whole text.
    /// - Throws: ``StatsParseError`` if the bytes are not one JSON value, or pass a limit; a report of more than
    ///   ``ParseLimits/entries`` costs only itself.
    public static func parse(
        _ bytes: some Sequence<UInt8>, at place: Place, time: String? = nil, limits: ParseLimits = .default
    ) throws(StatsParseError) -> WrappedReports {
        try bytes.withInput(within: limits) { bytes in
            parse(WrappedReportParser(bytes, place, timeMember: time, limits))
        }.get()
    }

    private static func parse(
        _ new: WrappedReportParser
    ) -> Result<WrappedReports, StatsParseError> {
        do throws(StatsParseError) {
            var parser = new
            let wrapped = try parser.parse()
            guard parser.isTimeLate else { return .success(wrapped) }
            // The time came behind the reports that need it.
            var again = new
            again.time = parser.time
            return .success(try again.parse())
        } catch {
            return .failure(error)
        }
    }
}

/// Reads what is around reports, and leaves them to their own parser.
private struct WrappedReportParser {
    /// The time of entries without one, once it is known.
    var time: Double?
    /// Whether the time was not known yet when a report needed it.
    var isTimeLate: Bool { time != nil && lacksTime }

    private var lacksTime = false
    private var reader: JSONReader
    private var reports: [Result<ParsedStatsReport, StatsParseError>] = []
    private let place: WrappedReports.Place
    private let timeMember: String?
    private let limits: ParseLimits

    init(
        _ bytes: UnsafeRawBufferPointer, _ place: WrappedReports.Place, timeMember: String?,
        _ limits: ParseLimits
    ) {
        reader = JSONReader(bytes, depthLimit: min(limits.depth, ParseLimits.maximumDepth))
        self.place = place
        self.timeMember = timeMember
        self.limits = limits
    }

    mutating func parse() throws(StatsParseError) -> WrappedReports {
        guard reader.bytes.count <= limits.bytes else {
            throw StatsParseError(.tooLarge, offset: reader.bytes.count)
        }
        do throws(JSONFailure) {
            return try parseAll()
        } catch {
            throw StatsParseError(error.code, offset: error.offset)
        }
    }

    private mutating func parseAll() throws(JSONFailure) -> WrappedReports {
        reader.skipByteOrderMark()
        reader.skipSpace()
        let value = try readValue(.other, depth: 0)
        reader.skipSpace()
        guard reader.position == reader.bytes.count else { throw reader.failure() }
        return WrappedReports(value: value, reports: reports)
    }

    /// What a value is by its place, if it is an array or an object.
    private enum Role {
        case report
        /// Of pairs, or of reports by name.
        case list
        /// Of a name and a report.
        case pair
        case other
    }

    private mutating func readValue(_ role: Role, depth: Int) throws(JSONFailure) -> StatsValue {
        switch reader.current {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if role == .report { return try readReport() }
            return reader.current == UInt8(ascii: "{")
                ? .object(try readObject(role, depth: depth + 1))
                : .array(try readArray(role, depth: depth + 1))
        default:
            // A number in a report's place is not the number of a report.
            let value = try reader.readValue(depth: depth)
            if role == .report, case .int = value { return .null }
            return value
        }
    }

    private mutating func readArray(_ role: Role, depth: Int) throws(JSONFailure) -> [StatsValue] {
        try reader.enter(depth)
        var values: [StatsValue] = []
        reader.skipSpace()
        if reader.take(UInt8(ascii: "]")) { return values }
        repeat {
            reader.skipSpace()
            values.append(try readValue(Self.role(ofElement: values.count, in: role), depth: depth))
            reader.skipSpace()
        } while reader.take(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "]"))
        return values
    }

    private static func role(ofElement index: Int, in role: Role) -> Role {
        switch role {
        case .list: .pair
        case .pair: index == 1 ? .report : .other
        case .report, .other: .other
        }
    }

    private mutating func readObject(_ role: Role, depth: Int) throws(JSONFailure) -> [StatsMember] {
        try reader.enter(depth)
        var members: [StatsMember] = []
        reader.skipSpace()
        if reader.take(UInt8(ascii: "}")) { return members }
        repeat {
            reader.skipSpace()
            let name = try reader.readText()
            try reader.readColon()
            let value = try readValue(self.role(ofMember: name, in: role, depth: depth), depth: depth)
            members.append(StatsMember(name: name, value: value))
            if depth == 1, name == timeMember { time = value.number.flatMap(StatsTime.milliseconds) }
            reader.skipSpace()
        } while reader.take(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "}"))
        _ = members.keepLastOfEachName()
        return members
    }

    private func role(ofMember name: String, in role: Role, depth: Int) -> Role {
        switch place {
        case .member(name): .report
        case .list(name) where depth == 1: .list
        case .list where role == .list: .report
        case .member, .list: .other
        }
    }

    private mutating func readReport() throws(JSONFailure) -> StatsValue {
        var parser = ReportParser(reader.bytes, limits: limits)
        parser.reader.position = reader.position
        parser.context.defaultTime = time
        do throws(JSONFailure) {
            reports.append(.success(try parser.parsePart()))
            reader.position = parser.reader.position
        } catch {
            guard error.code == .tooManyEntries else { throw error }
            reports.append(.failure(StatsParseError(error.code, offset: error.offset)))
            try skipReport()
        }
        if time == nil, parser.hasUntimed { lacksTime = true }
        return .int(Int64(reports.count - 1))
    }

    /// Steps over a report without keeping any of it.
    private mutating func skipReport() throws(JSONFailure) {
        reader.budget = 0
        _ = try reader.readValue(depth: 0)
        reader.budget = .max
    }
}
