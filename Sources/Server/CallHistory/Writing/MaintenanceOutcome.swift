// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Result of a round of ``CallHistory/maintenance(now:uptime:)``.
package struct MaintenanceOutcome: Sendable, Equatable {
    /// By how much the wall clock has jumped, ms; `nil` if it has not.
    ///
    /// Then nothing is deleted for its age for a day.
    package var clockStep: Double?

    /// An outcome.
    package init(clockStep: Double?) { self.clockStep = clockStep }
}
