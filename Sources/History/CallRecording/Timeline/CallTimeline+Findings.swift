// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

extension CallTimeline {
    /// The findings for people, each with what to do.
    ///
    /// - Parameter start: When the call began, in Unix ms; `nil` if that is unknown, and times say nothing.
    func findingLines(from start: Double?) -> [String] {
        guard !findings.isEmpty else { return [] }
        let lines = findings.flatMap { finding -> [String] in
            let place = place(of: finding)
            let when = start.map { Self.clock(finding.from - $0) + "  " } ?? ""
            let mark = finding.severity == .information ? " " : "!"
            return [
                "  \(mark) \(when)\(finding.severity.name)\(place.isEmpty ? "" : ", \(place)"): \(finding.sentence)",
                "      \(finding.advice)",
            ]
        }
        return ["", "Findings"] + lines
    }

    private func place(of finding: Finding) -> String {
        var parts: [String] = []
        if let pc = finding.pc { parts.append("peer connection \(pc)") }
        if let track = finding.track { parts.append("\(finding.role?.rawValue ?? "") \(track.label)") }
        if recordings.count > 1, recordings.indices.contains(finding.recording) {
            parts.append("in \(recordings[finding.recording].name)")
        }
        return parts.joined(separator: ", ")
    }

    /// The score for people, with what cost it.
    func scoreLines(from start: Double) -> [String] {
        guard let whole = score.score else { return [] }
        var lines = ["", "Score \(Self.points(whole)) of 100"]
        for participant in score.participants {
            let isOneOfSeveral = recordings.count > 1 && recordings.indices.contains(participant.recording)
            let name =
                isOneOfSeveral
                ? "\(recordings[participant.recording].name): \(Self.points(participant.score)), " : ""
            let parts = participant.parts.map { "\($0.name) \(Self.points($0.part.score))" }
            lines.append("  \(name)\(parts.joined(separator: ", "))")
            for (name, part) in participant.parts {
                lines += part.costs.prefix(3).map { cost in
                    "    \(name) -\(Self.points(cost.points)): \(cost.words), \(Self.points(cost.seconds)) s "
                        + "from \(Self.clock(cost.first - start))"
                }
            }
        }
        return lines
    }

    private static func points(_ value: Double) -> String {
        guard value.isFinite else { return "?" }
        let tenths = Int((min(max(value, 0), 1e9) * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
    }
}

extension ParticipantScore {
    /// The parts that there are, by their names.
    package var parts: [(name: String, part: ScorePart)] {
        [("audio", audio), ("video", video), ("connectivity", connectivity)].compactMap { name, part in
            part.map { (name, $0) }
        }
    }
}
