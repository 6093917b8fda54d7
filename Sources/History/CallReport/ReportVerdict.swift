// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// The call in two sentences: what was wrong with it, and what to do.
struct ReportVerdict: Sendable, Equatable {
    /// How bad the call was as a whole, for half of the time in which it was; `nil` if nothing was wrong or nothing is known.
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
        let usual = worst.times.usual
        severity = usual
        let rest = issues.dropFirst().first { $0.times.weight * 4 >= worst.times.weight }
        let also = rest.map { "; there was also \($0.words)" } ?? ""
        let peak = worst.times.peak.map {
            ", and \(Self.adjective($0.severity)) for \(NumberFormat.length($0.length)) of that"
        }
        finding =
            "The call was \(Self.adjective(usual)) for \(NumberFormat.length(worst.times.length)) of "
            + "\(NumberFormat.length(to - from)), first at \(NumberFormat.clock(worst.first - from))\(peak ?? ""): "
            + "\(worst.words)\(also)."
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
    /// Unix ms.
    var first: Double
    /// When, Unix ms; views overlap.
    var spans: [(from: Double, to: Double)] = []
    /// How long it was how bad.
    var times = SeverityTimes()

    /// Kinds of problem, the worst first.
    static func all(in timeline: CallTimeline, names: ReportNames) -> [CallIssue] {
        var found: [String: CallIssue] = [:]
        var pieces: [String: [SeverityTimes.Piece]] = [:]
        let unclear = UnclearLoss(timeline, names)
        for view in timeline.views {
            for (interval, shown) in view.problems {
                var place = names.place(interval, view.id)
                if view.id.role == .publisher, interval.cause == .packetLoss, place == .sender(nil),
                    unclear.isSeen(during: interval, besides: view.id.recording)
                {
                    place = .both
                }
                let key = "\(interval.cause.rawValue) \(place)"
                var issue = found[key] ?? CallIssue(cause: interval.cause, place: place, first: interval.from)
                issue.first = min(issue.first, interval.from)
                issue.spans.append((interval.from, max(interval.from + 1000, interval.to)))
                found[key] = issue
                pieces[key, default: []] += shown
            }
        }
        for (key, shown) in pieces { found[key]?.times = SeverityTimes(shown) }
        return found.values.sorted {
            ($0.times.weight, $1.first, $1.words) > ($1.times.weight, $0.first, $0.words)
        }
    }

    /// Such as `packet loss on the receiving side's network, on the downlink`.
    var words: String { "\(cause.label) \(place.words(cause))" }
}
