// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// What the observers said during one call, with what was really done to its packets.
package struct Timeline: Sendable, Codable, Equatable {
    /// The scenario's name.
    package var scenario: String
    /// The seed of the emulated networks and of the voice.
    package var seed: UInt64
    /// What both observers said, in order of time.
    package var samples: [Sample]
    /// What the emulated networks had done, at the beginning, at each step and at the end.
    package var counters: [Counters]
    /// When the schedule began, in Unix ms; `nil` if unknown.
    package var began: Double?
    /// When each step of the schedule was really taken, in seconds.
    package var stepTimes: [Double] = []
    /// How well the machine kept time; `nil` if unknown.
    package var punctuality: Punctuality?
    /// Processes that wanted to run, averaged over the last minute of the call; `nil` if unknown.
    package var load: Double?
    /// Which commit made the call; `nil` if unknown.
    package var commit: String?
    /// How many calls of this scenario and seed came to nothing before this one.
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
    /// What one observation said.
    package struct Sample: Sendable, Codable, Equatable {
        /// Seconds since the schedule's beginning; negative before.
        package var time: Double
        /// Whose observer said it.
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

    /// What an emulated network had done to a direction by a moment.
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
