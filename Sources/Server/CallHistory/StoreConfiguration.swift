// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How a store is kept.
package struct StoreConfiguration: Sendable, Equatable {
    /// When commits are synced to the disk.
    package enum Synchronous: Sendable, CaseIterable {
        /// A killed process loses nothing; a power failure may take the last commits.
        case normal
        /// Nothing that is committed is lost, at a write to the disk per commit.
        case full
    }

    /// See ``Synchronous``.
    package var synchronous = Synchronous.normal
    /// What is older is deleted; `nil` keeps it.
    package var maximumAge: Duration? = .seconds(30 * 86_400)
    /// Bytes of the database beyond which the oldest samples are deleted; `nil` for no limit.
    package var maximumBytes: Int64? = 4 << 30
    /// Between two looks at what is too old or too much, and at minutes that are to be summed up.
    package var maintenance: Duration = .seconds(5)
    /// Longest that a record waits for others to be written with it.
    package var batching: Duration = .milliseconds(200)
    /// Records that may wait; samples, events and reports beyond are dropped and counted.
    package var queueLimit = 100_000
    /// Bytes of raw reports that may wait; those beyond are dropped and counted.
    package var queueBytes = 64 << 20
    /// Between two attempts to write while nothing can be written.
    package var retry: Duration = .seconds(1)
    /// Alerts of one session that may begin in an hour; those beyond are counted only.
    package var alertsPerSession = 500
    /// Alerts of one participant of a session that may begin in an hour; those beyond are counted only.
    package var alertsPerParticipant = 60
    /// Records in one transaction.
    package var batchLimit = 5000

    /// The defaults.
    package init() {}
}
