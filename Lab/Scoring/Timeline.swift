// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// What the observers said during one call, with what was really done to its packets.
public struct Timeline: Sendable, Codable, Equatable {
    /// The scenario's name.
    public var scenario: String
    /// The seed of the emulated networks and of the voice.
    public var seed: UInt64
    /// What both observers said, in order of time.
    public var samples: [Sample]
    /// What the emulated networks had done, at the beginning, at each step and at the end.
    public var counters: [Counters]
    /// When the schedule began, in Unix ms; `nil` if unknown.
    public var began: Double?
    /// When each step of the schedule was really taken, in seconds.
    public var stepTimes: [Double] = []
    /// How well the machine kept time; `nil` if unknown.
    public var punctuality: Punctuality?
    /// Processes that wanted to run, averaged over the last minute of the call; `nil` if unknown.
    public var load: Double?
    /// Which commit made the call; `nil` if unknown.
    public var commit: String?
    /// How many calls of this scenario and seed came to nothing before this one.
    public var rejectedBefore = 0

    /// Holds what was said.
    public init(
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
    public struct Sample: Sendable, Codable, Equatable {
        /// Seconds since the schedule's beginning; negative before.
        public var time: Double
        /// Whose observer said it.
        public var party: Scenario.Party
        /// The diagnosis, with its evidence.
        public var diagnosis: Diagnosis
        /// The own transport's condition; `nil` if none was observed.
        public var condition: NetworkCondition?
        /// Alarms that the observation raised, for people.
        public var alarms: [String]
        /// The time of the report that it rests on, in Unix ms; `nil` if unknown.
        public var timestamp: Double?

        /// Holds what one observation said.
        public init(
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
    public struct Counters: Sendable, Codable, Equatable {
        /// Seconds since the schedule's beginning.
        public var time: Double
        /// Whose network.
        public var party: Scenario.Party
        /// `up` or `down`.
        public var direction: String
        /// Packets that came to it.
        public var offered: UInt64
        /// Bytes of them, without IP and UDP headers.
        public var bytesOffered: UInt64
        /// Packets that it let through.
        public var sent: UInt64
        /// Bytes of those.
        public var bytesSent: UInt64
        /// Packets lost at random or in bursts.
        public var droppedByLoss: UInt64
        /// Packets for which the queue had no room.
        public var droppedByQueue: UInt64
        /// Packets that met an outage.
        public var droppedByOutage: UInt64

        /// Notes what an emulated network had done.
        public init(
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
    public struct Punctuality: Sendable, Codable, Equatable {
        /// How often it should have rung.
        public var rings = 0
        /// How often it was more than 20 ms late.
        public var lateRings = 0
        /// The most it was late, in seconds.
        public var worst = 0.0

        /// Nothing yet.
        public init() {}
    }
}
