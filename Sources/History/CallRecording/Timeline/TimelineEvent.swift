// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Something that happened in a recorded call.
public struct TimelineEvent: Sendable, Equatable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// The diagnosis has another cause, direction, side or severity than before; also the first one.
        case diagnosisChanged(Diagnosis)
        /// An event of the stream that the view shows.
        case stream(StreamEvent)
    }

    /// The recorder's time of the report that showed it, in Unix ms.
    public var time: Double
    /// The view that shows it.
    public var view: CallView.ID
    /// The stream; `nil` if unknown.
    public var stream: String?
    /// What happened.
    public var kind: Kind
    /// Whether it reports a problem; the others are information.
    public var isAlarm: Bool
    /// The observation that showed it, for its statistics; `nil` where only samples were kept.
    public var content: StreamObservation?

    /// Creates an event.
    public init(
        time: Double, view: CallView.ID, stream: String? = nil, kind: Kind, isAlarm: Bool,
        content: StreamObservation?
    ) {
        self.time = time
        self.view = view
        self.stream = stream
        self.kind = kind
        self.isAlarm = isAlarm
        self.content = content
    }
}
