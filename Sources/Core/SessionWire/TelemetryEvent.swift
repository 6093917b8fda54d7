// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// One thing that a client has measured, as it is sent; ``TelemetryBases`` completes it.
package struct TelemetryEvent: Sendable, Equatable {
    /// What is sent of it.
    package enum Content: Sendable, Equatable {
        /// The client's judgement of its reports, whole.
        ///
        /// - `number`: What the next one's figures count from; `nil` if none builds on it.
        case sample(StreamSample, number: Int64?)
        /// The number of a sample, and how it differs from the one before: ``CallModel/SampleCodes``; and what the tick
        /// caused, `nil` if nothing.
        case figures([Int64], events: [StreamEvent]?)
        /// A `getStats()` report as it came, from a client that works nothing out.
        case report(StatsReport)
        /// Such a report as what has changed: ``WebRTCStats/ReportRebuilder``.
        case changes([StatsValue])
    }

    /// Chosen by the client; an event that arrives twice counts once.
    package var eventId: String
    /// When it was measured, Unix ms by the client's clock, which need not be right.
    package var capturedAt: Double
    /// The leg that it is about.
    package var leg: LegName
    /// Seconds between two events of the leg while the client sends fewer than one a second; else `nil`.
    package var interval: Double?
    /// A sample or a raw report, or what has changed since the one before of the same leg.
    package var content: Content

    /// Longest ``interval``, seconds.
    package static let intervalLimit = 10.0
    /// Most figures, and most changes: as many as change at once, and more.
    package static let changeLimit = 1024

    /// Creates an event.
    package init(
        eventId: String, capturedAt: Double, leg: LegName, interval: Double? = nil, _ content: Content
    ) {
        self.eventId = eventId
        self.capturedAt = capturedAt
        self.leg = leg
        self.interval = interval
        self.content = content
    }

    /// Creates an event of a sample that nothing builds on.
    package init(eventId: String, capturedAt: Double, leg: LegName, sample: StreamSample) {
        self.init(eventId: eventId, capturedAt: capturedAt, leg: leg, .sample(sample, number: nil))
    }

    /// Creates an event of a raw report.
    package init(eventId: String, capturedAt: Double, leg: LegName, report: StatsReport) {
        self.init(eventId: eventId, capturedAt: capturedAt, leg: leg, .report(report))
    }

    /// How many things happened in its tick, as far as it says so.
    package var eventCount: Int {
        switch content {
        case .sample(let sample, _): sample.events?.count ?? 0
        case .figures(_, let events): events?.count ?? 0
        case .report, .changes: 0
        }
    }

    /// The whole sample that it carries; `nil` if it carries something else.
    package var wholeSample: StreamSample? {
        if case .sample(let sample, _) = content { sample } else { nil }
    }
}

// MARK: - JSON

extension TelemetryEvent: Codable {
    private enum CodingKeys: CodingKey {
        case eventId, capturedAt, leg, interval, sample, figures, events, report, changes
    }

    /// Reads an event.
    ///
    /// - Throws: `DecodingError` if a member is missing or wrong, ``ServerError`` if it says nothing, or more than one
    ///   thing.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            eventId: try container.decode(String.self, forKey: .eventId),
            capturedAt: try container.decode(Double.self, forKey: .capturedAt),
            leg: LegName(try container.decode(String.self, forKey: .leg)),
            interval: try container.decodeIfPresent(Double.self, forKey: .interval),
            try Self.content(container))
    }

    private static func content(_ container: KeyedDecodingContainer<CodingKeys>) throws -> Content {
        let sample = try container.decodeIfPresent(StreamSample.self, forKey: .sample)
        let figures = try container.decodeIfPresent([Int64].self, forKey: .figures)
        let report = try container.decodeIfPresent(StatsReport.self, forKey: .report)
        let changes = try container.decodeIfPresent([StatsValue].self, forKey: .changes)
        switch (sample, figures, report, changes) {
        case (let sample?, nil, nil, nil): return .sample(sample, number: nil)
        case (let sample?, let figures?, nil, nil):
            // Below zero: it begins from there.
            if let number = figures.first, figures.count == 1, (-Int64.max ... -1).contains(number) {
                return .sample(sample, number: -number)
            }
        case (nil, let figures?, nil, nil):
            let events = try container.decodeIfPresent([StreamEvent].self, forKey: .events)
            return .figures(figures, events: events)
        case (nil, nil, let report?, nil): return .report(report)
        case (nil, nil, nil, let changes?): return .changes(changes)
        default: break
        }
        throw ServerError(
            .malformed,
            "a telemetry event has a \"sample\" or a \"report\", whole or as what has changed, and nothing else"
        )
    }

    /// Writes the event.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(eventId, forKey: .eventId)
        try container.encode(capturedAt, forKey: .capturedAt)
        try container.encode(leg, forKey: .leg)
        try container.encodeIfPresent(interval, forKey: .interval)
        switch content {
        case .sample(let sample, let number):
            try container.encode(sample, forKey: .sample)
            try container.encodeIfPresent(number.map { [-$0] }, forKey: .figures)
        case .figures(let figures, let events):
            try container.encode(figures, forKey: .figures)
            try container.encodeIfPresent(events, forKey: .events)
        case .report(let report): try container.encode(report, forKey: .report)
        case .changes(let changes): try container.encode(changes, forKey: .changes)
        }
    }
}
