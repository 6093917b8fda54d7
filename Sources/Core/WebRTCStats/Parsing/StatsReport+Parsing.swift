// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A report, and what could not be read as it stood.
public struct ParsedStatsReport: Sendable, Equatable {
    /// The report, with everything that could be read.
    public var report: StatsReport

    /// What could not, in the order of the input; at most ``StatsReportBuilder/maximumIssues``.
    public var issues: [ParseIssue]

    /// How many more issues there were.
    public var omittedIssues: Int

    /// Creates a result.
    public init(report: StatsReport, issues: [ParseIssue] = [], omittedIssues: Int = 0) {
        self.report = report
        self.issues = issues
        self.omittedIssues = omittedIssues
    }
}

extension StatsReport {
    /// Reads a report from JSON.
    ///
    /// Takes both forms: an array of entries, and an object with an entry per id. Entries and members that cannot be
    /// read as they stand cost only themselves and become ``ParseIssue``s. Of members that come twice, the last counts
    /// (of an entry's type, the first).
    /// `null` counts as not reported. Times in microseconds, known by their size (from 10¹⁴ on), become
    /// milliseconds.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 text, with or without byte order mark.
    ///   - limits: How much to take.
    /// - Throws: ``StatsParseError`` if the bytes are no JSON array or object, or pass a limit.
    public static func parse(
        _ bytes: some Sequence<UInt8>, limits: ParseLimits = .default
    ) throws(StatsParseError) -> ParsedStatsReport {
        try bytes.withInput(within: limits) { parse($0, limits) }.get()
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer, _ limits: ParseLimits
    ) -> Result<ParsedStatsReport, StatsParseError> {
        var parser = ReportParser(bytes, limits: limits)
        return Result { () throws(StatsParseError) in try parser.parse() }
    }
}
