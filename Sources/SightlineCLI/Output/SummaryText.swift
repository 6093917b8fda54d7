// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation

/// The end of a call in words.
enum SummaryText {
    static func lines(_ summary: CallSummary) -> [String] {
        var lines = [String(format: "The call lasted %.1f s.", summary.duration)]
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
            let full = participant.timeToPublishedSize.map {
                String(format: ", the full size after %.1f s", $0)
            }
            lines.append(
                String(format: "  %@ received the first frame after %.1f s", participant.participant, first)
                    + (full ?? ", the full size never") + ".")
        }
        if let network = participant.network {
            lines.append("  Its emulated network lost \(link(network.up)) up and \(link(network.down)) down.")
        }
        return lines
    }

    private static func media(_ media: CallSummary.Media?, _ title: String) -> String? {
        guard let media, let packets = media.packets else { return nil }
        var text = "  \(title): \(packets) packets, \(Figures.count(media.packetsLost)) lost"
        if let share = media.lossPercent { text += String(format: " (%.2f %%)", share) }
        if let freezes = media.freezeCount { text += ", \(freezes) freezes" }
        if let pauses = media.pauseCount { text += ", \(pauses) pauses" }
        return text + "."
    }

    private static func link(_ link: CallSummary.Network.Link) -> String {
        let share = link.lossPercent.map { String(format: "%.2f %%", $0) } ?? Figures.absent
        let other = link.droppedByQueue + link.droppedByOutage
        return share + (other > 0 ? " (and \(other) packets to queue and outage)" : "")
    }
}
