// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A recorded call, judged: what each end saw, what happened, and what was wrong when.
public struct CallTimeline: Sendable, Equatable {
    /// The recordings it was made of.
    public var recordings: [RecordingSummary]
    /// The call as each end saw it, in the order in which they came.
    public var views: [CallView]
    /// Events, in the order of time.
    public var events: [TimelineEvent]
    /// What the recordings say of the call as a whole.
    public var facts = CallFacts()
    /// What is worth knowing about the call as a whole, above all why a connection never came to be; what matters most
    /// first.
    public var findings: [Finding] = []
    /// How good the call was, as one number.
    public var score = CallScore()

    /// Creates a timeline.
    public init(recordings: [RecordingSummary] = [], views: [CallView] = [], events: [TimelineEvent] = []) {
        self.recordings = recordings
        self.views = views
        self.events = events
    }

    /// Start of the first view, in Unix ms; `nil` if there is none.
    public var from: Double? { views.compactMap(\.from).min() }

    /// When the last view ends, in Unix ms; `nil` if there is none.
    public var to: Double? { views.compactMap(\.to).max() }
}
