// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How a node does with the database, since it began.
package struct ClusterFigures: Sendable, Equatable {
    /// Batches that are committed.
    package var commits = 0
    /// Commits that failed with nothing done: each is tried again.
    package var failedCommits = 0
    /// Commits of which no one knew at first whether they were done.
    package var unknownCommits = 0
    /// Minutes of flows that were put into chunks.
    package var chunks = 0
    /// Samples that were recovered from what an earlier run has left.
    package var recoveredSamples = 0
    /// Runs of other nodes of which it was read what they had logged lately.
    package var recalledRuns = 0
    /// Samples in memory, whose minutes are not in chunks yet.
    package var openSamples = 0
    /// For how long there are tables that were made ahead, hours, of that which has the fewest; `nil` before anyone has looked.
    package var hoursLeft: Int64?

    /// Nothing yet.
    package init() {}
}
