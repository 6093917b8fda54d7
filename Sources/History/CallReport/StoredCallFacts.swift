// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// Facts about a call without a recording, whose clients sent telemetry to a server.
///
/// The page shows all of it: omit what its reader may not know.
package struct StoredCallFacts: Sendable {
    /// The ends of a view.
    package struct Ends: Sendable, Hashable {
        /// Whose view it is.
        package var own: String
        /// Who sends what it shows; the same for a publisher.
        package var sender: String
        /// What it is, such as `bob receives alice`.
        package var title: String

        /// Names the ends of a view.
        package init(own: String, sender: String, title: String) {
            self.own = own
            self.sender = sender
            self.title = title
        }
    }

    /// Someone who was in the call.
    package struct Participant: Sendable, Equatable {
        /// What they are called.
        package var name: String
        /// Their token's role.
        package var role: String
        /// The software; `nil` if it did not say.
        package var client: String?
        /// When they joined, Unix ms.
        package var joined: Double
        /// When they left, Unix ms; `nil` if they are still there.
        package var left: Double?
        /// Why they left; `nil` if there is nothing to say about it.
        package var reason: String?

        /// Describes a participant.
        package init(
            name: String, role: String, client: String? = nil, joined: Double, left: Double? = nil,
            reason: String? = nil
        ) {
            self.name = name
            self.role = role
            self.client = client
            self.joined = joined
            self.left = left
            self.reason = reason
        }
    }

    /// The call's name.
    package var name: String
    /// Observer and publisher of each view.
    package var ends: [CallView.ID: Ends]
    /// Who was there.
    package var participants: [Participant]
    /// Of each view the last report, if reports were kept.
    package var reports: [CallView.ID: RecordedReport]
    /// Notes about what is missing, a sentence each.
    package var notes: [String]

    /// Describes a call.
    package init(
        name: String, ends: [CallView.ID: Ends] = [:], participants: [Participant] = [],
        reports: [CallView.ID: RecordedReport] = [:], notes: [String] = []
    ) {
        self.name = name
        self.ends = ends
        self.participants = participants
        self.reports = reports
        self.notes = notes
    }
}
