// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// A client's telemetry.
package struct Telemetry: Sendable, Equatable, Codable {
    /// At most ``limit`` in one message.
    package var events: [TelemetryEvent]

    /// Most events in one message.
    package static let limit = 32

    /// Creates a message.
    package init(events: [TelemetryEvent]) { self.events = events }
}

/// One thing that a client has measured.
///
/// It carries a sample or a raw report, or what has changed since the one before of the same leg; see
/// ``TelemetryBases``.
package struct TelemetryEvent: Sendable, Equatable, Codable {
    /// Chosen by the client; an event that arrives twice counts once.
    package var eventId: String
    /// When it was measured, Unix ms by the client's clock, which need not be right.
    package var capturedAt: Double
    /// The leg that it is about.
    package var leg: String
    /// Seconds between two events of the leg while the client sends fewer than one a second; else `nil`.
    package var interval: Double?
    /// The client's judgement of its reports.
    package var sample: StreamSample?
    /// The number of a sample, and how it differs from the one before: ``CallModel/SampleCodes``.
    ///
    /// Below zero for the number of a ``sample`` that is here, which the next one builds on.
    package var figures: [Int64]?
    /// What the tick caused, beside ``figures``; `nil` if nothing.
    package var events: [StreamEvent]?
    /// A `getStats()` report as it came, from a client that works nothing out.
    package var report: StatsReport?
    /// Such a report as what has changed: ``WebRTCStats/ReportRebuilder``.
    package var changes: [StatsValue]?

    /// Longest ``interval``, seconds.
    package static let intervalLimit = 10.0
    /// Most ``figures``, and most ``changes``: as many as change at once, and more.
    package static let changeLimit = 1024

    /// Creates an event.
    package init(
        eventId: String, capturedAt: Double, leg: String, sample: StreamSample? = nil,
        report: StatsReport? = nil, changes: [StatsValue]? = nil
    ) {
        self.eventId = eventId
        self.capturedAt = capturedAt
        self.leg = leg
        self.sample = sample
        self.report = report
        self.changes = changes
    }
}
