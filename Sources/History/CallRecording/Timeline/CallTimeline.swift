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
