// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import RouterWire

/// How everybody's network does, and who wants to know.
struct QualityBook: Sendable {
    /// A client that asked for others' network quality.
    struct Watcher: Sendable {
        var verbosity: NetworkQualityVerbosity
        /// What it was last told, by connection.
        var told: [String: NetworkQualityStats] = [:]
    }

    let configuration: QualityConfiguration
    var slots: [SlotID: SlotQuality] = [:]
    /// By connection.
    var watchers: [String: Watcher] = [:]

    init(_ configuration: QualityConfiguration) { self.configuration = configuration }

    /// The age beyond which figures count as absent.
    var ageLimit: Duration { .seconds(configuration.remoteMetricsMaxAge) }

    /// Changes what is known of a slot.
    mutating func update(_ id: SlotID, _ kind: LegKind, _ body: (inout SlotQuality) -> Void) {
        // In place: the judges behind it are too large to be copied for every report.
        body(&slots[id, default: SlotQuality(kind, configuration)])
    }

    /// A connection is gone.
    mutating func forget(_ connection: String) {
        watchers[connection] = nil
        for name in watchers.keys { watchers[name]?.told[connection] = nil }
    }
}
