// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// The last line of an analysis: what was wrong, when, where and whose.
public struct TimelineSummary: Sendable, Equatable, Encodable {
    /// An interval and the view that shows it; written as one object.
    public struct Interval: Sendable, Equatable, Encodable {
        /// The interval.
        public var interval: DiagnosisInterval
        /// The view that shows it.
        public var view: CallView.ID
        /// The stream; `nil` if unknown.
        public var stream: String?

        private enum CodingKeys: String, CodingKey {
            case role, pc, track, recording, stream
        }

        /// Writes the interval's members, `role`, `pc`, `recording` (its place) and `stream` if known.
        public func encode(to encoder: any Encoder) throws {
            try interval.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(view.role, forKey: .role)
            try container.encode(view.peerConnection, forKey: .pc)
            try container.encodeIfPresent(view.track, forKey: .track)
            try container.encode(view.recording, forKey: .recording)
            try container.encodeIfPresent(stream, forKey: .stream)
        }
    }

    /// One view, in short.
    public struct View: Sendable, Equatable, Encodable {
        /// Which end it is.
        public var role: StreamRole
        /// The peer connection.
        public var pc: String
        /// The track; `nil` for all that the peer connection sends or receives.
        public var track: MediaTrack?
        /// The recording that shows it: its place among ``TimelineSummary/recordings``.
        public var recording: Int
        /// The stream; `nil` if unknown.
        public var stream: String?
        /// Start, in Unix ms; `nil` without observations.
        public var from: Double?
        /// End, in Unix ms; `nil` without observations.
        public var to: Double?
        /// Number of reports with something new.
        public var reports: Int
    }

    /// One recording, in short.
    public struct Recording: Sendable, Equatable, Encodable {
        /// Its name.
        public var name: String
        /// Its form; `nil` if it has none.
        public var format: RecordingFormat?
        /// Number of reports read.
        public var reports: Int
        /// Its peer connections and what each was there for.
        public var connections: [RecordedConnection]
        /// Number of parts that could not be read.
        public var issues: Int
    }

    /// Always `summary`.
    public let type = "summary"
    /// What was wrong: alarms only, in the order of time.
    public var intervals: [Interval]
    /// Number of events that were alarms.
    public var alarms: Int
    /// The rest of what is worth telling, in the order of time: what is not known, and recoveries.
    public var information: [Interval]
    /// Start of the call, in Unix ms; `nil` without observations.
    public var from: Double?
    /// End of the call, in Unix ms; `nil` without observations.
    public var to: Double?
    /// The views.
    public var views: [View]
    /// The recordings.
    public var recordings: [Recording]
    /// What is worth knowing about the call as a whole, what matters most first.
    public var findings: [Finding]
    /// How good the call was, as one number.
    public var score: CallScore
    /// What the recordings say of the call as a whole.
    public var facts: CallFacts
}

extension CallTimeline {
    /// The timeline in short, as the last line of an analysis has it.
    public var summary: TimelineSummary {
        let intervals = views.flatMap { view in
            view.intervals.map { TimelineSummary.Interval(interval: $0, view: view.id, stream: view.stream) }
        }.sorted { $0.interval.from < $1.interval.from }
        return TimelineSummary(
            intervals: intervals.filter { $0.interval.isAlarm },
            alarms: events.count(where: \.isAlarm),
            information: intervals.filter { !$0.interval.isAlarm && $0.interval.cause != .none },
            from: from, to: to,
            views: views.map { view in
                TimelineSummary.View(
                    role: view.id.role, pc: view.id.peerConnection, track: view.id.track,
                    recording: view.id.recording,
                    stream: view.stream, from: view.from, to: view.to, reports: view.reports)
            },
            recordings: recordings.map { recording in
                TimelineSummary.Recording(
                    name: recording.name, format: recording.format, reports: recording.reports,
                    connections: recording.connections,
                    issues: recording.issues.count + recording.omittedIssues)
            },
            findings: findings, score: score, facts: facts)
    }
}
