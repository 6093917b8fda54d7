// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Merges the observations of the ends of a call into a timeline.
///
/// Pure: time is what the observations say. They must come in the order of their times; what is late changes
/// nothing.
public struct TimelineBuilder: Sendable {
    private var views: [CallView.ID: ViewReplay] = [:]
    private var order: [CallView.ID] = []
    private var events: [TimelineEvent] = []
    private let keepsObservations: Bool

    /// Creates a builder that has seen nothing.
    ///
    /// - Parameter keepsObservations: Whether the timeline gets every observation, or only what follows from
    ///   them.
    public init(keepsObservations: Bool = true) { self.keepsObservations = keepsObservations }

    /// The timeline of the observations so far; without recordings.
    public var timeline: CallTimeline {
        CallTimeline(views: order.compactMap { views[$0]?.result }, events: events)
    }

    /// Takes the next observation.
    ///
    /// - Parameters:
    ///   - observation: The observation.
    ///   - view: Whose it is.
    ///   - stream: The stream, by the name that publisher and subscribers share; `nil` if unknown.
    /// - Returns: What happened by it; nothing for an observation that was repeated.
    @discardableResult
    public mutating func take(
        _ observation: CallObservation, of view: CallView.ID, stream: String?
    ) -> [TimelineEvent] {
        if views[view] == nil {
            order.append(view)
            views[view] = ViewReplay(view, keepsObservations: keepsObservations)
        }
        let happened = views[view]?.take(observation, stream: stream) ?? []
        events += happened
        return happened
    }
}
