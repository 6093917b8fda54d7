// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
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
/// It carries a sample or a raw report.
package struct TelemetryEvent: Sendable, Equatable, Codable {
    /// Chosen by the client; an event that arrives twice counts once.
    package var eventId: String
    /// When it was measured, Unix ms by the client's clock, which need not be right.
    package var capturedAt: Double
    /// The leg that it is about.
    package var leg: String
    /// The client's judgement of its reports.
    package var sample: StreamSample?
    /// A `getStats()` report as it came, from a client that works nothing out.
    package var report: StatsReport?

    /// Creates an event.
    package init(
        eventId: String, capturedAt: Double, leg: String, sample: StreamSample? = nil,
        report: StatsReport? = nil
    ) {
        self.eventId = eventId
        self.capturedAt = capturedAt
        self.leg = leg
        self.sample = sample
        self.report = report
    }
}
