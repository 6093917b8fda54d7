// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a second's packets show a media router of the path that they took, by when they were sent and when they came.
///
/// Those of a publisher say when they were sent (the header extension abs-send-time), and a subscriber says when they came
/// (transport-wide feedback). It distinguishes a path that is short from one of which the sender's congestion control only believes
/// that.
public struct PathTiming: Sendable, Equatable, Codable {
    /// What the path let through at least, in bps, from 0: what was sent within some time came a little later.
    ///
    /// A link that carries less would have taken longer, and a delay that varies for other reasons only adds to that. It is the
    /// link's rate, not this sender's share of it, and too high where hardly a packet finds the link idle, or behind a shaper that
    /// lets bursts pass (a token bucket).
    public var capacityBound: Double
    /// How far, at most, all packets of a quarter of a second were above the least delay of the last two minutes, in seconds,
    /// from 0.
    ///
    /// A queue holds everything up; a delay that varies does not. Packets that come in a clump after a stall do not count.
    public var sustainedDelay: Double
    /// How far apart the delays of the second's packets were, from the 5th to the 95th percentile, in seconds, from 0 (ITU-T
    /// Y.1541 measures the variation of delay in quantiles).
    ///
    /// Jitter, a stall and a queue that grows all do that.
    public var delaySpread: Double

    /// Creates figures.
    public init(capacityBound: Double, sustainedDelay: Double, delaySpread: Double = 0) {
        self.capacityBound = capacityBound
        self.sustainedDelay = sustainedDelay
        self.delaySpread = delaySpread
    }

    /// Decodes figures; recordings of earlier routers say nothing of ``delaySpread``.
    public init(from decoder: any Decoder) throws {
        let figures = try decoder.container(keyedBy: CodingKeys.self)
        capacityBound = try figures.decode(Double.self, forKey: .capacityBound)
        sustainedDelay = try figures.decode(Double.self, forKey: .sustainedDelay)
        delaySpread = try figures.decodeIfPresent(Double.self, forKey: .delaySpread) ?? 0
    }
}
