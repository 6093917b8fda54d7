// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Result of writing a batch.
package struct WriteOutcome: Sendable, Equatable {
    /// Samples that are in the store now and were not before.
    package var samples = 0
    /// Samples, events and reports that were there already.
    package var duplicates = 0
    /// Records that the schema refuses, such as those of a participant who was deleted meanwhile.
    package var rejected = 0
    /// Alerts that began, grew or ended.
    package var alerts: [AlertChange] = []
    /// Alerts that were omitted because too many began in an hour.
    package var mutedAlerts = 0
    /// Changes, for live listeners; empty unless requested.
    package var changes: [StoreChange] = []
    /// Observed calls that another server of the cluster has by now: what the batch adds to them is not stored.
    package var moved = NamedSessions()

    /// Nothing.
    package init() {}

    /// Adds another batch.
    package mutating func add(_ other: WriteOutcome) {
        samples += other.samples
        duplicates += other.duplicates
        rejected += other.rejected
        alerts += other.alerts
        mutedAlerts += other.mutedAlerts
        changes += other.changes
        moved.formUnion(other.moved)
    }
}

/// An alert that began, grew or ended.
package struct AlertChange: Sendable, Equatable {
    /// The alert.
    package var alert: Alert
    /// Whether it began with this change; it may have ended with it too.
    package var isNew: Bool

    /// Creates a change.
    package init(alert: Alert, isNew: Bool) {
        self.alert = alert
        self.isNew = isNew
    }
}

/// Something that has just been stored.
package enum StoreChange: Sendable, Equatable {
    /// A sample.
    case sample(FlowDescription, SampleRecord)
    /// An event.
    case event(EventRecord)
}
