// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The rules of the network condition.
public struct ConditionRules: Sendable, Equatable, Codable {
    /// Network loss, `0...1`: less than this is excellent, good, fair, warning.
    public var loss: GradeLimits = GradeLimits(0.005, 0.015, 0.03, 0.08)
    /// Estimate divided by demand: at least this is excellent, good, fair, warning.
    public var coverage: GradeLimits = GradeLimits(1, 0.75, 0.5, 0.25)
    /// How sure a worse loss must be, in standard deviations (one-sided binomial bound, Wilson).
    public var significance: Double = 1.64
    /// Fewer lost packets than this never make a condition worse.
    public var fewestLostPackets: Double = 3
    /// Longest window in which a loss is looked for, in seconds.
    public var longestLossWindow: Double = 5
    /// The same where packets are few, as in calls without video, in seconds.
    public var sparseLossWindow: Double = 15
    /// This many packets in a window are no longer few.
    public var sparsePackets: Double = 400
    /// A better loss must last for a window of this length, in seconds.
    public var freshLossWindow: Double = 2
    /// And for this many packets that of them, by the loss before, this many would have been lost.
    public var missedLosses: Double = 6
    /// And this many more for each that was.
    public var missedPerLoss: Double = 3
    /// And for this many times the longest pause between losses lately: what comes in bursts leaves pauses.
    public var pauses: Double = 1.5
    /// After this time it is believed without that, in seconds.
    public var sparseFreshLossWindow: Double = 6
    /// To leave a band for a better one a figure must be this far beyond its limit, as a share.
    public var bandDistance: Double = 0.2
    /// Bytes that should flow and stand still for this long are an outage, in seconds.
    public var outage: Double = 2
    /// Losses counted up to this long after an outage belong to it, in seconds.
    public var gapBooking: Double = 1
    /// The loss is judged from this long after the first packet, in seconds.
    public var lossStart: Double = 2
    /// The bandwidth is judged at the latest this long after the start, in seconds.
    public var bandwidthStart: Double = 10
    /// A demand that rises by this factor is a start of its own, as after an unmute.
    public var demandRise: Double = 1.5
    /// Signs of saturation count from this long after the start, in seconds.
    public var firstProbe: Double = 2
    /// A lower coverage is believed after this time, in seconds.
    public var shortage: Double = 0.9
    /// A better coverage within the band distance is believed after this time, in seconds.
    public var recovery: Double = 5
    /// Window of the running minimum of the round trip time, in seconds.
    public var minimumRoundTripTime: Double = 60
    /// Round trip time above its minimum that means queueing, in seconds, if also above ``queueingShare``.
    public var queueingTime: Double = 0.05
    /// The same as a share of the minimum.
    public var queueingShare: Double = 0.5
    /// The same as a multiple of the jitter of media: a path that jitters does so there and back.
    public var queueingJitter: Double = 4
    /// A longer round trip time that holds still for this long is a longer path, not a queue, in seconds.
    public var steadyTime: Double = 4
    /// How much of its rise a round trip time that holds still may move, as a share.
    public var steadyShare: Double = 0.25
    /// So long after queueing a shortage is still blamed on bandwidth, in seconds.
    public var queueingMemory: Double = 8
    /// A shortage that lasts this long without loss or queueing is blamed on bandwidth, in seconds.
    public var bareShortage: Double = 4
    /// Encoders that aim below this share of what they may use are held down, if the estimate is what they
    /// use.
    public var sufficientTarget: Double = 0.9
    /// Encoders that aim at this share of the estimate use it.
    public var usedEstimate: Double = 0.7
    /// An estimate above this many times the one before climbs, and speaks against a queue.
    public var climbs: Double = 1.01
    /// An estimate that has not climbed for this long after loss was not held down by it, in seconds.
    public var stall: Double = 8
    /// Congestion control falls back to this share of what got through (0.85 in libwebrtc).
    public var backoff: Double = 0.85
    /// An estimate below this share of the one before has fallen back.
    public var fall: Double = 0.95
    /// One below this share of the one before has not arrived yet at what the path carries.
    public var steepFall: Double = 0.75
    /// An estimate this many times what the path carried shows that the limit is gone.
    public var climbing: Double = 1.1
    /// This many times what the full path let through show that the limit is gone.
    public var carriesMore: Double = 1.3
    /// Without queue and loss for this long a path is well, in seconds.
    public var wellTime: Double = 1
    /// Loss of this last time says whether packets are lost now, in seconds.
    public var recentLossWindow: Double = 2

    /// Creates the defaults.
    public init() {}

    /// Reads settings; what is omitted keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension ConditionRules: Settings {
    static let settings: [Setting<ConditionRules>] = [
        .rules("loss", \.loss, .share),
        .rules("coverage", \.coverage, .ratio),
        .number("significance", \.significance, .positive, .standardDeviations),
        .number("fewestLostPackets", \.fewestLostPackets, .notNegative, .packets),
        .number("longestLossWindow", \.longestLossWindow, .positive, .seconds),
        .number("sparseLossWindow", \.sparseLossWindow, .positive, .seconds),
        .number("sparsePackets", \.sparsePackets, .positive, .packets),
        .number("freshLossWindow", \.freshLossWindow, .positive, .seconds),
        .number("missedLosses", \.missedLosses, .notNegative, .packets),
        .number("missedPerLoss", \.missedPerLoss, .notNegative, .packets),
        .number("pauses", \.pauses, .notNegative, .factor),
        .number("sparseFreshLossWindow", \.sparseFreshLossWindow, .positive, .seconds),
        .number("bandDistance", \.bandDistance, .fraction, .share),
        .number("outage", \.outage, .positive, .seconds),
        .number("gapBooking", \.gapBooking, .notNegative, .seconds),
        .number("lossStart", \.lossStart, .notNegative, .seconds),
        .number("bandwidthStart", \.bandwidthStart, .positive, .seconds),
        .number("demandRise", \.demandRise, .positive, .factor),
        .number("firstProbe", \.firstProbe, .notNegative, .seconds),
        .number("shortage", \.shortage, .notNegative, .seconds),
        .number("recovery", \.recovery, .notNegative, .seconds),
        .number("minimumRoundTripTime", \.minimumRoundTripTime, .positive, .seconds),
        .number("queueingTime", \.queueingTime, .positive, .seconds),
        .number("queueingShare", \.queueingShare, .positive, .share),
        .number("queueingJitter", \.queueingJitter, .notNegative, .factor),
        .number("steadyTime", \.steadyTime, .positive, .seconds),
        .number("steadyShare", \.steadyShare, .positive, .share),
        .number("queueingMemory", \.queueingMemory, .positive, .seconds),
        .number("bareShortage", \.bareShortage, .positive, .seconds),
        .number("sufficientTarget", \.sufficientTarget, .fraction, .share),
        .number("usedEstimate", \.usedEstimate, .fraction, .share),
        .number("climbs", \.climbs, .positive, .factor),
        .number("stall", \.stall, .positive, .seconds),
        .number("backoff", \.backoff, .positive, .share),
        .number("fall", \.fall, .fraction, .share),
        .number("steepFall", \.steepFall, .fraction, .share),
        .number("climbing", \.climbing, .positive, .factor),
        .number("carriesMore", \.carriesMore, .positive, .factor),
        .number("wellTime", \.wellTime, .notNegative, .seconds),
        .number("recentLossWindow", \.recentLossWindow, .positive, .seconds),
    ]
}
