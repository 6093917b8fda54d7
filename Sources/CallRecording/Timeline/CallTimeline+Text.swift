// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation

extension CallTimeline {
    /// The timeline for people: recordings, then each view with what was diagnosed when, in minutes and seconds since
    /// the call's beginning.
    public func text() -> String {
        var lines = recordings.flatMap(Self.lines)
        guard let from, let to else {
            return (lines + ["No report that could be judged."]).joined(separator: "\n")
        }
        let date = Date(timeIntervalSince1970: from / 1000).formatted(.iso8601)
        lines.append("Call from \(date), \(Self.clock(to - from)) long")
        for view in views {
            lines.append("")
            lines.append(heading(of: view))
            lines += view.intervals.map { Self.line(for: $0, from: from) }
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(for recording: RecordingSummary) -> [String] {
        let format = recording.format.map { "\($0.rawValue), " } ?? ""
        let heading = "\(recording.name): \(format)\(count(recording.reports, "report"))"
        let issues = recording.issues.map { "  \($0)" }
        guard recording.omittedIssues > 0 else { return [heading] + issues }
        return [heading] + issues + ["  and \(count(recording.omittedIssues, "more issue"))"]
    }

    private func heading(of view: CallView) -> String {
        var text = "\(view.id.role.rawValue) \(view.id.peerConnection)"
        if let stream = view.stream { text += ", stream \(stream)" }
        if recordings.count > 1, recordings.indices.contains(view.id.recording) {
            text += ", in \(recordings[view.id.recording].name)"
        }
        return text + ", \(Self.count(view.reports, "report"))"
    }

    private static func line(for interval: DiagnosisInterval, from start: Double) -> String {
        var words = [interval.cause.rawValue]
        if let direction = interval.direction { words.append(direction.rawValue) }
        if let side = interval.side, interval.isAlarm { words.append("side \(side.name)") }
        if let severity = interval.severity { words.append("severity \(severity.rawValue) (\(severity))") }
        let times = "\(clock(interval.from - start)) - \(clock(interval.to - start))"
        return "  \(times)  \(words.joined(separator: ", "))"
    }

    /// Minutes, seconds and tenths.
    private static func clock(_ milliseconds: Double) -> String {
        let tenths = Int((max(milliseconds, 0) / 100).rounded())
        let seconds = tenths / 10 % 60
        return "\(tenths / 600):\(seconds < 10 ? "0" : "")\(seconds).\(tenths % 10)"
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
