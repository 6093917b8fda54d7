// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What an emulated network does to the packets of one client.
public struct NetworkConditions: Sendable, Equatable {
    /// A direction as seen from the client.
    public enum Direction: String, Sendable, CaseIterable {
        /// What the client sends.
        case up
        /// What it receives.
        case down
    }

    /// What happens to the packets of one direction.
    public struct Link: Sendable, Equatable {
        /// Added to every packet, ms.
        public var delay: Double = 0
        /// Each packet gets a further delay drawn uniformly from 0 to this, ms.
        ///
        /// Packets keep their order.
        public var jitter: Double = 0
        /// Time after which the correlation of two packets' jitter has fallen to 1/e, ms; 0 for jitter that is
        /// drawn for each packet independently of the others.
        public var jitterCorrelation: Double = 0
        /// Packets lost independently of each other, percent.
        public var loss: Double = 0
        /// Packets lost in bursts, percent of all.
        public var burstLoss: Double = 0
        /// Mean length of a burst, packets.
        public var burstLength: Double = 5
        /// Capacity in kbit/s, 28 bytes of IP and UDP header a packet included; `nil` for no limit.
        public var rate: Double?
        /// How far the capacity wanders from `rate`, upwards and downwards, percent of it.
        public var rateSwing: Double = 0
        /// Time after which the correlation of two moments' capacity has fallen to 1/e, ms.
        public var rateSwingTime: Double = 5_000
        /// Backlog beyond which arriving packets are dropped, ms; counts only with a rate.
        public var queue: Double = 300
        /// Mean length of a stall, in which the link holds everything back, ms; a stall takes half to one and a half
        /// times as long.
        ///
        /// What has waited leaves afterwards at the rate, or all at once without one. Only a full queue drops.
        public var stall: Double = 0
        /// Mean time from the end of a stall to the beginning of the next, ms; 0 for no stalls.
        public var stallInterval: Double = 0
        /// Everything is dropped.
        public var isOut = false

        /// A perfect link.
        public init() {}
    }

    /// What happens to what the client sends.
    public var up = Link()
    /// What happens to what it receives.
    public var down = Link()

    /// A perfect network.
    public init() {}

    /// The link of a direction.
    public subscript(direction: Direction) -> Link {
        get { direction == .up ? up : down }
        set { if direction == .up { up = newValue } else { down = newValue } }
    }
}
