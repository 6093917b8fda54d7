// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import NetworkEmulation

/// What is done to a client's packets at the router's end of its path, and what that did.
struct EmulatedNetwork: Sendable {
    /// Start of the emulation, Unix ms; other conditions begin nothing new.
    let since: Double
    /// What holds when, from ``startedAt`` on.
    let schedule: ConditionSchedule
    let startedAt: Duration
    /// What holds now.
    private(set) var conditions: NetworkConditions
    /// To what the client sent, since the beginning.
    private(set) var up = NetworkCounters()
    /// To what it was sent.
    private(set) var down = NetworkCounters()

    /// Begins a schedule, in the place of what there was before.
    init(_ schedule: ConditionSchedule, after last: EmulatedNetwork?, at now: CoreTime) {
        since = last?.since ?? now.unix
        self.schedule = schedule
        startedAt = now.elapsed
        conditions = schedule.conditions(at: 0)
        up = last?.up ?? up
        down = last?.down ?? down
    }

    /// Takes what is due of the schedule; whether anything changes.
    mutating func advance(to now: Duration) -> Bool {
        let due = schedule.conditions(at: (now - startedAt).seconds)
        defer { conditions = due }
        return due != conditions
    }

    /// Counts what it did of late.
    mutating func count(up: NetworkCounters, down: NetworkCounters) {
        self.up = self.up + up
        self.down = self.down + down
    }
}

/// A participant's emulated network, as the API has it.
package struct ParticipantNetwork: Sendable, Equatable, Codable {
    /// Where a network is emulated.
    package enum End: String, Sendable, Codable, CaseIterable {
        /// In the client itself, which runs beside the server, as in the demo.
        case client
        /// At the router's end of the client's path.
        case router
    }

    /// What it did, by direction.
    package struct Counters: Sendable, Equatable, Codable {
        package var up: NetworkCounters
        package var down: NetworkCounters

        /// Describes what a network did.
        package init(up: NetworkCounters, down: NetworkCounters) {
            self.up = up
            self.down = down
        }
    }

    /// The participant's connection.
    package var connection: String
    package var end: End
    /// What happens to what the participant sends.
    package var up: NetworkConditions.Link
    /// What happens to what it receives.
    package var down: NetworkConditions.Link
    /// Start of the emulation, Unix ms; `nil` if it is not emulated.
    package var since: Double?
    /// What it did since then; `nil` if it is not emulated.
    package var counters: Counters?

    /// Describes a network.
    package init(
        connection: String, end: End, conditions: NetworkConditions, since: Double? = nil,
        counters: Counters? = nil
    ) {
        self.connection = connection
        self.end = end
        up = conditions.up
        down = conditions.down
        self.since = since
        self.counters = counters
    }
}
