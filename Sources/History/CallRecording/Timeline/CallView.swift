// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// A call as one end of it saw it: what a peer connection sent, or what it received.
public struct CallView: Sendable, Equatable {
    /// Names a view among those of a call.
    public struct ID: Sendable, Hashable {
        /// The recording that shows it: its place in the list of recordings.
        public var recording: Int
        /// The peer connection, by its name in the recording.
        public var peerConnection: String
        /// Which end it is.
        public var role: StreamRole
        /// The track, where a peer connection has several of a kind; `nil` for all that it sends or receives.
        public var track: MediaTrack?

        /// Names a view.
        public init(recording: Int, peerConnection: String, role: StreamRole, track: MediaTrack? = nil) {
            self.recording = recording
            self.peerConnection = peerConnection
            self.role = role
            self.track = track
        }
    }

    /// Which view this is.
    public var id: ID
    /// The stream, by the name that publisher and subscribers share; `nil` if unknown.
    public var stream: String?
    /// Observations, in the order of time; empty if they are not kept.
    public var observations: [CallObservation]
    /// Number of reports with something new.
    public var reports: Int
    /// The diagnosis over time, without gaps but where the recording has some.
    public var intervals: [DiagnosisInterval]

    /// Creates a view.
    public init(
        id: ID, stream: String? = nil, observations: [CallObservation] = [], reports: Int = 0,
        intervals: [DiagnosisInterval] = []
    ) {
        self.id = id
        self.stream = stream
        self.observations = observations
        self.reports = reports
        self.intervals = intervals
    }

    /// Start of the view, in Unix ms; `nil` without observations.
    public var from: Double? { intervals.first?.from }

    /// End of the view, in Unix ms; `nil` without observations.
    public var to: Double? { intervals.last?.to }
}
