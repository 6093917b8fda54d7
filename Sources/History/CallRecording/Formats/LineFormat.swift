// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// How the lines of a form become reports.
protocol LineFormat: Sendable {
    /// The reports of a line that is valid JSON; what is wrong with it goes to the context's issues.
    mutating func reports(of value: StatsValue, _ context: inout LineContext) -> [RecordedReport]
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

    /// The report that a value stands for, with its time; `nil`, and noted, if it is none or has too many entries.
    ///
    /// - Parameters:
    ///   - stats: An array of entries, or an object with an entry per id.
    ///   - time: What the line says is the report's time, in Unix ms; where it says none the report's own counts.
    mutating func report(
        from stats: StatsValue, time: StatsValue?
    ) -> (report: StatsReport, time: Double)? {
        let said = time?.number.flatMap { Self.isTime($0) ? $0 : nil }
        guard let read = ReportFromValue(stats, time: said, limit: limits.entries) else {
            note(.unexpectedForm, "The stats are neither an array nor an object.")
            return nil
        }
        guard !read.isOverLimit else {
            note(.limitExceeded, "The report has more than \(limits.entries) entries.")
            return nil
        }
        guard let time = said ?? (Self.isTime(read.report.timestamp) ? read.report.timestamp : nil) else {
            note(.missingTime, "The report has no time.")
            return nil
        }
        if read.issues > 0 {
            note(
                .damagedReport,
                "\(read.issues) parts of the report could not be read, first: \(read.firstIssue ?? "unknown")."
            )
        }
        return (read.report, time)
    }

    /// Whether a number can be a time in ms: later ones would overflow what calendars can show.
    static func isTime(_ value: Double) -> Bool { value > 0 && value < 1e14 }
}
