// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// How a ``CallMonitor`` observes.
public struct CallMonitorConfiguration: Sendable {
    /// How often a report is read; 0.2 to 10 s, values outside count as the nearest one inside.
    ///
    /// 1 s.
    public var interval: Duration = .seconds(1)
    /// The limits of all judgements.
    public var quality = QualityConfiguration()
    /// Gets each report with what it is judged by, before it is judged, once for each role; `nil` for no one.
    ///
    /// Called from a task of the monitor, which waits for it: it should only pass the report on.
    public var onReport: (@Sendable (ObservedReport) -> Void)?
    /// The time that the monitor lives by; tests put a virtual one in its place.
    public var clock: SessionClock = .continuous

    /// The defaults.
    public init() {}

    var boundedInterval: Duration { min(max(interval, .milliseconds(200)), .seconds(10)) }
}
