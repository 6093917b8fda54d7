// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Puts reports in order by their own times, and notices the ones that are repeated, late, or after a step of
/// the clock.
struct ReportClock: Sendable {
    /// What a report is, in time.
    enum Verdict: Equatable {
        /// The first report, or the first after a gap too long to make rates of, or after a step of the
        /// clock.
        case anchor(Tick)
        /// The next report.
        case next(Tick)
        /// A repeated or late report: it changes nothing.
        case ignored
    }

    /// Reports closer together than this, in seconds, count as one.
    static let shortestInterval = 0.1
    /// Over more than this, in seconds, no rates are made; reports come every 10 s at the most.
    static let longestInterval = 15.0
    /// After this many late reports in a row, in order among themselves, the clock is believed to have been
    /// set back.
    static let lateReportsToBelieve = 3

    private var last: Double?
    private var progress: UInt64 = 0
    private var late: (time: Double, count: Int)?

    /// Judges a report.
    ///
    /// - Parameters:
    ///   - time: The report's time, in Unix ms.
    ///   - progress: Something that only grows from one report to the next while the clock may not: its
    ///     packets.
    mutating func judge(_ time: Double, progress: UInt64) -> Verdict {
        guard time.isFinite, time > 0 else { return .ignored }
        guard let last else { return anchor(time, progress) }
        let seconds = (time - last) / 1000
        if abs(seconds) < Self.shortestInterval { return .ignored }
        if seconds < 0, !isSetBack(time, progress) { return .ignored }
        guard seconds > 0, seconds <= Self.longestInterval else { return anchor(time, progress) }
        accept(time, progress)
        return .next(Tick(time: time, previous: last))
    }

    private mutating func anchor(_ time: Double, _ progress: UInt64) -> Verdict {
        accept(time, progress)
        return .anchor(Tick(time: time, previous: nil))
    }

    private mutating func accept(_ time: Double, _ progress: UInt64) {
        last = time
        self.progress = progress
        late = nil
    }

    /// Whether an earlier time means that the clock was set back, and not that the report is late.
    private mutating func isSetBack(_ time: Double, _ progress: UInt64) -> Bool {
        if progress > self.progress { return true }
        let count =
            if let late, time - late.time >= Self.shortestInterval * 1000 { late.count + 1 } else { 1 }
        late = (time, count)
        return count >= Self.lateReportsToBelieve
    }
}
