// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Notices that the far end no longer reports what is sent to it: it hears nothing of it.
///
/// A receiver reports every source that it has heard since its last report (RFC 3550, section 6.4), each second or so for
/// video and each five for audio. Where packets leave, others come, and no report does, the way there is cut.
struct ReportSilence: Sendable {
    /// Whether reports stay away for longer than they ever did.
    private(set) var isSilent = false

    /// Whether the far end hears what is sent; `nil` while too little is known.
    var isHeard: Bool? { reports >= Self.fewest ? !isSilent : nil }

    private var last: Double?
    private var usual = 0.0
    private var reports = 0
    private var ticks = 0

    /// Seconds without a report that say nothing, how many times the usual ones they have to be, and how many reports have to
    /// have come before, and observations without one since.
    private static let least = 6.0
    private static let factor = 3.0
    private static let fewest = 3

    /// Takes a tick.
    mutating func handle(_ sent: [OutboundDelta], at tick: Tick) {
        let known = sent.filter { $0.isReported != nil && $0.packets?.amount ?? 0 > 0 }
        // Nothing is due where nothing is sent, or no one looked.
        guard !known.isEmpty, let interval = tick.interval else {
            last = nil
            isSilent = false
            return
        }
        guard !known.contains(where: { $0.isReported == true }) else {
            if let last { usual = max((tick.time - last) / 1000, usual * 0.9) }
            last = tick.time
            reports += 1
            ticks = 0
            isSilent = false
            return
        }
        ticks += 1
        guard let last else {
            self.last = tick.time
            return
        }
        let silence = (tick.time - last) / 1000
        isSilent =
            reports >= Self.fewest && ticks >= Self.fewest
            && silence >= max(Self.least, Self.factor * max(usual, interval))
    }
}
