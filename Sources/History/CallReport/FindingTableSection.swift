// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// The findings about the call as a whole, and its score.
struct FindingTableSection: Sendable {
    let timeline: CallTimeline
    let names: ReportNames

    var html: HTML { scores + findings }

    private var start: Double {
        timeline.from ?? timeline.facts.clients.compactMap(\.from).min() ?? 0
    }

    // MARK: Findings

    private var findings: HTML {
        let all = timeline.findings
        guard !all.isEmpty else { return "" }
        let lines: [HTML] = all.prefix(EventTable.limit).map { finding in
            """
            <tr\(finding.severity == .problem ? " class=\"alarm\"" as HTML : "")>\
            <td>\(NumberFormat.clock(finding.from - start))</td><td>\(place(of: finding))</td>\
            <td>\(finding.severity.name)</td><td>\(finding.sentence)</td><td>\(finding.advice)</td></tr>

            """
        }
        return """
            <h2>Findings</h2><div class="scroll"><table class="findings"><thead><tr><th scope="col">since</th>\
            <th scope="col">where</th><th scope="col">severity</th><th scope="col">what</th>\
            <th scope="col">what to do</th></tr></thead><tbody>
            \(lines)</tbody></table></div>

            """
    }

    private func place(of finding: Finding) -> String {
        guard let pc = finding.pc else {
            guard timeline.recordings.indices.contains(finding.recording) else { return NumberFormat.absent }
            return names.recording(timeline.recordings[finding.recording], at: finding.recording)
        }
        let connection = names.connection(recording: finding.recording, pc)
        guard let track = finding.track else { return connection }
        return "\(connection), \(finding.role == .publisher ? "sent" : "received") \(track.label)"
    }

    // MARK: Score

    private var scores: HTML {
        guard let whole = timeline.score.score else { return "" }
        let lines: [HTML] = timeline.score.participants.map(participant)
        return """
            <h2>Score: \(NumberFormat.plain(whole, decimals: 0)) of 100</h2><div class="scroll"><table><thead><tr>\
            <th scope="col">who</th><th scope="col">score</th><th scope="col">part</th><th scope="col">score</th>\
            <th scope="col">what cost it</th></tr></thead><tbody>
            \(lines)</tbody></table></div>

            """
    }

    private func participant(_ participant: ParticipantScore) -> HTML {
        let recordings = timeline.recordings
        let name =
            recordings.indices.contains(participant.recording)
            ? names.recording(recordings[participant.recording], at: participant.recording)
            : NumberFormat.absent
        let lines: [HTML] = participant.parts.enumerated().map { index, entry in
            let isFirst = index == 0
            return """
                <tr><td>\(isFirst ? name : "")</td>\
                <td>\(isFirst ? NumberFormat.plain(participant.score, decimals: 0) : "")</td>\
                <td>\(entry.name)</td><td>\(NumberFormat.plain(entry.part.score, decimals: 0))</td>\
                <td>\(costs(of: entry.part))</td></tr>

                """
        }
        return "\(lines)"
    }

    private func costs(of part: ScorePart) -> String {
        let words = part.costs.prefix(3).map { cost in
            "-\(NumberFormat.plain(cost.points)): \(cost.words), \(NumberFormat.length(cost.seconds * 1000)) "
                + "from \(NumberFormat.clock(cost.first - start))"
        }
        return words.isEmpty ? "nothing" : words.joined(separator: "; ")
    }
}
