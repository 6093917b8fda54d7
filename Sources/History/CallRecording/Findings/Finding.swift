// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Something about a whole call, peer connection or stream that is worth knowing, beside the diagnosis of each second.
///
/// Above all why a connection never came to be, which no statistics tell.
public struct Finding: Sendable, Equatable, Encodable {
    /// How much it matters.
    public enum Severity: Int, Sendable, Hashable, CaseIterable, Comparable, Encodable {
        /// Worth knowing; it need not have harmed.
        case information = 0
        /// It harmed the call, or will harm the next one.
        case warning = 1
        /// It kept someone from taking part.
        case problem = 2

        /// Its word in JSON.
        public var name: String {
            switch self {
            case .information: "information"
            case .warning: "warning"
            case .problem: "problem"
            }
        }

        /// Orders by how much it matters.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

        /// Writes the word.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(name)
        }
    }

    /// What a finding is about.
    public enum Tag: String, Sendable, Hashable, CaseIterable, Encodable {
        /// Offer, answer, and what carries them.
        case signaling
        /// ICE, STUN, TURN, DTLS.
        case connectivity
        /// The network's quality.
        case network
        /// Cameras, microphones, loudspeakers.
        case device
        /// The processor.
        case processor
        /// What is heard.
        case audio
        /// What is seen.
        case video
        /// What the app does.
        case app
    }

    /// One figure that the finding rests on.
    public struct Evidence: Sendable, Equatable, Encodable {
        /// What a figure is measured in.
        public enum Unit: String, Sendable, Hashable, Encodable {
            /// Seconds.
            case seconds = "s"
            /// `0...1`.
            case share
            /// A number of something.
            case count
            /// How often something happened.
            case times
        }

        /// What is known of it.
        public enum Value: Sendable, Equatable {
            /// What was measured, and the rule's threshold; `nil` if there is none.
            case figure(Double, Unit, limit: Double?)
            /// What someone or something is called.
            case text(String)
        }

        /// What it is, such as `iceDelay`.
        public var name: String
        /// The figure, or the text.
        public var value: Value

        private enum CodingKeys: String, CodingKey {
            case name, value, unit, limit, text
        }

        /// Writes `name` with `value`, `unit` and `limit`, or with `text`.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            switch value {
            case .figure(let figure, let unit, let limit):
                try container.encode(figure, forKey: .value)
                try container.encode(unit, forKey: .unit)
                try container.encodeIfPresent(limit, forKey: .limit)
            case .text(let text): try container.encode(text, forKey: .text)
            }
        }

        static func figure(_ name: String, _ value: Double, _ unit: Unit, limit: Double? = nil) -> Evidence {
            Evidence(name: name, value: .figure(value, unit, limit: limit))
        }

        static func seconds(_ name: String, _ value: Double, limit: Double? = nil) -> Evidence {
            figure(name, value, .seconds, limit: limit)
        }

        static func share(_ name: String, _ value: Double, limit: Double? = nil) -> Evidence {
            figure(name, value, .share, limit: limit)
        }

        static func count(_ name: String, _ value: Int, limit: Double? = nil) -> Evidence {
            figure(name, Double(value), .count, limit: limit)
        }

        static func times(_ name: String, _ value: Int) -> Evidence {
            figure(name, Double(value), .times)
        }

        static func word(_ name: String, _ text: String) -> Evidence {
            Evidence(name: name, value: .text(text))
        }
    }

    /// What was found.
    public var kind: FindingKind
    /// How much it matters.
    public var severity: Severity
    /// The recording that shows it: its place.
    public var recording: Int
    /// The peer connection; `nil` if it is about none.
    public var pc: String?
    /// The track; `nil` if it is about none.
    public var track: MediaTrack?
    /// Whether the track is sent or received; `nil` if it is about none.
    public var role: StreamRole?
    /// Begin, in Unix ms.
    public var from: Double
    /// End, in Unix ms; as ``from`` for what is a moment.
    public var to: Double
    /// The figures that it rests on.
    public var evidence: [Evidence]
    /// What was found, for people.
    public var sentence: String
    /// What to do about it, for people.
    public var advice: String
    /// What it is about.
    public var tags: [Tag]
}
