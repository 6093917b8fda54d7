// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension Diagnosis {
    /// The figures that a diagnosis rests on; what no one measured is `nil`.
    public struct Evidence: Sendable, Equatable, Codable {
        /// Network loss in the last seconds, `0...1`.
        public var fractionLost: Double?
        /// Round trip time, in seconds.
        public var roundTripTime: Double?
        /// Jitter, in seconds.
        public var jitter: Double?
        /// Estimate of the bandwidth, in bps.
        public var estimatedBandwidth: Double?
        /// Demand, in bps.
        public var demand: Double?

        /// Creates evidence.
        public init(
            fractionLost: Double? = nil, roundTripTime: Double? = nil, jitter: Double? = nil,
            estimatedBandwidth: Double? = nil, demand: Double? = nil
        ) {
            self.fractionLost = fractionLost
            self.roundTripTime = roundTripTime
            self.jitter = jitter
            self.estimatedBandwidth = estimatedBandwidth
            self.demand = demand
        }

        /// A transport's figures, and the stream's jitter.
        package init(_ stats: TransportStats, jitter: Double?) {
            self.init(
                fractionLost: stats.fractionLost, roundTripTime: stats.roundTripTime, jitter: jitter,
                estimatedBandwidth: stats.connectionEstimatedBandwidth, demand: stats.bandwidthDemand)
        }
    }
}
