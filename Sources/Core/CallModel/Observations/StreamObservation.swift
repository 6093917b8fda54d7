// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One tick's observation, by the end that was observed.
public enum StreamObservation: Sendable, Equatable {
    /// A published stream, or all that a peer connection sends.
    case publisher(PublisherObservation)
    /// A subscribed stream, or all that a peer connection receives.
    case subscriber(SubscriberObservation)

    /// Which end was observed.
    public var role: StreamRole {
        switch self {
        case .publisher: .publisher
        case .subscriber: .subscriber
        }
    }

    /// What is sent; `nil` if the other end was observed.
    public var publisher: PublisherObservation? {
        if case .publisher(let observation) = self { observation } else { nil }
    }

    /// What is received; `nil` if the other end was observed.
    public var subscriber: SubscriberObservation? {
        if case .subscriber(let observation) = self { observation } else { nil }
    }

    /// The stream's diagnosis.
    public var diagnosis: Diagnosis {
        switch self {
        case .publisher(let observation): observation.diagnosis
        case .subscriber(let observation): observation.diagnosis
        }
    }

    /// The track, where the peer connection has several of a kind; `nil` for all that it sends or receives.
    public var track: MediaTrack? {
        switch self {
        case .publisher(let observation): observation.track
        case .subscriber(let observation): observation.track
        }
    }

    /// The report's own time, in Unix ms.
    public var timestamp: Double {
        switch self {
        case .publisher(let observation): observation.timestamp
        case .subscriber(let observation): observation.timestamp
        }
    }
}
