// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// The diagnoses of one call, with the emulated networks' counters.
package struct Timeline: Sendable, Codable, Equatable {
    /// The scenario's name.
    package var scenario: String
    /// The seed of the emulated networks and of the speech.
    package var seed: UInt64
    /// Diagnoses of both observers, in order of time.
    package var samples: [Sample]
    /// Counters of the emulated networks, at the beginning, at each step and at the end.
    package var counters: [Counters]
    /// When the schedule began, in Unix ms; `nil` if unknown.
    package var began: Double?
    /// Actual times of the schedule's steps, in seconds.
    package var stepTimes: [Double] = []
    /// The machine's punctuality; `nil` if unknown.
    package var punctuality: Punctuality?
    /// Processes that wanted to run, averaged over the last minute of the call; `nil` if unknown.
    package var load: Double?
    /// Which commit made the call; `nil` if unknown.
    package var commit: String?
    /// Number of rejected calls of this scenario and seed before this one.
    package var rejectedBefore = 0

    /// Holds what was said.
    package init(
        scenario: String, seed: UInt64, samples: [Sample] = [], counters: [Counters] = [], load: Double? = nil
    ) {
        self.scenario = scenario
        self.seed = seed
        self.samples = samples
        self.counters = counters
        self.load = load
    }
}

extension Timeline {
    /// One observation.
    package struct Sample: Sendable, Codable, Equatable {
        /// Seconds since the schedule's beginning; negative before.
        package var time: Double
        /// The observer's participant.
        package var party: Scenario.Party
        /// The diagnosis, with its evidence.
        package var diagnosis: Diagnosis
        /// The own transport's condition; `nil` if none was observed.
        package var condition: NetworkCondition?
        /// Alarms that the observation raised, for people.
        package var alarms: [String]
        /// The time of the report that it rests on, in Unix ms; `nil` if unknown.
        package var timestamp: Double?

        /// Holds what one observation said.
        package init(
            time: Double, party: Scenario.Party, diagnosis: Diagnosis, condition: NetworkCondition? = nil,
            alarms: [String] = [], timestamp: Double? = nil
        ) {
            self.time = time
            self.party = party
            self.diagnosis = diagnosis
            self.condition = condition
            self.alarms = alarms
            self.timestamp = timestamp
        }
    }

    /// Counters of an emulated network's direction at a moment.
    package struct Counters: Sendable, Codable, Equatable {
        /// Seconds since the schedule's beginning.
        package var time: Double
        /// Whose network.
        package var party: Scenario.Party
        /// `up` or `down`.
        package var direction: String
        /// Packets that came to it.
        package var offered: UInt64
        /// Bytes of them, without IP and UDP headers.
        package var bytesOffered: UInt64
        /// Packets that it let through.
        package var sent: UInt64
        /// Bytes of those.
        package var bytesSent: UInt64
        /// Packets lost at random or in bursts.
        package var droppedByLoss: UInt64
        /// Packets for which the queue had no room.
        package var droppedByQueue: UInt64
        /// Packets that met an outage.
        package var droppedByOutage: UInt64

        /// Notes what an emulated network had done.
        package init(
            time: Double, party: Scenario.Party, direction: NetworkConditions.Direction,
            _ counters: NetworkCounters
        ) {
            self.time = time
            self.party = party
            self.direction = direction.rawValue
            offered = counters.packetsOffered
            bytesOffered = counters.bytesOffered
            sent = counters.packetsSent
            bytesSent = counters.bytesSent
            droppedByLoss = counters.droppedByLoss
            droppedByQueue = counters.droppedByQueue
            droppedByOutage = counters.droppedByOutage
        }
    }

    /// How late a clock of the machine rang that should ring each 50 ms during the call.
    package struct Punctuality: Sendable, Codable, Equatable {
        /// How often it should have rung.
        package var rings = 0
        /// How often it was more than 20 ms late.
        package var lateRings = 0
        /// The most it was late, in seconds.
        package var worst = 0.0

        /// Nothing yet.
        package init() {}
    }
}
