// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

/// How a store's writer does; counts but ``waiting`` are totals since it began.
package struct StoreStatistics: Sendable, Equatable {
    /// Records that wait to be written.
    package var waiting = 0
    /// Samples that were written.
    package var samples: UInt64 = 0
    /// Samples, events and reports that were there already.
    package var duplicates: UInt64 = 0
    /// Records that the schema or the database refused.
    package var rejected: UInt64 = 0
    /// Records that were dropped because too many waited, or that could not be written at the end.
    package var dropped: UInt64 = 0
    /// Commits.
    package var commits: UInt64 = 0
    /// Time that commits took, seconds.
    package var commitSeconds = 0.0
    /// Commits that failed; they are tried again.
    package var failures: UInt64 = 0

    /// Alerts that were omitted because too many began in an hour.
    package var mutedAlerts: UInt64 = 0
    /// Whether nothing can be written just now; it is tried again and again.
    package var isPaused = false
    /// Whether the file is damaged, so that nothing is written to it any more.
    package var isDamaged = false

    /// Whether what comes is written.
    package var isWriting: Bool { !isPaused && !isDamaged }

    /// Nothing yet.
    package init() {}

    mutating func add(_ outcome: WriteOutcome) {
        samples += UInt64(outcome.samples)
        duplicates += UInt64(outcome.duplicates)
        rejected += UInt64(outcome.rejected)
        mutedAlerts += UInt64(outcome.mutedAlerts)
        commits += 1
    }
}
