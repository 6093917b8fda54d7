// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// The observation of one report of a recording.
public struct CallObservation: Sendable, Equatable {
    /// The observation, by the end that was observed.
    public enum Content: Sendable, Equatable {
        /// A published stream.
        case publisher(PublisherObservation)
        /// A subscribed stream, or all that a peer connection receives.
        case subscriber(SubscriberObservation)
    }

    /// The recorder's time of the report, in Unix ms.
    public var time: Double
    /// The observation.
    public var content: Content

    /// Creates an observation.
    public init(time: Double, content: Content) {
        self.time = time
        self.content = content
    }

    /// The stream's diagnosis.
    public var diagnosis: Diagnosis {
        switch content {
        case .publisher(let observation): observation.diagnosis
        case .subscriber(let observation): observation.diagnosis
        }
    }

    /// The track, where the peer connection has several of a kind; `nil` for all that it sends or receives.
    public var track: MediaTrack? {
        switch content {
        case .publisher(let observation): observation.track
        case .subscriber(let observation): observation.track
        }
    }

    /// The report's own time, in Unix ms.
    public var timestamp: Double {
        switch content {
        case .publisher(let observation): observation.timestamp
        case .subscriber(let observation): observation.timestamp
        }
    }
}
