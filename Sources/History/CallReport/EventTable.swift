// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// What happened, line by line.
struct EventTable: Sendable {
    /// Lines of a table.
    static let limit = 500

    let timeline: CallTimeline
    let names: ReportNames

    var html: HTML {
        let from = timeline.from ?? 0
        let shown = timeline.events.compactMap { event in Self.words(event).map { (event, $0) } }
        guard !shown.isEmpty else { return "<p>No warning was raised, and no network condition changed.</p>" }
        let lines: [HTML] = shown.prefix(Self.limit).map { event, words in
            """
            <tr\(event.isAlarm ? " class=\"alarm\"" : "" as HTML)><td>\(NumberFormat.clock(event.time - from))</td>\
            <td>\(names.short(event.view))</td><td>\(event.isAlarm ? "⚠ " : "" as HTML)\(words)</td></tr>

            """
        }
        let more: HTML =
            shown.count > Self.limit ? "<p>And \(shown.count - Self.limit) more.</p>" : ""
        return """
            <table class="events"><thead><tr><th scope="col">when</th><th scope="col">who</th>\
            <th scope="col">what</th></tr></thead><tbody>
            \(lines)</tbody></table>\(more)

            """
    }

    /// An event in words; `nil` for one that the intervals show already.
    private static func words(_ event: TimelineEvent) -> String? {
        switch event.kind {
        case .diagnosisChanged: nil
        case .stream(.networkConditionChanged(let change)):
            "network condition \(change.from.label) → \(change.to.label), \(change.side.label)"
        case .stream(.videoQualityChanged(let change)):
            "video quality: \(change.text)"
        case .stream(.callQuality(let warning)):
            "warning: \(warning.summary)"
        }
    }
}
