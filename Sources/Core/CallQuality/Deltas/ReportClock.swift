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
    /// Over more than this, in seconds, no rates are made: reports come every 30 s at the most.
    static let longestInterval = 35.0
    /// How long a tick is believed to be whose clock stepped back, in ms, while none was measured.
    static let assumedInterval = 1000.0
    /// After this many late reports in a row, in order among themselves, the clock is believed to have been
    /// set back.
    static let lateReportsToBelieve = 3

    private var last: Double?
    /// What is added to the reports' times to have one that never steps, in ms.
    private var offset = 0.0
    /// The interval that was measured last, in ms.
    private var usual = assumedInterval
    private var progress: UInt64 = 0
    private var late: (time: Double, count: Int)?
    private var isResuming = false
    private static let latest = 1e13
    private static let largestOffset = 4e15

    /// Judges a report.
    ///
    /// - Parameters:
    ///   - time: The report's time, in Unix ms.
    ///   - progress: Something that only grows from one report to the next while the clock may not: its
    ///     packets.
    mutating func judge(_ time: Double, progress: UInt64) -> Verdict {
        // Later than the year 2286 no report is taken.
        guard time > 0, time < Self.latest else { return .ignored }
        guard let last else { return anchor(time, progress) }
        let seconds = (time - last) / 1000
        if abs(seconds) < Self.shortestInterval { return .ignored }
        if seconds < 0 {
            let step = last + usual - time
            // Beyond that a Double has no milliseconds.
            guard isSetBack(time, progress), offset + step < Self.largestOffset else { return .ignored }
            offset += step
        }
        guard seconds > 0, seconds <= Self.longestInterval else { return anchor(time, progress) }
        if isResuming { return anchor(time, progress) }
        usual = time - last
        accept(time, progress)
        return .next(Tick(time: time + offset, previous: last + offset, stamp: time))
    }

    /// Makes no interval of the time between the last report and the next.
    mutating func resume() { isResuming = true }

    private mutating func anchor(_ time: Double, _ progress: UInt64) -> Verdict {
        accept(time, progress)
        return .anchor(Tick(time: time + offset, previous: nil, stamp: time))
    }

    private mutating func accept(_ time: Double, _ progress: UInt64) {
        last = time
        isResuming = false
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
