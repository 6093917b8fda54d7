// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// A call of the lab: what is sent, what is done to it and when, and what is true meanwhile.
public struct Scenario: Sendable {
    /// Who takes part: alice publishes, bob subscribes.
    public enum Party: String, Sendable, Codable, CaseIterable {
        /// The publisher.
        case alice
        /// The subscriber.
        case bob
    }

    /// Its name in tables and of its files.
    public var name: String
    /// What is done, for people.
    public var summary: String
    /// Length of the call in seconds, from the first picture on.
    public var duration: Double
    /// What alice sends.
    public var setup: Setup
    /// What is done, in order of time.
    public var steps: [Step]
    /// What is true, in order of time; the first span begins at 0.
    public var spans: [Span]
    /// Warnings that are right though nothing is wrong, because what is sent is what they warn of.
    public var dueWarnings: Set<CallQualityWarning.Kind> = []

    /// Describes a call.
    public init(
        name: String, summary: String, duration: Double, setup: Setup = Setup(), steps: [Step] = [],
        spans: [Span] = [Span(start: 0)]
    ) {
        self.name = name
        self.summary = summary
        self.duration = duration
        self.setup = setup
        self.steps = steps
        self.spans = spans
    }

    /// Whether nothing is wrong all the time, so that every alarm is a false one.
    public var isClean: Bool { spans.allSatisfy { $0.alice == .well && $0.bob == .well } }

    /// Seconds at which a span ends; spans follow each other without gaps.
    public func end(ofSpan index: Int) -> Double {
        index + 1 < spans.count ? spans[index + 1].start : duration
    }
}

extension Scenario {
    /// What alice sends.
    public struct Setup: Sendable, Equatable {
        /// Whether there is video at all.
        public var hasVideo = true
        /// Whether alice speaks; else there is digital silence.
        public var speaks = true
        /// Whether next to nothing is sent in pauses of speech.
        public var usesDiscontinuousTransmission = false
        /// Whether the pictures are of a screen.
        public var isScreen = false
        /// Pictures a second.
        public var frameRate = 30.0
        /// Whether the video has several layers.
        public var hasLayers = false

        /// Speech and a camera of 640x360 at 30 pictures a second in one layer.
        public init() {}
    }

    /// Something that is done during the call.
    public struct Step: Sendable, Equatable {
        /// When, in seconds.
        public var time: Double
        /// What.
        public var action: Action

        /// Describes a step.
        public init(_ time: Double, _ action: Action) {
            self.time = time
            self.action = action
        }
    }

    /// What can be done during a call.
    public enum Action: Sendable, Equatable {
        /// Somebody's network becomes this.
        case network(Party, NetworkConditions)
        /// Somebody's packets of a direction come up to so many milliseconds earlier or later, in groups and in
        /// order; `nil` for evenly again.
        case uneven(Party, NetworkConditions.Direction, Double?)
        /// Alice sends sound or not.
        case audio(Bool)
        /// Alice sends video or not.
        case video(Bool)
        /// Alice's picture stands still or not.
        case still(Bool)
        /// Each of alice's pictures takes so many milliseconds longer to encode.
        case encodeDelay(Int)
        /// Bob wants pictures of at most this height; `nil` for any.
        case wantedHeight(Int?)
    }

    /// What is true from a moment to the next span's.
    public struct Span: Sendable, Equatable {
        /// Its beginning in seconds.
        public var start: Double
        /// What alice's observer should say.
        public var alice: Label
        /// What bob's observer should say.
        public var bob: Label

        /// Describes a span; all is well unless said otherwise.
        public init(start: Double, alice: Label = .well, bob: Label = .well) {
            self.start = start
            self.alice = alice
            self.bob = bob
        }

        /// What somebody's observer should say.
        public subscript(party: Party) -> Label { party == .alice ? alice : bob }
    }
}
