// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LineEmulation

/// An app's own call between two participants over emulated lines: what the lines did, and what an observer saw of it.
package struct AppCall: Sendable, Codable {
    /// What the server had of one stream at one end in a second.
    package struct Sample: Sendable, Codable {
        /// Who measured it: the name of a participant.
        package var participant: String
        package var role: StreamRole
        /// Seconds since the call's first second began.
        package var time: Double
        package var sample: StreamSample

        package init(participant: String, role: StreamRole, time: Double, sample: StreamSample) {
            self.participant = participant
            self.role = role
            self.time = time
            self.sample = sample
        }
    }

    /// A second of one direction of a participant's line.
    package struct Second: Sendable, Codable {
        package var participant: String
        package var direction: NetworkDirection
        package var line: LineSecond

        package init(participant: String, direction: NetworkDirection, line: LineSecond) {
            self.participant = participant
            self.direction = direction
            self.line = line
        }
    }

    /// The profile of the first participant's line; the other's is fibre.
    package var profile: String
    /// Their names; the first one's line is the profile's.
    package var participants: [String]
    package var seconds: Int
    package var seed: UInt64
    package var punctuality: LinePunctuality
    package var lines: [Second]
    package var samples: [Sample]

    package init(
        profile: String, participants: [String], seconds: Int, seed: UInt64,
        punctuality: LinePunctuality = .init(), lines: [Second] = [], samples: [Sample] = []
    ) {
        self.profile = profile
        self.participants = participants
        self.seconds = seconds
        self.seed = seed
        self.punctuality = punctuality
        self.lines = lines
        self.samples = samples
    }
}

extension AppCall {
    /// A stream from one participant to the other.
    package struct Stream: Sendable {
        package var sender: String
        package var receiver: String
    }

    package var streams: [Stream] {
        participants.flatMap { sender in
            participants.filter { $0 != sender }.map { Stream(sender: sender, receiver: $0) }
        }
    }

    /// One stream as a call over access lines, by which it is scored.
    package func accessCall(_ stream: Stream) -> AccessCall {
        let isFromBadLine = stream.sender == participants.first
        let setup = AccessCall.Setup(
            profile: profile, impaired: isFromBadLine ? .publisher : .subscriber, seconds: seconds, seed: seed
        )
        func end(_ participant: String) -> AccessCall.End? {
            participant == stream.sender ? .publisher : participant == stream.receiver ? .subscriber : nil
        }
        return AccessCall(
            setup: setup, circumstances: .init(commit: "", build: "", began: 0, punctuality: punctuality),
            lines: lines.compactMap { second in
                end(second.participant).map { .init($0, second.direction, second.line) }
            },
            said: samples.compactMap { entry in
                guard let end = end(entry.participant), end.role == entry.role,
                    let diagnosis = entry.sample.diagnosis
                else { return nil }
                return .init(end, time: entry.time, diagnosis)
            })
    }

    /// What the stream's receiver measured of it, in order of time.
    func received(_ stream: Stream) -> [Sample] {
        samples.filter { $0.participant == stream.receiver && $0.role == .subscriber }
            .sorted { $0.time < $1.time }
    }
}
