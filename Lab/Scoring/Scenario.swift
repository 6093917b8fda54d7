// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// A call of the lab: what is sent, what is done to it and when, and what is true meanwhile.
package struct Scenario: Sendable {
    /// Who takes part: alice publishes, bob subscribes.
    package enum Party: String, Sendable, Codable, CaseIterable {
        /// The publisher.
        case alice
        /// The subscriber.
        case bob
    }

    /// Its name in tables and of its files.
    package var name: String
    /// What is done, for people.
    package var summary: String
    /// Length of the call in seconds, from the first frame on.
    package var duration: Double
    /// What alice sends.
    package var setup: Setup
    /// What is done, in order of time.
    package var steps: [Step]
    /// Ground truth, in order of time; the first span begins at 0.
    package var spans: [Span]
    /// Warnings that are right though nothing is wrong, because what is sent is what they warn of.
    package var dueWarnings: Set<CallQualityWarning.Kind> = []

    /// Describes a call.
    package init(
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
    package var isClean: Bool { spans.allSatisfy { $0.alice == .well && $0.bob == .well } }

    /// Seconds at which a span ends; spans follow each other without gaps.
    package func end(ofSpan index: Int) -> Double {
        index + 1 < spans.count ? spans[index + 1].start : duration
    }
}

extension Scenario {
    /// What alice sends.
    package struct Setup: Sendable, Equatable {
        /// Whether there is video at all.
        package var hasVideo = true
        /// Whether alice speaks; else there is digital silence.
        package var speaks = true
        /// Whether next to nothing is sent in pauses of speech.
        package var usesDiscontinuousTransmission = false
        /// Whether the video is a screen.
        package var isScreen = false
        /// Frames a second.
        package var frameRate = 30.0
        /// Whether the video has several layers.
        package var hasLayers = false
        /// Whether bob may see alice's own figures.
        package var showsSenderStats = true
        /// What alice sends instead of the test card and the synthetic voice; `nil` for those.
        package var files: Files?

        /// Speech and a camera of 640x360 at 30 frames a second in one layer.
        package init() {}
    }

    /// Media from files, by their paths.
    package struct Files: Sendable, Equatable {
        /// A Y4M file.
        package var video: String
        /// A WAV file.
        package var audio: String

        /// Names the files.
        package init(video: String, audio: String) {
            self.video = video
            self.audio = audio
        }
    }

    /// Something that is done during the call.
    package struct Step: Sendable, Equatable {
        /// When, in seconds.
        package var time: Double
        /// What.
        package var action: Action

        /// Describes a step.
        package init(_ time: Double, _ action: Action) {
            self.time = time
            self.action = action
        }
    }

    /// What can be done during a call.
    package enum Action: Sendable, Equatable {
        /// Someone's network becomes this.
        case network(Party, NetworkConditions)
        /// A participant's packets of a direction arrive up to this many milliseconds earlier or later, in
        /// groups and in order; `nil` to end that.
        case irregular(Party, NetworkConditions.Direction, Double?)
        /// Alice sends audio or not.
        case audio(Bool)
        /// Alice sends video or not.
        case video(Bool)
        /// Alice's video is static or not.
        case still(Bool)
        /// Each of alice's frames takes this many milliseconds longer to encode.
        case encodeDelay(Int)
        /// Bob wants video of at most this height; `nil` for any.
        case wantedHeight(Int?)
    }

    /// Ground truth from a moment to the next span's.
    package struct Span: Sendable, Equatable {
        /// Its beginning in seconds.
        package var start: Double
        /// The right diagnosis of alice's observer.
        package var alice: Label
        /// The right diagnosis of bob's observer.
        package var bob: Label

        /// Describes a span; nothing is wrong by default.
        package init(start: Double, alice: Label = .well, bob: Label = .well) {
            self.start = start
            self.alice = alice
            self.bob = bob
        }

        /// The right diagnosis of a participant's observer.
        package subscript(party: Party) -> Label { party == .alice ? alice : bob }
    }
}
