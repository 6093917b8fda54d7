// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Notices that the far end no longer reports what is sent to it: it hears nothing of it.
///
/// A receiver reports every source that it has heard since its last report (RFC 3550, section 6.4), each second or so for
/// video and each two to eight for audio, so that each source has a usual time of its own. Where packets leave, others come, and
/// no report does, the way there is cut.
struct ReportSilence: Sendable {
    /// Whether reports stay away for longer than they ever did.
    private(set) var isSilent = false

    /// Whether the far end hears what is sent; `nil` while too little is known.
    var isHeard: Bool? { reports >= Self.fewest ? !isSilent : nil }

    /// How often a source is reported.
    private struct Source: Sendable {
        /// When it was last reported, or began to be sent, in ms; `nil` while it rests.
        var last: Double?
        /// Seconds between two reports.
        var usual = 0.0
        var reports = 0

        mutating func handle(isReported: Bool, at time: Double) {
            guard isReported else {
                last = last ?? time
                return
            }
            if let last { usual = max((time - last) / 1000, usual * ReportSilence.fading) }
            last = time
            reports += 1
        }

        /// Whether none has come for much longer than is usual, of any source.
        func isOverdue(since newest: Double, at time: Double, _ interval: Double) -> Bool {
            guard let last, reports >= ReportSilence.fewest else { return false }
            return (time - max(last, newest)) / 1000
                >= max(ReportSilence.least, ReportSilence.factor * max(usual, interval))
        }
    }

    private var sources: [UInt64: Source] = [:]
    /// When any source was last reported, in ms.
    private var newest = -Double.infinity
    private var reports = 0
    private var ticks = 0

    /// Seconds without a report that say nothing, how many times the usual ones they have to be, and how many reports have to
    /// have come before, and observations without one since.
    private static let least = 6.0
    private static let factor = 3.0
    private static let fewest = 3
    /// What is left of the usual seconds after a report.
    private static let fading = 0.9

    /// Takes a tick.
    mutating func handle(_ sent: [OutboundDelta], at tick: Tick) {
        let known = sent.filter { $0.isReported != nil && $0.packets?.amount ?? 0 > 0 }
        forgetRest(beside: known, of: sent)
        // Nothing is due where nothing is sent, or no one looked.
        guard !known.isEmpty, let interval = tick.interval else {
            for key in sources.keys { sources[key]?.last = nil }
            isSilent = false
            return
        }
        for stream in known {
            sources[stream.key, default: Source()]
                .handle(isReported: stream.isReported == true, at: tick.time)
        }
        guard !known.contains(where: { $0.isReported == true }) else {
            newest = tick.time
            reports += 1
            ticks = 0
            isSilent = false
            return
        }
        ticks += 1
        // A camera that rests takes with it the reports that came often.
        isSilent =
            ticks >= Self.fewest
            && known.contains { stream in
                sources[stream.key]?.isOverdue(since: newest, at: tick.time, interval) ?? false
            }
    }

    /// What is not sent just now is not due, and of what no report has any more nothing is kept.
    private mutating func forgetRest(beside known: [OutboundDelta], of sent: [OutboundDelta]) {
        guard sources.count > known.count else { return }
        let (due, all) = (Set(known.map(\.key)), Set(sent.map(\.key)))
        sources = sources.filter { all.contains($0.key) }
        for key in sources.keys where !due.contains(key) { sources[key]?.last = nil }
    }
}
