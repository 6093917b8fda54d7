// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Reads one report: the outer form here, the entries in the extensions.
struct ReportParser {
    var reader: JSONReader
    var context = EntryContext()
    let names = MemberIndex.shared
    var ids: Set<String> = []
    /// Whether the entry being read has more values than allowed.
    var isOverBudget = false

    /// Whether entries of the report that was read had no time.
    private(set) var hasUntimed = false

    private let limits: ParseLimits
    private var entries = 0

    init(_ bytes: UnsafeRawBufferPointer, limits: ParseLimits) {
        reader = JSONReader(bytes, depthLimit: min(limits.depth, ParseLimits.maximumDepth))
        self.limits = limits
        ids.reserveCapacity(64)
    }

    mutating func parse() throws(StatsParseError) -> ParsedStatsReport {
        guard reader.bytes.count <= limits.bytes else {
            throw StatsParseError(.tooLarge, offset: reader.bytes.count)
        }
        var report = StatsReport()
        do {
            try readReport(into: &report)
        } catch {
            throw StatsParseError(error.code, offset: error.offset)
        }
        return settle(&report)
    }

    /// Reads the report at the position, which something else may follow.
    mutating func parsePart() throws(JSONFailure) -> ParsedStatsReport {
        var report = StatsReport()
        try readForm(into: &report)
        return settle(&report)
    }

    private mutating func settle(_ report: inout StatsReport) -> ParsedStatsReport {
        hasUntimed = !context.untimed.isEmpty
        report.settle(&context)
        return ParsedStatsReport(report: report, issues: context.issues, omittedIssues: context.omittedIssues)
    }

    private mutating func readReport(into report: inout StatsReport) throws(JSONFailure) {
        reader.skipByteOrderMark()
        reader.skipSpace()
        try readForm(into: &report)
        reader.skipSpace()
        if reader.position < reader.bytes.count {
            context.offset = reader.position
            context.note(.trailingBytes)
        }
    }

    private mutating func readForm(into report: inout StatsReport) throws(JSONFailure) {
        switch reader.current {
        case UInt8(ascii: "["): try readArrayForm(into: &report)
        case UInt8(ascii: "{"): try readKeyedForm(into: &report)
        default: throw reader.failure(.notAReport)
        }
    }

    private mutating func readArrayForm(into report: inout StatsReport) throws(JSONFailure) {
        try reader.enter(1)
        reader.skipSpace()
        if reader.take(UInt8(ascii: "]")) { return }
        repeat {
            reader.skipSpace()
            try readElement(key: nil, into: &report)
            reader.skipSpace()
        } while reader.take(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "]"))
    }

    private mutating func readKeyedForm(into report: inout StatsReport) throws(JSONFailure) {
        try reader.enter(1)
        reader.skipSpace()
        if reader.take(UInt8(ascii: "}")) { return }
        repeat {
            reader.skipSpace()
            let key = try reader.readText()
            try reader.readColon()
            try readElement(key: key, into: &report)
            reader.skipSpace()
        } while reader.take(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "}"))
    }

    private mutating func readElement(key: String?, into report: inout StatsReport) throws(JSONFailure) {
        guard entries < limits.entries else { throw reader.failure(.tooManyEntries) }
        entries += 1
        context.offset = reader.position
        reader.budget = limits.valuesPerEntry
        context.reset()
        isOverBudget = false
        context.id = key
        if !reader.remarks.isEmpty { noteRemarks(.id) }
        guard reader.current == UInt8(ascii: "{") else {
            _ = try reader.readValue(depth: 1)
            reader.remarks = []
            context.note(.entryNotAnObject)
            return
        }
        try readEntry(into: &report)
    }
}
