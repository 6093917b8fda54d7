// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How a store's writer does; counts but ``waiting`` are totals since it began.
public struct StoreStatistics: Sendable, Equatable {
    /// Records that wait to be written.
    public var waiting = 0
    /// Samples that were written.
    public var samples: UInt64 = 0
    /// Samples, events and reports that were there already.
    public var duplicates: UInt64 = 0
    /// Records that the schema or the database refused.
    public var rejected: UInt64 = 0
    /// Records that were dropped because too many waited, or that could not be written at the end.
    public var dropped: UInt64 = 0
    /// Commits.
    public var commits: UInt64 = 0
    /// Time that commits took, seconds.
    public var commitSeconds = 0.0
    /// Commits that failed; they are tried again.
    public var failures: UInt64 = 0

    /// Alerts that were left out because too many began in an hour.
    public var mutedAlerts: UInt64 = 0
    /// Whether nothing can be written just now; it is tried again and again.
    public var isPaused = false
    /// Whether the file is damaged, so that nothing is written to it any more.
    public var isDamaged = false

    /// Whether what comes is written.
    public var isWriting: Bool { !isPaused && !isDamaged }

    /// Nothing yet.
    public init() {}

    mutating func add(_ outcome: WriteOutcome) {
        samples += UInt64(outcome.samples)
        duplicates += UInt64(outcome.duplicates)
        rejected += UInt64(outcome.rejected)
        mutedAlerts += UInt64(outcome.mutedAlerts)
        commits += 1
    }
}
