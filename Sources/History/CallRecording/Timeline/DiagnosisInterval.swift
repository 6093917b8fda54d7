// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// A stretch of time over which the diagnosis kept its cause, direction and side.
public struct DiagnosisInterval: Sendable, Equatable, Codable {
    /// The first report with this diagnosis, in Unix ms.
    public var from: Double
    /// The first report with another one, or the last report, in Unix ms.
    public var to: Double
    /// What was wrong.
    public var cause: Diagnosis.Cause
    /// Where; `nil` where that makes no sense.
    public var direction: IntervalDirection?
    /// Whose side it was, for subscribers; `nil` for publishers.
    public var side: NetworkDegradationSource?
    /// How bad it was at its worst; `nil` while nothing was wrong or nothing known.
    public var severity: Diagnosis.Severity?

    /// Creates an interval.
    public init(
        from: Double, to: Double, cause: Diagnosis.Cause, direction: IntervalDirection? = nil,
        side: NetworkDegradationSource? = nil, severity: Diagnosis.Severity? = nil
    ) {
        self.from = from
        self.to = to
        self.cause = cause
        self.direction = direction
        self.side = side
        self.severity = severity
    }

    /// Whether the interval is trouble, and not information: nothing wrong, nothing known, or on the way back.
    public var isAlarm: Bool { cause.isTrouble }
}
