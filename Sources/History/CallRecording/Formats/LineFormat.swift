// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// How the lines of a form become reports.
protocol LineFormat: Sendable {
    /// The reports of a line; what is wrong with it goes to the context's issues.
    ///
    /// - Throws: ``StatsParseError`` if the line is no JSON, or passes a limit.
    mutating func reports(
        ofLine bytes: [UInt8], _ context: inout LineContext
    ) throws(StatsParseError) -> [RecordedReport]
}

/// What a line's reader knows beside the line.
struct LineContext: Sendable {
    let limits: RecordingLimits
    /// Number of the line being read, from 1.
    var line = 0
    var issues: IssueList
    /// Calls and events of the API so far.
    private(set) var trace: [TraceEvent] = []
    private var peerConnections: Set<String> = []
    private var isTraceFull = false

    init(limits: RecordingLimits) {
        self.limits = limits
        issues = IssueList(limit: limits.issues)
    }

    mutating func note(_ code: RecordingIssue.Code, _ detail: String) {
        issues.note(code, line: line, detail)
    }

    /// Keeps an event; beyond the limit none is kept, which is noted once.
    mutating func note(_ event: TraceEvent) {
        guard trace.count < limits.traceEvents else {
            if !isTraceFull {
                note(.limitExceeded, "There are more than \(limits.traceEvents) events of the API.")
            }
            isTraceFull = true
            return
        }
        trace.append(event)
    }

    /// The events so far, which are not kept any longer.
    mutating func takeTrace() -> [TraceEvent] {
        defer { trace = [] }
        return trace
    }

    /// A peer connection is over, and makes room for another.
    mutating func forget(_ peerConnection: String) { peerConnections.remove(peerConnection) }

    private static let longestName = 200

    /// Whether the limits allow the peer connection; notes it if not.
    mutating func admit(_ peerConnection: String) -> Bool {
        if peerConnections.contains(peerConnection) { return true }
        guard peerConnection.utf8.count <= Self.longestName else {
            note(.limitExceeded, "The name of a peer connection is longer than \(Self.longestName) bytes.")
            return false
        }
        guard peerConnections.count < limits.peerConnections else {
            note(.limitExceeded, "There are more than \(limits.peerConnections) peer connections.")
            return false
        }
        peerConnections.insert(peerConnection)
        return true
    }

    /// The report that a line has in a place, with its time; `nil`, and noted, if there is none.
    ///
    /// - Parameters:
    ///   - place: What stands in the report's place.
    ///   - line: The line, its reports apart.
    ///   - time: What the line says is the report's time, in Unix ms; where it says none the report's own counts.
    mutating func report(
        at place: StatsValue, of line: WrappedReports, time: StatsValue?
    ) -> (report: StatsReport, time: Double)? {
        guard case .int(let number) = place, let index = Int(exactly: number),
            line.reports.indices.contains(index)
        else {
            note(.unexpectedForm, "The stats are neither an array nor an object.")
            return nil
        }
        guard let read = try? line.reports[index].get() else {
            noteTooManyEntries()
            return nil
        }
        let first = read.issues.first.map { "\($0.code.rawValue) in \($0.entryID ?? "an entry")" }
        return report(read.report, time: time, issues: read.issues.count + read.omittedIssues, first)
    }

    /// The report that a value stands for, with its time; `nil`, and noted, if it is none or has too many entries.
    ///
    /// - Parameters:
    ///   - stats: An array of entries, or an object with an entry per id.
    ///   - time: What the line says is the report's time, in Unix ms; where it says none the report's own counts.
    mutating func report(
        from stats: StatsValue, time: StatsValue?
    ) -> (report: StatsReport, time: Double)? {
        guard let read = ReportFromValue(stats, time: Self.time(time), limit: limits.entries) else {
            note(.unexpectedForm, "The stats are neither an array nor an object.")
            return nil
        }
        guard !read.isOverLimit else {
            noteTooManyEntries()
            return nil
        }
        return report(read.report, time: time, issues: read.issues, read.firstIssue)
    }

    /// The same of what differences have made.
    mutating func report(
        from state: inout RTCStatsState, time: StatsValue?
    ) -> (report: StatsReport, time: Double)? {
        let read = state.read(time: Self.time(time))
        return report(read.report, time: time, issues: read.issues, read.firstIssue)
    }

    private mutating func noteTooManyEntries() {
        note(.limitExceeded, "The report has more than \(limits.entries) entries.")
    }

    private mutating func report(
        _ report: StatsReport, time: StatsValue?, issues: Int, _ firstIssue: String?
    ) -> (report: StatsReport, time: Double)? {
        guard let time = Self.time(time) ?? (Self.isTime(report.timestamp) ? report.timestamp : nil) else {
            note(.missingTime, "The report has no time.")
            return nil
        }
        if issues > 0 {
            note(
                .damagedReport,
                "\(issues) parts of the report could not be read, first: \(firstIssue ?? "unknown").")
        }
        var report = report
        report.takeOldKinds()
        return (report, time)
    }

    private static func time(_ value: StatsValue?) -> Double? {
        value?.number.flatMap { isTime($0) ? $0 : nil }
    }

    /// Whether a number can be a time in ms: later ones would overflow what calendars can show.
    static func isTime(_ value: Double) -> Bool { value > 0 && value < 1e14 }
}
