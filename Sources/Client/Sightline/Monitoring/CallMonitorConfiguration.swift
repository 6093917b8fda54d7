// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Settings of a ``CallMonitor``.
public struct CallMonitorConfiguration: Sendable {
    /// Interval between reports; clamped to 0.2 to 10 s.
    ///
    /// 1 s.
    public var interval: Duration = .seconds(1)
    /// The limits of all judgements.
    public var quality = QualityConfiguration()
    /// Called with each report and its inputs before it is judged, once per role; `nil` for none.
    ///
    /// Its peer connection is named after the stream, or `call` where no session names one.
    /// Called from a task of the monitor, which waits for it: it should only pass the report on.
    public var onReport: (@Sendable (RecordedReport) -> Void)?
    /// The monitor's clock; tests replace it by a virtual one.
    public var clock: SessionClock = .continuous

    /// The defaults.
    public init() {}

    var boundedInterval: Duration { min(max(interval, .milliseconds(200)), .seconds(10)) }
}
