// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How a store is kept.
public struct StoreConfiguration: Sendable, Equatable {
    /// When SQLite makes sure that what is committed is on the disk.
    public enum Synchronous: String, Sendable, CaseIterable {
        /// A killed process loses nothing; a power failure may take the last commits.
        case normal = "NORMAL"
        /// Nothing that is committed is lost, at a write to the disk per commit.
        case full = "FULL"
    }

    /// See ``Synchronous``.
    public var synchronous = Synchronous.normal
    /// What is older is deleted; `nil` keeps it.
    public var maximumAge: Duration? = .seconds(30 * 86_400)
    /// Bytes of the database beyond which the oldest samples are deleted; `nil` for no limit.
    public var maximumBytes: Int64? = 4 << 30
    /// Between two looks at what is too old or too much, and at minutes that are to be summed up.
    public var upkeep: Duration = .seconds(5)
    /// Longest that a record waits for others to be written with it.
    public var batching: Duration = .milliseconds(200)
    /// Records that may wait; samples, events and reports beyond are dropped and counted.
    public var queueLimit = 100_000
    /// Bytes of raw reports that may wait; those beyond are dropped and counted.
    public var queueBytes = 64 << 20
    /// Between two attempts to write while nothing can be written.
    public var retry: Duration = .seconds(1)
    /// Alerts of one session that may begin in an hour; those beyond are counted only.
    public var alertsPerSession = 500
    /// Alerts of one connection that may begin in an hour; those beyond are counted only.
    public var alertsPerConnection = 60
    /// Records in one transaction.
    public var batchLimit = 5000

    /// The defaults.
    public init() {}
}
