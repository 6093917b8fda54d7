// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// An interval with one cause, direction and side.
public struct DiagnosisInterval: Sendable, Equatable, Codable {
    /// The first report with this diagnosis, in Unix ms.
    public var from: Double
    /// The first report with another one, or the last report, in Unix ms.
    public var to: Double
    /// What was wrong.
    public var cause: Diagnosis.Cause
    /// Direction; `nil` where it does not apply.
    public var direction: IntervalDirection?
    /// Side, for subscribers; `nil` for publishers.
    public var side: NetworkDegradationSource?
    /// The track that shows it, where not the whole view does; `nil` otherwise.
    public var track: MediaTrack?
    /// Worst severity; `nil` while nothing was wrong or nothing known.
    public var severity: Diagnosis.Severity?

    /// Creates an interval.
    public init(
        from: Double, to: Double, cause: Diagnosis.Cause, direction: IntervalDirection? = nil,
        side: NetworkDegradationSource? = nil, severity: Diagnosis.Severity? = nil,
        track: MediaTrack? = nil
    ) {
        self.track = track
        self.from = from
        self.to = to
        self.cause = cause
        self.direction = direction
        self.side = side
        self.severity = severity
    }

    /// Whether the interval is a problem, and not information: nothing wrong, nothing known, or recovering.
    public var isAlarm: Bool { cause.isProblem }
}
