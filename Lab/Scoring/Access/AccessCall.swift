// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import LineEmulation

/// A call over emulated access lines, as it was made: what the lines did, and what the product said.
package struct AccessCall: Sendable {
    package var setup: Setup
    package var circumstances: Circumstances
    package var lines: [Second]
    package var said: [Said]

    package init(setup: Setup, circumstances: Circumstances, lines: [Second] = [], said: [Said] = []) {
        self.setup = setup
        self.circumstances = circumstances
        self.lines = lines
        self.said = said
    }
}

extension AccessCall {
    /// What the call is made of.
    package struct Setup: Sendable, Equatable, Codable {
        /// What it is called on the page: a profile, or what a schedule draws.
        package var profile: String
        /// Whose line is the profile's; the others' are fibre.
        package var impaired: End
        package var kind: Kind
        package var seconds: Int
        package var seed: UInt64

        package init(profile: String, impaired: End, kind: Kind = .init(), seconds: Int, seed: UInt64) {
            self.profile = profile
            self.impaired = impaired
            self.kind = kind
            self.seconds = seconds
            self.seed = seed
        }

        /// The name of its folder.
        package var name: String {
            "\(profile)-\(impaired.rawValue)-\(kind.client.rawValue)-\(kind.setting.rawValue)"
                + "-\(kind.interval)s-\(seed)"
        }
    }

    /// Who takes part and how the product is set.
    package struct Kind: Sendable, Hashable, Codable {
        package var client = Client.native
        package var setting = Setting.standard
        /// Seconds between two reports; only native clients can be set so.
        package var interval = 1

        package init(client: Client = .native, setting: Setting = .standard, interval: Int = 1) {
            self.client = client
            self.setting = setting
            self.interval = interval
        }

        /// Whether there is such a call: pages choose neither their resolution nor their interval, and of two subscribers
        /// both are native, so that it is known who reported what.
        package var isPossible: Bool {
            if setting == .large, client.publisher != .native { return false }
            if setting == .dtx, client.publisher != .native { return false }
            if setting == .senderStats, client.publisher != .native { return false }
            if setting == .twoSubscribers, client.subscriber != .native { return false }
            return interval == 1 || client == .native
        }

        /// The kind that sends the same on lines that lack nothing.
        package var sending: Kind {
            let sendsAsStandard = [.senderStats, .twoSubscribers].contains(setting)
            return Kind(client: client, setting: sendsAsStandard ? .standard : setting)
        }

        /// Those who take part.
        package var ends: [End] {
            setting == .twoSubscribers ? End.allCases : [.publisher, .subscriber]
        }

        /// For people.
        package var text: String {
            "\(client.rawValue), \(setting.rawValue)" + (interval == 1 ? "" : ", every \(interval) s")
        }
    }

    /// Someone who takes part, each on a line of the own.
    package enum End: String, Sendable, Codable, CaseIterable {
        case publisher
        case subscriber
        /// Receives the same as the subscriber, over a line that lacks nothing.
        case bystander

        /// What it does with the stream.
        package var role: StreamRole { self == .publisher ? .publisher : .subscriber }
    }

    /// What a participant is.
    package enum Program: Sendable {
        case native, chromium, firefox
    }

    /// Who takes part.
    package enum Client: String, Sendable, Codable, CaseIterable {
        /// `sightline publish` and `sightline subscribe`.
        case native
        /// Chromium receives what `sightline publish` sends.
        case chromiumSubscriber
        /// `sightline subscribe` receives what Chromium sends.
        case chromiumPublisher
        /// Firefox receives what `sightline publish` sends.
        case firefoxSubscriber
        /// `sightline subscribe` receives what Firefox sends.
        case firefoxPublisher

        package var publisher: Program {
            switch self {
            case .chromiumPublisher: .chromium
            case .firefoxPublisher: .firefox
            case .native, .chromiumSubscriber, .firefoxSubscriber: .native
            }
        }

        package var subscriber: Program {
            switch self {
            case .chromiumSubscriber: .chromium
            case .firefoxSubscriber: .firefox
            case .native, .chromiumPublisher, .firefoxPublisher: .native
            }
        }
    }

    /// How the product is set.
    package enum Setting: String, Sendable, Codable, CaseIterable {
        /// As a user gets it.
        case standard
        /// With the publisher's figures shared with subscribers, which is off unless asked for.
        case senderStats
        /// 1280x720 in place of 640x360.
        case large
        /// The publisher only listens: the microphone is muted from the beginning.
        case muted
        /// The publisher only listens: the microphone hears a quiet room, and discontinuous transmission sends next to
        /// nothing of that.
        case dtx
        /// Another subscriber, on a line that lacks nothing, beside the one whose line may be the profile's.
        case twoSubscribers
    }

    /// What its figures rest on.
    package struct Circumstances: Sendable, Equatable, Codable {
        package var commit: String
        /// `debug` or `release`.
        package var build: String
        /// Processes that wanted to run, averaged over the call's last minute.
        package var load: Double?
        /// How many calls ran at a time at most, this one among them; `nil` if it ran alone.
        package var jobs: Int?
        /// When the first second began, Unix ms.
        package var began: Double
        package var punctuality: LinePunctuality

        package init(
            commit: String, build: String, load: Double? = nil, jobs: Int? = nil, began: Double,
            punctuality: LinePunctuality = .init()
        ) {
            self.commit = commit
            self.build = build
            self.load = load
            self.jobs = jobs
            self.began = began
            self.punctuality = punctuality
        }
    }

    /// A second of one direction of someone's line.
    package struct Second: Sendable, Equatable, Codable {
        package var end: End
        /// As the participant has it.
        package var direction: NetworkDirection
        package var line: LineSecond

        package init(_ end: End, _ direction: NetworkDirection, _ line: LineSecond) {
            self.end = end
            self.direction = direction
            self.line = line
        }
    }

    /// A diagnosis, as its client had it.
    package struct Said: Sendable, Equatable, Codable {
        package var end: End
        /// Seconds since the call's first second began.
        package var time: Double
        package var diagnosis: Diagnosis

        package init(_ end: End, time: Double, _ diagnosis: Diagnosis) {
            self.end = end
            self.time = time
            self.diagnosis = diagnosis
        }
    }
}
