// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// The call in two sentences: what was wrong with it, and what to do.
struct ReportVerdict: Sendable, Equatable {
    /// How bad the call was as a whole; `nil` if nothing was wrong or nothing is known.
    var severity: Diagnosis.Severity?
    /// What was wrong, when, and on whose side.
    var finding: String
    /// What to do about it.
    var advice: String

    /// Findings of calls that were fine as far as reports go: two are said, such as of a camera and of the connection.
    private static let mostProblems = 2

    init(_ timeline: CallTimeline, names: ReportNames? = nil) {
        let names = names ?? ReportNames(timeline, showsNames: false)
        guard let from = timeline.from, let to = timeline.to, timeline.views.contains(where: \.isJudged)
        else {
            let reason = timeline.findings.first { $0.severity == .problem }
            severity = reason.map { _ in .unusable }
            finding = reason?.sentence ?? "There is not enough data to say how the call was."
            advice = reason?.advice ?? Self.advice(.unknown)
            return
        }
        let issues = CallIssue.all(in: timeline, names: names)
        guard let worst = issues.first else {
            // The last report of a connection that broke may have been a good one.
            let problems = timeline.findings.filter { $0.severity == .problem }.prefix(Self.mostProblems)
            severity = problems.isEmpty ? nil : .unusable
            let fine = "The call was fine: nothing was wrong in \(NumberFormat.length(to - from))."
            finding = problems.isEmpty ? fine : problems.map(\.sentence).joined(separator: " ")
            advice = problems.isEmpty ? Self.advice(.none) : problems.map(\.advice).joined(separator: " ")
            return
        }
        severity = worst.severity
        let rest = issues.dropFirst().first { $0.weight * 4 >= worst.weight }
        let also = rest.map { "; there was also \($0.words)" } ?? ""
        finding =
            "The call was \(Self.adjective(worst.severity)) for \(NumberFormat.length(worst.length)) of "
            + "\(NumberFormat.length(to - from)), first at \(NumberFormat.clock(worst.first - from)): \(worst.words)\(also)."
            + (MediaScores(timeline, in: worst.spans).sentence.map { " \($0)" } ?? "")
        advice = Self.advice(worst.cause, worst.place)
    }

    static func advice(_ cause: Diagnosis.Cause, _ place: IssueLocation = .unknown) -> String {
        let diagnosis = Diagnosis(
            cause: cause, direction: place.direction, side: place == .server ? .server : nil)
        return DiagnosisSentences().sentence(for: diagnosis, to: .reportReader) ?? ""
    }

    private static func adjective(_ severity: Diagnosis.Severity?) -> String {
        switch severity {
        case .noticeable?, nil: "slightly impaired"
        case .disturbing?: "disturbed"
        case .bad?: "bad"
        case .unusable?: "unusable"
        }
    }
}

extension CallView {
    /// Whether there is a diagnosis of anything.
    var isJudged: Bool { intervals.contains { $0.cause != .unknown } }
}

/// All intervals of one kind of problem.
struct CallIssue: Sendable {
    var cause: Diagnosis.Cause
    var place: IssueLocation
    var severity: Diagnosis.Severity?
    /// ms in all.
    var length = 0.0
    /// Unix ms.
    var first: Double
    /// When, Unix ms; views overlap.
    var spans: [(from: Double, to: Double)] = []
    /// What orders problems: their duration, weighted by severity.
    var weight = 0.0

    /// Kinds of problem, the worst first.
    static func all(in timeline: CallTimeline, names: ReportNames) -> [CallIssue] {
        var found: [String: CallIssue] = [:]
        var ends: [String: Double] = [:]
        // In the order of time, so that what several views show counts once.
        for entry in timeline.summary.intervals {
            let interval = entry.interval
            let place = names.place(interval, entry.view)
            let key = "\(interval.cause.rawValue) \(place)"
            var issue = found[key] ?? CallIssue(cause: interval.cause, place: place, first: interval.from)
            // A report stands for the time up to the next one, the last one for a second.
            let end = max(interval.from + 1000, interval.to)
            let length = max(0, end - max(interval.from, ends[key] ?? interval.from))
            ends[key] = max(end, ends[key] ?? end)
            issue.length += length
            issue.spans.append((interval.from, end))
            issue.severity = [issue.severity, interval.severity].compactMap(\.self).max()
            issue.weight += length * Double(interval.severity?.rawValue ?? 1)
            found[key] = issue
        }
        return found.values.sorted { ($0.weight, $1.first) > ($1.weight, $0.first) }
    }

    /// Such as `packet loss on the receiving side's network, on the downlink`.
    var words: String { "\(cause.label) \(place.words(cause))" }
}
