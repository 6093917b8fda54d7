// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import Foundation

/// A recorded call as a page for someone who has to say what went wrong: one file, which loads nothing.
///
/// It is made of the same analysis as `CallTimeline.text(sentences:)`. Everything from the recordings is
/// escaped.
package struct ReportPage: Sendable {
    /// The analysis.
    package let timeline: CallTimeline
    private let environments: [ConnectionEnvironment]
    private let names: ReportNames
    private let showsNames: Bool
    /// `nil` for recordings.
    private let stored: StoredCallFacts?

    /// Reads the recordings of one call and judges it.
    ///
    /// - Parameters:
    ///   - files: The recordings, in any of the forms that `CallAnalysis` reads.
    ///   - configuration: The rules to judge by.
    ///   - showsNames: Whether the page shows the names of files, peer connections and streams, and
    ///     addresses.
    /// - Throws: `RecordingError` for the first file that cannot be read at all.
    package init(
        files: [URL], configuration: QualityConfiguration = .extended, showsNames: Bool = false
    ) throws(RecordingError) {
        let timeline = try CallAnalysis.analyze(files: files, configuration: configuration)
        var environments: [ConnectionEnvironment] = []
        for (index, file) in files.enumerated() {
            environments += try Self.environments(of: file, recording: index)
        }
        self.init(timeline, environments, showsNames: showsNames)
    }

    init(_ timeline: CallTimeline, _ environments: [ConnectionEnvironment] = [], showsNames: Bool = false) {
        self.timeline = timeline
        self.environments = environments
        self.showsNames = showsNames
        stored = nil
        names = ReportNames(timeline, showsNames: showsNames)
    }

    /// Makes a report of a call that was stored while it ran.
    ///
    /// - Parameters:
    ///   - stored: What is known of it beside its quality.
    ///   - timeline: How it was; only views that `stored` names the ends of go by names.
    package init(_ stored: StoredCallFacts, timeline: CallTimeline) {
        self.timeline = timeline
        self.stored = stored
        // A stored report is redacted, and the names are those that its reader may know.
        showsNames = true
        names = ReportNames(timeline, showsNames: true, ends: stored.ends)
        environments = timeline.views.compactMap { view in
            stored.reports[view.id].map {
                ConnectionEnvironment($0, recording: view.id.recording, of: view.id)
            }
        }.filter { !$0.items.isEmpty }
    }

    /// Of each peer connection the last report.
    private static func environments(
        of file: URL, recording: Int
    ) throws(RecordingError) -> [ConnectionEnvironment] {
        var reader = try RecordingReader(file)
        // Not the reports themselves: a recording may have a large one for each of many peer connections.
        var last: [String: ConnectionEnvironment] = [:]
        var order: [String] = []
        while let record = try reader.next() {
            let environment = ConnectionEnvironment(record, recording: recording)
            if last.updateValue(environment, forKey: record.peerConnection) == nil {
                order.append(record.peerConnection)
            }
        }
        return order.compactMap { last[$0] }.filter { !$0.items.isEmpty }
    }

    /// The verdict in two sentences, as it stands at the page's top.
    package var verdict: (finding: String, advice: String) {
        let verdict = ReportVerdict(timeline, names: names)
        return (verdict.finding, verdict.advice)
    }

    /// The page.
    package var html: String { page.markup }
}

// MARK: - The page

extension ReportPage {
    private var page: HTML {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Call report</title><style>
        \(ReportStyle.css)</style></head><body><main>
        \(header)\(overview)\(FindingTableSection(timeline: timeline, names: names).html)\(sections)<h2>Events</h2><div class="scroll">\(EventTable(timeline: timeline, names: names).html)</div>
        \(environment)\(footer)</main></body></html>

        """
    }

    private var header: HTML {
        let verdict = ReportVerdict(timeline, names: names)
        let kind: HTML = verdict.severity.map { "verdict s\($0.rawValue)" } ?? "verdict"
        var times = "when it was is not known"
        let clients = timeline.facts.clients
        if let from = timeline.from ?? clients.compactMap(\.from).min(),
            let to = timeline.to ?? clients.compactMap(\.to).max()
        {
            let begin = Date(timeIntervalSince1970: from / 1000).formatted(.iso8601)
            times = "\(begin), \(NumberFormat.clock(to - from)) minutes"
        }
        return """
            <h1>Call report\(stored.map { ": \($0.name)" } ?? "")</h1><p class="when">\(times)</p>
            <div class="\(kind)"><p>\(verdict.finding)</p><p>\(verdict.advice)</p></div>

            """
    }

    private var overview: HTML {
        guard timeline.from != nil else { return "" }
        return """
            <h2>What was wrong when</h2>\(TimelineBand(timeline: timeline, names: names).html)
            <p class="legend"><i style="background:var(--fine)"></i>fine<i style="background:var(--s1)"></i>noticeable\
            <i style="background:var(--s2)"></i>disturbing<i style="background:var(--s3)"></i>bad\
            <i style="background:var(--s4)"></i>unusable<i style="background:var(--rec)"></i>recovering\
            <i style="background:var(--none)"></i>not known</p>
            \(issues)
            """
    }

    /// The intervals as a table, which needs no eyes for colours.
    private var issues: HTML {
        let from = timeline.from ?? 0
        let all = timeline.summary.intervals
        guard !all.isEmpty else {
            let isJudged = timeline.views.contains(where: \.isJudged)
            return isJudged
                ? "<p>Nothing was wrong.</p>" : "<p>There is not enough data to judge any second.</p>"
        }
        let lines: [HTML] = all.prefix(EventTable.limit).map { entry in
            let interval = entry.interval
            let severity = interval.severity?.rawValue ?? 1
            let words = interval.severity?.label ?? NumberFormat.absent
            return """
                <tr><td>\(NumberFormat.clock(interval.from - from)) – \(NumberFormat.clock(interval.to - from))</td>\
                <td>\(names.short(entry.view))</td><td>\(interval.cause.label)</td>\
                <td>\(interval.direction?.rawValue ?? NumberFormat.absent)</td>\
                <td>\(names.place(interval, entry.view).name)</td>\
                <td><span class="swatch s\(severity)"></span>\(words)</td></tr>

                """
        }
        return """
            <div class="scroll"><table><thead><tr><th scope="col">when</th><th scope="col">seen by</th>\
            <th scope="col">what</th><th scope="col">direction</th><th scope="col">whose</th>\
            <th scope="col">how bad</th></tr></thead><tbody>
            \(lines)</tbody></table></div>

            """
    }

    private var sections: [HTML] {
        guard let from = timeline.from, let to = timeline.to else { return [] }
        return timeline.views.map { view in
            """
            <section><h2>\(names.title(view))</h2><div class="scroll">\(ViewTable(view).html)</div>
            \(ViewCharts(view, from: from, to: to).html)</section>

            """
        }
    }

    private var environment: HTML {
        let connections: [HTML] = environments.map(connection)
        let origin = stored.map { StoredCallTable(call: $0, from: timeline.from).html } ?? recordings
        return """
            <h2>Environment</h2>\(origin)\(connections)

            """
    }

    private var recordings: HTML {
        let lines: [HTML] = timeline.recordings.enumerated().map { index, recording in
            let issues: [HTML] = recording.issues.prefix(20).map {
                "<br>\($0.code.rawValue)\($0.line.map { ", line \($0)" } ?? "")"
            }
            let count = recording.issues.count + recording.omittedIssues
            return """
                <tr><th scope="row">\(names.recording(recording, at: index))</th><td>\(recording.format?.rawValue ?? NumberFormat.absent)\
                </td><td>\(recording.reports) reports</td><td>\(count == 0 ? "read as a whole" : "\(count) parts could not be read")\
                \(issues)</td></tr>

                """
        }
        return """
            <div class="scroll"><table><tbody>
            \(lines)</tbody></table></div>
            """
    }

    private func connection(_ environment: ConnectionEnvironment) -> HTML {
        let items: [HTML] = environment.items.map { item in
            let value = item.isAddress && !showsNames ? "redacted" : item.value
            return "<tr><th scope=\"row\">\(item.name)</th><td>\(value)</td></tr>\n"
        }
        let name =
            environment.view.map(names.short)
            ?? names.connection(recording: environment.recording, environment.peerConnection)
        return "<h3>\(name)</h3><table class=\"figures\"><tbody>\n\(items)</tbody></table>\n"
    }

    private var footer: HTML {
        let origin: HTML =
            stored != nil
            ? "Made by sightline of what the server stored of the call; addresses are omitted."
            : showsNames
                ? "Made by sightline of the recordings above. Names and addresses stand as they were recorded."
                : "Made by sightline of the recordings above. Names and addresses are omitted."
        return "<footer>\(origin) Times are minutes and seconds of the call.</footer>"
    }
}
