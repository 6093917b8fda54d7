// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality

/// How good a call was, as one number of 0 to 100, for each participant and as a whole.
///
/// `ScoreRules` has the formula's numbers. A participant is whoever made a recording; what no one could judge has no score.
public struct CallScore: Sendable, Equatable, Encodable {
    /// Mean of the participants' scores; `nil` if none has one.
    public var score: Double?
    /// One for each recording that could be judged, in their order.
    public var participants: [ParticipantScore]

    /// Creates a score.
    public init(participants: [ParticipantScore] = []) {
        self.participants = participants
        score =
            participants.isEmpty
            ? nil : participants.map(\.score).reduce(0, +) / Double(participants.count)
    }
}

/// How good a call was for one participant.
public struct ParticipantScore: Sendable, Equatable, Encodable {
    /// The recording's place.
    public var recording: Int
    /// 0 to 100: the mean of the parts, each with its weight.
    public var score: Double
    /// What was heard, or where nothing was received, sent; `nil` without audio.
    public var audio: ScorePart?
    /// What was seen, or where nothing was received, sent; `nil` without video.
    public var video: ScorePart?
    /// Being connected.
    public var connectivity: ScorePart?
}

/// One part of a score, with the seconds that cost it.
public struct ScorePart: Sendable, Equatable, Encodable {
    /// 0 to 100: the share of the seconds that were not spoilt.
    public var score: Double
    /// Seconds that were judged.
    public var seconds: Double
    /// What cost most first.
    public var costs: [Cost]

    /// Seconds of one kind and what they cost.
    public struct Cost: Sendable, Equatable, Encodable {
        /// What was wrong.
        public var cause: CostCause
        /// How bad.
        public var severity: Diagnosis.Severity
        /// When it was first so, in Unix ms.
        public var first: Double
        /// For how long in all.
        public var seconds: Double
        /// What it took from 100.
        public var points: Double
        /// What was wrong and how bad, for people.
        public var words: String { "\(cause.label), \(severity.label)" }

        private enum CodingKeys: String, CodingKey {
            case cause, severity, first, seconds, points, words
        }

        /// Writes it with its ``words``.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(cause.name, forKey: .cause)
            try container.encode(severity, forKey: .severity)
            try container.encode(first, forKey: .first)
            try container.encode(seconds, forKey: .seconds)
            try container.encode(points, forKey: .points)
            try container.encode(words, forKey: .words)
        }
    }
}

/// What seconds of a score are lost to.
public enum CostCause: Sendable, Hashable {
    /// A diagnosis' cause.
    case diagnosed(Diagnosis.Cause)
    /// The time that connecting took.
    case connecting
    /// Nothing was ever connected.
    case neverEstablished

    /// The cause's own name, `connecting` or `neverEstablished`.
    public var name: String {
        switch self {
        case .diagnosed(let cause): cause.name
        case .connecting: "connecting"
        case .neverEstablished: "neverEstablished"
        }
    }

    /// What people call it.
    var label: String {
        switch self {
        // The rules found nothing, and it was heard or seen all the same.
        case .diagnosed(.none), .diagnosed(.unknown): "gaps without a known cause"
        case .diagnosed(let cause): cause.label
        case .connecting: "connecting"
        case .neverEstablished: "never connected"
        }
    }
}
