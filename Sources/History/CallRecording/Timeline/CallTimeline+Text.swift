// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation

extension CallTimeline {
    /// The timeline for people: recordings, then each view with what was diagnosed when and what happened, in
    /// minutes and seconds since the call's beginning.
    ///
    /// - Parameter sentences: The sentence for each problem; an empty table has none.
    public func text(sentences: DiagnosisSentences = DiagnosisSentences()) -> String {
        var lines = recordings.flatMap(Self.lines)
        guard let from, let to else {
            return Self.joined(lines + ["No report that could be judged."] + findingLines(from: nil))
        }
        let date = Date(timeIntervalSince1970: from / 1000).formatted(.iso8601)
        lines.append("Call from \(date), \(Self.clock(to - from)) long")
        let happened = eventLines(from: from)
        for view in views {
            lines.append("")
            lines.append(heading(of: view))
            lines += view.intervals.flatMap { Self.lines(for: $0, from: from, sentences) }
            lines += happened[view.id] ?? []
        }
        return Self.joined(lines + findingLines(from: from) + scoreLines(from: from))
    }

    /// Lines as one text; names come from files.
    private static func joined(_ lines: [String]) -> String {
        lines.map(\.forTerminal).joined(separator: "\n")
    }

    private func eventLines(from start: Double) -> [CallView.ID: [String]] {
        events.reduce(into: [:]) { lines, event in
            guard let line = Self.line(for: event, from: start) else { return }
            lines[event.view, default: []].append(line)
        }
    }

    private static func lines(for recording: RecordingSummary) -> [String] {
        let format = recording.format.map { "\($0.rawValue), " } ?? ""
        let heading = "\(recording.name): \(format)\(count(recording.reports, "report"))"
        // A single one that shows a view needs no line of its own.
        let isPlain = recording.connections.count == 1 && recording.connections[0].roles.count == 1
        var lines = [heading] + (isPlain ? [] : recording.connections.map { line(for: $0) })
        lines += recording.issues.map { "  \($0)" }
        if recording.omittedIssues > 0 {
            lines.append("  and \(count(recording.omittedIssues, "more issue"))")
        }
        return lines
    }

    private static func line(for connection: RecordedConnection) -> String {
        let roles = connection.roles.map(\.rawValue).joined(separator: " and ")
        let what = roles.isEmpty ? "neither sends nor receives media" : roles
        return "  peer connection \(connection.pc): \(what), \(count(connection.reports, "report"))"
    }

    private func heading(of view: CallView) -> String {
        var text = "\(view.id.role.rawValue) \(view.id.peerConnection)"
        if let track = view.id.track { text += ", \(track.label)" }
        if let stream = view.stream { text += ", stream \(stream)" }
        if recordings.count > 1, recordings.indices.contains(view.id.recording) {
            text += ", in \(recordings[view.id.recording].name)"
        }
        return text + ", \(Self.count(view.reports, "report"))"
    }

    private static func lines(
        for interval: DiagnosisInterval, from start: Double, _ sentences: DiagnosisSentences
    ) -> [String] {
        let times = "\(clock(interval.from - start)) - \(clock(interval.to - start))"
        let diagnosis = Diagnosis(
            cause: interval.cause, direction: interval.direction?.ofNetwork, side: interval.side,
            severity: interval.severity)
        let track = interval.track.map { ": \($0.label)" } ?? ""
        let line = "  \(times)  \(diagnosis.terms.joined(separator: ", "))\(track)"
        guard interval.isAlarm, let sentence = sentences.sentence(for: diagnosis, to: .support) else {
            return [line]
        }
        return [line, "    \(sentence)"]
    }

    /// An event; `nil` for one that the intervals show already.
    private static func line(for event: TimelineEvent, from start: Double) -> String? {
        let text: String
        switch event.kind {
        case .diagnosisChanged:
            return nil
        case .stream(.networkConditionChanged(let change)):
            text = "network condition \(change.from.label) -> \(change.to.label), \(change.side.label)"
        case .stream(.videoQualityChanged(let change)):
            text = "video quality: \(change.text)"
        case .stream(.callQuality(let warning)):
            text = "warning: \(warning.summary)"
        }
        return "  \(event.isAlarm ? "!" : " ") \(clock(event.time - start))  \(text)"
    }

    /// Minutes, seconds and tenths.
    static func clock(_ milliseconds: Double) -> String {
        guard let tenths = Int(exactly: (max(milliseconds, 0) / 100).rounded()) else { return "?" }
        let seconds = tenths / 10 % 60
        return "\(tenths / 600):\(seconds < 10 ? "0" : "")\(seconds).\(tenths % 10)"
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
