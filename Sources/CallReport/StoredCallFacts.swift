// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallRecording

/// What is known of a call that nobody recorded, but whose clients told a server how they did.
///
/// The page tells everything of it: leave out what its reader may not know.
public struct StoredCallFacts: Sendable {
    /// The ends of a view.
    public struct Ends: Sendable, Hashable {
        /// Whose view it is.
        public var own: String
        /// Who sends what it shows; the same for a publisher.
        public var sender: String
        /// What it is, such as `bob receives alice`.
        public var title: String

        /// Names the ends of a view.
        public init(own: String, sender: String, title: String) {
            self.own = own
            self.sender = sender
            self.title = title
        }
    }

    /// Somebody who was in the call.
    public struct Participant: Sendable, Equatable {
        /// What they are called.
        public var name: String
        /// What their token allowed.
        public var role: String
        /// The software; `nil` if it did not say.
        public var client: String?
        /// When they joined, Unix ms.
        public var joined: Double
        /// When they left, Unix ms; `nil` if they are still there.
        public var left: Double?
        /// Why they left; `nil` if there is nothing to say about it.
        public var reason: String?

        /// Describes a participant.
        public init(
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
    public var name: String
    /// Who sees and is seen in each view.
    public var ends: [CallView.ID: Ends]
    /// Who was there.
    public var participants: [Participant]
    /// Of each view the last report, if reports were kept.
    public var reports: [CallView.ID: RecordedReport]
    /// What a reader has to know of what is missing, a sentence each.
    public var notes: [String]

    /// Describes a call.
    public init(
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
