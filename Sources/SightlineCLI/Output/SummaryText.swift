// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality

/// The end of a call in words.
enum SummaryText {
    static func lines(_ summary: CallSummary) -> [String] {
        var lines = ["The call lasted \(NumberFormat.seconds(summary.duration))."]
        for participant in summary.participants { lines += self.lines(participant) }
        return lines
    }

    private static func lines(_ participant: CallSummary.Participant) -> [String] {
        let verb = participant.role == .publisher ? "sent" : "received"
        var lines = [
            media(participant.video, "\(participant.participant) \(verb) video"),
            media(participant.audio, "\(participant.participant) \(verb) audio"),
        ].compactMap { $0 }
        if let first = participant.timeToFirstFrame {
            let full = participant.timeToPublishedSize.map { "after \(NumberFormat.seconds($0))" } ?? "never"
            lines.append(
                "  \(participant.participant) received the first frame after \(NumberFormat.seconds(first)), the full size \(full)."
            )
        }
        if let network = participant.network {
            lines.append("  Its emulated network lost \(link(network.up)) up and \(link(network.down)) down.")
        }
        return lines
    }

    private static func media(_ media: CallSummary.Media?, _ title: String) -> String? {
        guard let media, let packets = media.packets else { return nil }
        var text = "  \(title): \(packets) packets, \(NumberFormat.count(media.packetsLost)) lost"
        if let share = media.fractionLost { text += " (\(percent(share)))" }
        if let freezes = media.freezeCount { text += ", \(freezes) freezes" }
        if let pauses = media.pauseCount { text += ", \(pauses) pauses" }
        return text + "."
    }

    private static func link(_ link: CallSummary.Network.Link) -> String {
        let other = link.droppedByQueue + link.droppedByOutage
        return percent(link.fractionLost) + (other > 0 ? " (and \(other) packets to queue and outage)" : "")
    }

    private static func percent(_ fraction: Double?) -> String {
        NumberFormat.percent(fraction, decimals: 2)
    }
}
