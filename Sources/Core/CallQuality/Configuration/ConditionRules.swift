// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The rules of the network condition.
public struct ConditionRules: Sendable, Equatable, Codable {
    /// Network loss, `0...1`: below these is excellent, good, fair, warning.
    public var loss: GradeThresholds = GradeThresholds(0.005, 0.015, 0.03, 0.08)
    /// Estimate divided by demand: from these on it is excellent, good, fair, warning.
    public var coverage: GradeThresholds = GradeThresholds(1, 0.75, 0.5, 0.25)
    /// Significance that a worse loss needs, in standard deviations (one-sided binomial bound, Wilson).
    public var significance: Double = 1.64
    /// Losses within less than this are one burst, which is believed only when there is another, in seconds.
    public var burstLength: Double = 1.5
    /// Fewer lost packets than this never downgrade a condition.
    public var fewestLostPackets: Double = 3
    /// Longest window over which loss is evaluated, in seconds.
    public var longestLossWindow: Double = 5
    /// The same at a low packet rate, as in calls without video, in seconds.
    public var sparseLossWindow: Double = 15
    /// Packets in a window from which on the packet rate is not low.
    public var sparsePackets: Double = 400
    /// Minimum window without worse loss before a better grade is accepted, in seconds.
    public var freshLossWindow: Double = 2
    /// And the window must hold enough packets that this many would have been lost at the previous loss.
    public var expectedLossesToClear: Double = 6
    /// And this many more for each one that was lost in it.
    public var expectedLossesPerLoss: Double = 3
    /// And the window must be this many times the longest recent gap between losses: bursty loss has gaps.
    public var burstGapMultiplier: Double = 1.5
    /// After this time a better grade is accepted without either, in seconds.
    public var sparseFreshLossWindow: Double = 6
    /// How far beyond its threshold a figure must be to be upgraded, as a share.
    public var hysteresis: Double = 0.2
    /// No bytes for this long where some are expected are an outage, in seconds.
    public var outage: Double = 2
    /// How long a sender of audio alone may hear nothing from the far end, in seconds: the interval of its RTCP reports
    /// (RFC 3550, 6.2), where none comes more often.
    public var sparseReportInterval: Double = 5
    /// How long nothing may come on a path that is not used, in seconds: connectivity checks do (RFC 7675).
    public var checkInterval: Double = 2
    /// Losses counted up to this long after an outage belong to it, in seconds.
    public var outageAccountingGrace: Double = 1
    /// Time after the first packet from which loss is judged, in seconds.
    public var lossStart: Double = 2
    /// Latest time after the start from which bandwidth is judged, in seconds.
    public var bandwidthStart: Double = 10
    /// A demand that rises by this factor counts as a new start, as after an unmute.
    public var demandRise: Double = 1.5
    /// Time after the start from which signs of saturation count, in seconds.
    public var firstProbe: Double = 2
    /// How long a lower coverage must persist before it is accepted, in seconds.
    public var downgradeDelay: Double = 0.9
    /// How long a better coverage within the hysteresis must persist before it is accepted, in seconds.
    public var upgradeDelay: Double = 5
    /// How long an estimate that a probe has raised to 2.5 times the one before must persist before a better coverage is accepted, in
    /// seconds: congestion control takes back within it what the path did not carry.
    public var leapDelay: Double = 2
    /// Window of the running minimum of the round trip time, in seconds.
    public var minimumRoundTripTime: Double = 60
    /// Round trip time above its minimum that means queueing, in seconds, if also above ``queueingShare``.
    public var queueingTime: Double = 0.05
    /// The same as a share of the minimum.
    public var queueingShare: Double = 0.5
    /// The same as a multiple of the media's jitter: a path with jitter has it in both directions.
    public var queueingJitter: Double = 8
    /// A longer round trip time that is steady for this long is a longer path, not a queue, in seconds.
    public var steadyTime: Double = 4
    /// How far a steady round trip time may vary, in seconds; or twice as far as it did before it rose.
    public var steadySpread: Double = 0.02
    /// The same as a share of it.
    public var steadyShare: Double = 0.03
    /// Share of the measurements that show a queue from which on losses are its overflow.
    public var queueingMajority: Double = 0.6
    /// A queue that stands for this long is a lack of bandwidth, even if nothing of ours is lost or short, in seconds.
    public var standingQueueTime: Double = 5
    /// Jitter of media from which on delay variation may hold congestion control back, in seconds.
    ///
    /// The delay-based control of libwebrtc reacts to a trend of some 5 to 10 ms over its window of 20 packet groups.
    public var delayVariation: Double = 0.006
    /// Window over which delay variation is judged, in seconds.
    public var delayVariationWindow: Double = 10
    /// A round trip time that is no more than this above its usual value, in seconds, is no reason to back off.
    public var backoffRise: Double = 0.005
    /// How far round trip times are apart, in seconds, from which on they make congestion control back off.
    public var backoffVariation: Double = 0.012
    /// Without a back-off for this long congestion control recovers, in seconds.
    public var backoffPause: Double = 8
    /// ``backoffRise`` as a share of how far it varies while nothing is short.
    public var backoffSpread: Double = 0.35
    /// How long after queueing a shortfall is still attributed to bandwidth, in seconds.
    public var queueingMemory: Double = 8
    /// A shortfall that lasts this long without loss or queueing is attributed to bandwidth, in seconds.
    public var unexplainedShortfallDelay: Double = 4
    /// Loss is no queue's of the own flow while less than this share of what got through before is sent.
    public var lossIndependenceRatio: Double = 0.6
    /// How far back that is looked for, since packets are lost, in seconds.
    public var lossIndependenceWindow: Double = 30
    /// Encoders whose target is below this share of their maximum are limited, if the estimate is what they
    /// use.
    public var sufficientTarget: Double = 0.9
    /// Encoders whose target, with what RTP, SRTP, UDP and IP add to it, is this share of the estimate use it.
    public var usedEstimate: Double = 0.7
    /// A sender that sends less than this share of the estimate is not limited by it (0.65 in libwebrtc, whose word for
    /// it is application-limited).
    public var filledEstimate: Double = 0.65
    /// Encoders that make less than this share of their target need no more.
    public var usedTarget: Double = 0.8
    /// An estimate above this many times the previous one is rising, which is evidence against a queue.
    public var risingEstimateRatio: Double = 1.01
    /// An estimate that has not risen for this long after loss was not limited by the loss, in seconds.
    public var stalledRecoveryTime: Double = 8
    /// Congestion control backs off to this share of the acknowledged throughput (0.85 in libwebrtc).
    public var backoff: Double = 0.85
    /// An estimate below this share of the previous one has backed off.
    public var decreaseRatio: Double = 0.95
    /// One below this share of the previous one has not converged to the capacity yet.
    public var steepDecreaseRatio: Double = 0.75
    /// An estimate this many times the known capacity shows that the limit is lifted.
    public var limitLiftedEstimateRatio: Double = 1.2
    /// A throughput this many times that of the saturated path shows that the limit is lifted.
    public var limitLiftedThroughputRatio: Double = 1.3
    /// A path without queue and loss for this long is clear, in seconds.
    public var clearTime: Double = 1
    /// Window over which current loss is determined, in seconds.
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

extension ConditionRules {
    /// The rules with windows that hold a few reports, however rarely these come: a single measurement proves nothing.
    func forReports(every interval: Double?) -> ConditionRules {
        guard let interval, interval > Self.frequentReports else { return self }
        var rules = self
        rules.queueingMemory = max(queueingMemory, Self.fewReports * interval)
        rules.standingQueueTime = max(standingQueueTime, 2 * interval)
        rules.delayVariationWindow = max(delayVariationWindow, Self.fewReports * interval)
        return rules
    }

    /// Seconds between reports that all windows hold enough of.
    private static let frequentReports = 2.5
    /// Reports in a window, with something left for one that is late.
    private static let fewReports = 2.5
}

extension ConditionRules: Settings {
    static let settings: [Setting<ConditionRules>] = [
        .rules("loss", \.loss, .share),
        .rules("coverage", \.coverage, .ratio),
        .number("significance", \.significance, .positive, .standardDeviations),
        .number("burstLength", \.burstLength, .notNegative, .seconds),
        .number("fewestLostPackets", \.fewestLostPackets, .notNegative, .packets),
        .number("longestLossWindow", \.longestLossWindow, .positive, .seconds),
        .number("sparseLossWindow", \.sparseLossWindow, .positive, .seconds),
        .number("sparsePackets", \.sparsePackets, .positive, .packets),
        .number("freshLossWindow", \.freshLossWindow, .positive, .seconds),
        .number("expectedLossesToClear", \.expectedLossesToClear, .notNegative, .packets),
        .number("expectedLossesPerLoss", \.expectedLossesPerLoss, .notNegative, .packets),
        .number("burstGapMultiplier", \.burstGapMultiplier, .notNegative, .factor),
        .number("sparseFreshLossWindow", \.sparseFreshLossWindow, .positive, .seconds),
        .number("hysteresis", \.hysteresis, .fraction, .share),
        .number("outage", \.outage, .positive, .seconds),
        .number("sparseReportInterval", \.sparseReportInterval, .notNegative, .seconds),
        .number("checkInterval", \.checkInterval, .notNegative, .seconds),
        .number("outageAccountingGrace", \.outageAccountingGrace, .notNegative, .seconds),
        .number("lossStart", \.lossStart, .notNegative, .seconds),
        .number("bandwidthStart", \.bandwidthStart, .positive, .seconds),
        .number("demandRise", \.demandRise, .positive, .factor),
        .number("firstProbe", \.firstProbe, .notNegative, .seconds),
        .number("downgradeDelay", \.downgradeDelay, .notNegative, .seconds),
        .number("upgradeDelay", \.upgradeDelay, .notNegative, .seconds),
        .number("leapDelay", \.leapDelay, .notNegative, .seconds),
        .number("minimumRoundTripTime", \.minimumRoundTripTime, .positive, .seconds),
        .number("queueingTime", \.queueingTime, .positive, .seconds),
        .number("queueingShare", \.queueingShare, .positive, .share),
        .number("queueingJitter", \.queueingJitter, .notNegative, .factor),
        .number("steadyTime", \.steadyTime, .positive, .seconds),
        .number("steadySpread", \.steadySpread, .notNegative, .seconds),
        .number("steadyShare", \.steadyShare, .notNegative, .share),
        .number("queueingMajority", \.queueingMajority, .fraction, .share),
        .number("standingQueueTime", \.standingQueueTime, .positive, .seconds),
        .number("delayVariation", \.delayVariation, .positive, .seconds),
        .number("delayVariationWindow", \.delayVariationWindow, .positive, .seconds),
        .number("backoffRise", \.backoffRise, .notNegative, .seconds),
        .number("backoffVariation", \.backoffVariation, .notNegative, .seconds),
        .number("backoffPause", \.backoffPause, .positive, .seconds),
        .number("backoffSpread", \.backoffSpread, .notNegative, .share),
        .number("queueingMemory", \.queueingMemory, .positive, .seconds),
        .number("unexplainedShortfallDelay", \.unexplainedShortfallDelay, .positive, .seconds),
        .number("lossIndependenceRatio", \.lossIndependenceRatio, .fraction, .share),
        .number("lossIndependenceWindow", \.lossIndependenceWindow, .positive, .seconds),
        .number("sufficientTarget", \.sufficientTarget, .fraction, .share),
        .number("usedEstimate", \.usedEstimate, .fraction, .share),
        .number("filledEstimate", \.filledEstimate, .fraction, .share),
        .number("usedTarget", \.usedTarget, .fraction, .share),
        .number("risingEstimateRatio", \.risingEstimateRatio, .positive, .factor),
        .number("stalledRecoveryTime", \.stalledRecoveryTime, .positive, .seconds),
        .number("backoff", \.backoff, .positive, .share),
        .number("decreaseRatio", \.decreaseRatio, .fraction, .share),
        .number("steepDecreaseRatio", \.steepDecreaseRatio, .fraction, .share),
        .number("limitLiftedEstimateRatio", \.limitLiftedEstimateRatio, .positive, .factor),
        .number("limitLiftedThroughputRatio", \.limitLiftedThroughputRatio, .positive, .factor),
        .number("clearTime", \.clearTime, .notNegative, .seconds),
        .number("recentLossWindow", \.recentLossWindow, .positive, .seconds),
    ]
}
