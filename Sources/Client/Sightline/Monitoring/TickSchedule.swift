// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// When reports are read: at fixed times, so that slow reads do not make the ticks drift.
struct TickSchedule {
    let interval: Duration
    private var due: Duration
    /// Ticks that were omitted because the one before was still at work.
    private(set) var skipped = 0

    /// The first tick is at `start`.
    init(interval: Duration, start: Duration) {
        self.interval = interval
        due = start
    }

    /// The wait before the next tick.
    ///
    /// Those whose time has passed are omitted instead of piling up.
    mutating func wait(at now: Duration) -> Duration {
        due += interval
        guard due < now else { return due - now }
        let missed = Int(((now - due) / interval).rounded(.up))
        skipped += missed
        due += interval * missed
        return due - now
    }
}
