// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What a ``CallMonitor`` has to say of a tick.
public enum CallMonitorEvent: Sendable, Equatable {
    /// What is sent or received was observed.
    case observed(StreamObservation)
    /// The source gave no report in this tick, and why.
    case unavailable(SightlineError)
}
