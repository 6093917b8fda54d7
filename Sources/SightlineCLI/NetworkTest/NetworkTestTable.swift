// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Foundation
import Sightline

/// A network test's report as a table for people.
struct NetworkTestTable: Sendable {
    let report: NetworkTestReport

    /// Lines, each ended.
    var text: String {
        let parts = [advice, paths, media, sizes, connection, steps].filter { !$0.isEmpty }
        return parts.map { "\n" + $0.map { $0 + "\n" }.joined() }.joined()
    }

    private var advice: [String] {
        report.failure.map { ["What you can do: \($0.advice)"] } ?? []
    }

    private var paths: [String] {
        guard let uplink = report.uplink, let downlink = report.downlink else { return [] }
        return [
            Self.row("", "bandwidth", "loss", "round trip", "audio", "video"), Self.row("uplink", uplink),
            Self.row("downlink", downlink),
        ]
    }

    private static func row(_ name: String, _ path: NetworkTestReport.Path) -> String {
        let rate = NumberFormat.rate(path.bandwidth)
        return row(
            name, path.bandwidthIsAtLeast ? "≥ \(rate)" : rate, NumberFormat.percent(path.fractionLost),
            NumberFormat.milliseconds(path.roundTripTime), word(path.supportsAudio), word(path.supportsVideo))
    }

    private static func word(_ isSo: Bool?) -> String {
        isSo.map { $0 ? "yes" : "no" } ?? NumberFormat.absent
    }

    private var media: [String] {
        let media = [("audio", report.audio), ("video", report.video)].compactMap { name, media in
            media.map { (name, $0) }
        }
        guard !media.isEmpty else { return [] }
        return [Self.row("", "uplink", "downlink", "jitter", "MOS", "possible")]
            + media.map { name, media in
                Self.row(
                    name, NumberFormat.rate(media.uplink.bitrate), NumberFormat.rate(media.downlink.bitrate),
                    NumberFormat.milliseconds(media.downlink.jitter),
                    NumberFormat.plain(media.mos, decimals: 2),
                    media.isSupported ? media.grade?.rawValue ?? "yes" : "no")
            }
    }

    private var sizes: [String] {
        let grades: [NetworkTestReport.Grade] = [.excellent, .acceptable]
        let groups = grades.compactMap { grade in
            let sizes = report.sizes.filter { $0.grade == grade }.map { "\($0.width)x\($0.height)" }
            return sizes.isEmpty ? nil : "\(grade.rawValue) at \(sizes.joined(separator: ", "))"
        }
        let lines = groups.isEmpty ? [] : ["frames      " + groups.joined(separator: "; ")]
        return lines + (report.limitation.map { ["limited by    \($0.label)"] } ?? [])
    }

    private var connection: [String] {
        let connectivity = report.connectivity
        let kinds = connectivity.candidates.map { "\($0.count) \($0.type)/\($0.transport)" }
        var lines = kinds.isEmpty ? [] : ["candidates    " + kinds.joined(separator: ", ")]
        if let pair = connectivity.selectedCandidatePair {
            lines.append("path          \(pair.localType) to \(pair.remoteType), \(pair.transport)")
        }
        if let isNeeded = connectivity.turnNeeded { lines.append("TURN needed   \(isNeeded ? "yes" : "no")") }
        if let confidence = report.confidence {
            // Nothing that is measured is ever quite sure.
            let share = confidence > 0.999 ? "> 99.9 %" : NumberFormat.percent(confidence)
            lines.append("confidence    \(share)\(report.endedEarly ? ", ended early" : "")")
        }
        return lines
    }

    private var steps: [String] {
        report.steps.map { step in
            let mark = step.outcome == .failed ? "✘" : step.outcome == .skipped ? "–" : "✔"
            let time =
                step.outcome == .skipped ? "not needed" : NumberFormat.milliseconds(step.duration / 1000)
            return "\(mark) \(Self.padded(step.step.title, 18))\(time)"
        }
    }

    private static func row(_ cells: String...) -> String {
        let padded = cells.map { Self.padded($0, 14) }.joined()
        return String(padded.reversed().drop { $0 == " " }.reversed())
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

extension PreCallLimitation {
    /// What people call it.
    fileprivate var label: String {
        switch self {
        case .cpu: QualityLimitationReason.cpu.label
        case .bandwidth: QualityLimitationReason.bandwidth.label
        }
    }
}
