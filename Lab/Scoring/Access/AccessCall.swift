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
        /// Whose line is the profile's; the other one's is fibre.
        package var impaired: StreamRole
        package var client = Client.native
        package var setting = Setting.standard
        package var seconds: Int
        package var seed: UInt64

        package init(
            profile: String, impaired: StreamRole, client: Client = .native, setting: Setting = .standard,
            seconds: Int, seed: UInt64
        ) {
            self.profile = profile
            self.impaired = impaired
            self.client = client
            self.setting = setting
            self.seconds = seconds
            self.seed = seed
        }

        /// The name of its folder.
        package var name: String {
            "\(profile)-\(impaired.rawValue)-\(client.rawValue)-\(setting.rawValue)-\(seed)"
        }
    }

    /// Who takes part.
    package enum Client: String, Sendable, Codable, CaseIterable {
        /// `sightline publish` and `sightline subscribe`.
        case native
        /// Chromium receives what `sightline publish` sends.
        case chromiumSubscriber
        /// `sightline subscribe` receives what Chromium sends.
        case chromiumPublisher
    }

    /// How the product is set.
    package enum Setting: String, Sendable, Codable, CaseIterable {
        /// As a user gets it.
        case standard
        /// With the publisher's figures shared with subscribers, which is off unless asked for.
        case senderStats
        /// 1280x720 in place of 640x360.
        case large
    }

    /// What its figures rest on.
    package struct Circumstances: Sendable, Equatable, Codable {
        package var commit: String
        /// `debug` or `release`.
        package var build: String
        /// Processes that wanted to run, averaged over the call's last minute.
        package var load: Double?
        /// When the first second began, Unix ms.
        package var began: Double
        package var punctuality: LinePunctuality

        package init(
            commit: String, build: String, load: Double? = nil, began: Double,
            punctuality: LinePunctuality = .init()
        ) {
            self.commit = commit
            self.build = build
            self.load = load
            self.began = began
            self.punctuality = punctuality
        }
    }

    /// A second of one direction of someone's line.
    package struct Second: Sendable, Equatable, Codable {
        package var role: StreamRole
        /// As the participant has it.
        package var direction: NetworkDirection
        package var line: LineSecond

        package init(_ role: StreamRole, _ direction: NetworkDirection, _ line: LineSecond) {
            self.role = role
            self.direction = direction
            self.line = line
        }
    }

    /// A diagnosis, as its client had it.
    package struct Said: Sendable, Equatable, Codable {
        package var role: StreamRole
        /// Seconds since the call's first second began.
        package var time: Double
        package var diagnosis: Diagnosis

        package init(_ role: StreamRole, time: Double, _ diagnosis: Diagnosis) {
            self.role = role
            self.time = time
            self.diagnosis = diagnosis
        }
    }
}
