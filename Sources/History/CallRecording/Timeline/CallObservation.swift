// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// The observation of one report of a recording.
public struct CallObservation: Sendable, Equatable {
    /// The recorder's time of the report, in Unix ms.
    public var time: Double
    /// The observation.
    public var content: StreamObservation

    /// Creates an observation.
    public init(time: Double, content: StreamObservation) {
        self.time = time
        self.content = content
    }
}
