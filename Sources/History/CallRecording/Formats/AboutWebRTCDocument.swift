// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// A document of Firefox's about:webrtc: one report, or a list of them under `reports`, with a list of entries per kind.
struct AboutWebRTCDocument: RecordingDocument {
    static let name = "about:webrtc"

    /// Candidates that came one by one; the list of all candidates has them as well.
    private static let repeated = "trickledIceCandidateStats"
    private static let entriesSuffix = "Stats"

    mutating func reports(of value: StatsValue, _ context: inout LineContext) -> [RecordedReport] {
        var reports = [value]
        if case .array(let list)? = value["reports"] { reports = list }
        if reports.count > context.limits.reports {
            context.note(.limitExceeded, "There are more than \(context.limits.reports) reports.")
        }
        return reports.prefix(max(context.limits.reports, 0))
            .compactMap { record($0, &context) }
            .sorted { $0.time < $1.time }
    }

    static func end(of value: StatsValue) -> String? {
        guard case .array(let reports)? = value["reports"] else { return nil }
        return "report \(reports.count) of those that were begun"
    }

    private func record(_ value: StatsValue, _ context: inout LineContext) -> RecordedReport? {
        guard case .object(let members) = value, let pcid = value["pcid"]?.text else {
            context.note(.unexpectedForm, "A report names no peer connection (\"pcid\").")
            return nil
        }
        let id = Self.name(of: pcid)
        guard context.admit(id) else { return nil }
        var entries: [StatsValue] = []
        for member in members where member.name.hasSuffix(Self.entriesSuffix) && member.name != Self.repeated
        {
            if case .array(let list) = member.value { entries += list }
        }
        guard let (report, time) = context.report(from: .array(entries), time: value["timestamp"]) else {
            return nil
        }
        return RecordedReport(time: time, peerConnection: id, report: report)
    }

    /// The peer connection's name without the address of its page: `1700000000000000 (id=2147483649 url=https://…)`.
    private static func name(of pcid: String) -> String {
        guard let url = pcid.firstRange(of: " url=") else { return pcid }
        return pcid[..<url.lowerBound] + ")"
    }
}
