// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// One thing that a client has measured, complete, however it was sent.
package struct MeasuredEvent: Sendable, Equatable {
    /// What it is.
    package enum Content: Sendable, Equatable {
        /// The client's judgement of its reports.
        case sample(StreamSample)
        /// A `getStats()` report, and what the server judges of it: `nil` until it has, and if its stream is over.
        case report(StatsReport, judged: Judged?)
    }

    /// What the server judges of a report.
    package struct Judged: Sendable, Equatable {
        /// It.
        package var sample: StreamSample
        /// What it was judged with.
        package let context: ReportContext

        /// Creates a judgement.
        package init(_ sample: StreamSample, with context: ReportContext) {
            self.sample = sample
            self.context = context
        }
    }

    /// Chosen by the client; an event that arrives twice counts once.
    package let eventId: String
    /// When it was measured, Unix ms: by the client's clock, then by the server's.
    package var capturedAt: Double
    /// The leg that it is about.
    package let leg: LegName
    /// Seconds between two events of the leg while the client sends fewer than one a second; else `nil`.
    package let interval: Double?
    /// A sample or a report.
    package var content: Content

    init(_ event: TelemetryEvent, _ content: Content) {
        eventId = event.eventId
        capturedAt = event.capturedAt
        leg = event.leg
        interval = event.interval
        self.content = content
    }

    /// What is judged of the leg, by whichever side; `nil` if nothing is.
    package var sample: StreamSample? {
        switch content {
        case .sample(let sample): sample
        case .report(_, let judged): judged?.sample
        }
    }

    /// What a report was judged with; `nil` if it was not, or there is none.
    package var context: ReportContext? {
        if case .report(_, let judged) = content { judged?.context } else { nil }
    }

    /// The raw report; `nil` if the client sends none.
    package var report: StatsReport? {
        if case .report(let report, _) = content { report } else { nil }
    }
}
