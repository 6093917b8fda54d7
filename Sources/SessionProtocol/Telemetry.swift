// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// What a client knows of its media.
public struct Telemetry: Sendable, Equatable, Codable {
    /// At most ``limit`` in one message.
    public var events: [TelemetryEvent]

    /// Most events in one message.
    public static let limit = 32

    /// Makes a message.
    public init(events: [TelemetryEvent]) { self.events = events }
}

/// One thing that a client has measured.
///
/// It carries a sample or a raw report.
public struct TelemetryEvent: Sendable, Equatable, Codable {
    /// Chosen by the client; an event that arrives twice counts once.
    public var eventId: String
    /// When it was measured, Unix ms by the client's clock, which need not be right.
    public var capturedAt: Double
    /// The leg that it is about.
    public var leg: String
    /// What the client made of its reports.
    public var sample: StreamSample?
    /// A `getStats()` report as it came, from a client that works nothing out.
    public var report: StatsReport?

    /// Makes an event.
    public init(
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
