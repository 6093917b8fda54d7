// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// One tick's observation of a ``CallMonitor``.
public enum CallObservation: Sendable, Equatable {
    /// What is sent.
    case publisher(PublisherObservation)
    /// What is received.
    case subscriber(SubscriberObservation)
    /// The source gave no report in this tick, and why.
    case unavailable(SightlineError)
}
