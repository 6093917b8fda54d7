// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How a store's writer does; all but ``waiting`` are totals since it began.
public struct StoreStatistics: Sendable, Equatable {
    /// Records that wait to be written.
    public var waiting = 0
    /// Samples that were written.
    public var samples: UInt64 = 0
    /// Samples, events and reports that were there already.
    public var duplicates: UInt64 = 0
    /// Records that the schema refused.
    public var rejected: UInt64 = 0
    /// Records that were dropped because too many waited, or that could not be written at the end.
    public var dropped: UInt64 = 0
    /// Commits.
    public var commits: UInt64 = 0
    /// Time that commits took, seconds.
    public var commitSeconds = 0.0
    /// Commits that failed; they are tried again.
    public var failures: UInt64 = 0

    /// Nothing yet.
    public init() {}

    mutating func add(_ outcome: WriteOutcome) {
        samples += UInt64(outcome.samples)
        duplicates += UInt64(outcome.duplicates)
        rejected += UInt64(outcome.rejected)
        commits += 1
    }
}
