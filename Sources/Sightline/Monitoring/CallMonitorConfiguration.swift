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
    /// The time that the monitor lives by; tests put a virtual one in its place.
    public var clock: SessionClock = .continuous

    /// The defaults.
    public init() {}

    var boundedInterval: Duration { min(max(interval, .milliseconds(200)), .seconds(10)) }
}
