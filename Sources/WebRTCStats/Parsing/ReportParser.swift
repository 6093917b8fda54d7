// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Reads one report: the outer form and the entries; what an entry holds goes to a ``StatsReportBuilder``.
struct ReportParser {
    var reader: JSONReader
    var builder = StatsReportBuilder()
    let names = MemberIndex.shared
    var ids: Set<String> = []

    private let limits: ParseLimits
    private var entries = 0

    init(_ bytes: UnsafeRawBufferPointer, limits: ParseLimits) {
        reader = JSONReader(bytes, depthLimit: min(limits.depth, ParseLimits.maximumDepth))
        self.limits = limits
    }

    mutating func parse() throws(StatsParseError) -> ParsedStatsReport {
        guard reader.bytes.count <= limits.bytes else {
            throw StatsParseError(.tooLarge, offset: reader.bytes.count)
        }
        do {
            try readReport()
        } catch {
            throw StatsParseError(error.code, offset: error.offset)
        }
        return ParsedStatsReport(
            report: builder.finish(), issues: builder.issues, omittedIssues: builder.omittedIssues)
    }

    private mutating func readReport() throws(JSONFailure) {
        skipByteOrderMark()
        reader.skipSpace()
        switch reader.current {
        case UInt8(ascii: "["): try readArrayForm()
        case UInt8(ascii: "{"): try readKeyedForm()
        default: throw reader.failure(.notAReport)
        }
        reader.skipSpace()
        if reader.position < reader.bytes.count {
            builder.offset = reader.position
            builder.note(.trailingBytes)
        }
    }

    private mutating func skipByteOrderMark() {
        if reader.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
    }

    private mutating func readArrayForm() throws(JSONFailure) {
        try reader.enter(1)
        reader.skipSpace()
        if reader.take(UInt8(ascii: "]")) { return }
        repeat {
            reader.skipSpace()
            try readElement(key: nil)
            reader.skipSpace()
        } while reader.take(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "]"))
    }

    private mutating func readKeyedForm() throws(JSONFailure) {
        try reader.enter(1)
        reader.skipSpace()
        if reader.take(UInt8(ascii: "}")) { return }
        repeat {
            reader.skipSpace()
            let key = try reader.readText()
            try reader.readColon()
            try readElement(key: key)
            reader.skipSpace()
        } while reader.take(UInt8(ascii: ","))
        try reader.expect(UInt8(ascii: "}"))
    }

    private mutating func readElement(key: String?) throws(JSONFailure) {
        guard entries < limits.entries else { throw reader.failure(.tooManyEntries) }
        entries += 1
        builder.offset = reader.position
        reader.budget = limits.valuesPerEntry
        guard reader.current == UInt8(ascii: "{") else {
            _ = try reader.readValue(depth: 1)
            reader.remarks = []
            builder.note(.entryNotAnObject)
            return
        }
        try readEntry(fallbackID: key)
    }
}
