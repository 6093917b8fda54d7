// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The emulated networks of participants that run beside the server, as in the demo.
package struct NetworkControl: Sendable {
    /// What a network does to a participant's packets, by the conditioner's names and units, such as `loss` in percent.
    ///
    /// What is not named is as in a perfect network.
    package struct Conditions: Sendable, Equatable, Codable {
        /// To what the participant sends.
        package var up: [String: Double]
        /// To what it receives.
        package var down: [String: Double]

        /// Names conditions.
        package init(up: [String: Double] = [:], down: [String: Double] = [:]) {
            self.up = up
            self.down = down
        }
    }

    /// A participant and its network.
    package struct Participant: Sendable, Equatable, Codable {
        /// Its connection's id.
        package var connection: String
        /// What happens to what it sends.
        package var up: [String: Double]
        /// What happens to what it receives.
        package var down: [String: Double]

        /// Describes a participant's network.
        package init(connection: String, conditions: Conditions) {
            self.connection = connection
            up = conditions.up
            down = conditions.down
        }
    }

    /// Why conditions were not set.
    package enum Refusal: Error, Sendable, Equatable {
        /// No one of that connection has an emulated network.
        case unknownConnection
        /// A condition is not known or out of range; with a sentence for people.
        case malformed(String)
    }

    /// Those whose networks can be changed now.
    package var participants: @Sendable () async -> [Participant]
    /// Sets the network of a connection, all of it.
    package var set: @Sendable (_ connection: String, Conditions) async throws(Refusal) -> Void

    /// Makes a control of what it can do.
    package init(
        participants: @escaping @Sendable () async -> [Participant],
        set: @escaping @Sendable (_ connection: String, Conditions) async throws(Refusal) -> Void
    ) {
        self.participants = participants
        self.set = set
    }
}
