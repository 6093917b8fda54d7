// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Whether what is sent fills what congestion control estimates of the path.
///
/// An estimate that is not filled is no limit: it stays where it is for want of traffic to show that more fits, and the
/// encoder has what it asks for. libwebrtc's steps its size down at the start of every call and up again only after many
/// seconds in which its frames were better than they need be; all that time it says that bandwidth limits it.
struct EstimateUse: Sendable {
    private var unused = Lasting()
    private var fine = Lasting()
    /// When both were last known, in ms of the reports' time, and what was estimated then.
    private var known = -Double.infinity
    private var estimate = 0.0

    /// Whether much less than that has been sent for some time.
    var isApplicationLimited: Bool { unused.isTrue }
    /// Whether video has been as large and as fine for some time as more would make it.
    var isSatisfied: Bool { fine.isTrue }

    /// How long, in seconds: after a fall a queue drains first, and encoders follow the estimate.
    private static let confirmation = 4.0
    /// Share of an estimate that says that it is filled.
    ///
    /// An estimate of which less than `condition.filledEstimate` is sent climbs no further, so that what is sent rests at about
    /// that share of it, a little more in one report and less in the next. Encoders that it limits send nearly all of it.
    private static let full = 0.8

    /// How many times the estimate is sent when that has just collapsed, at least.
    ///
    /// Congestion control that is mistaken about a delay backs off to 85 % of what is sent (`condition.backoff`), so that this much
    /// more needs three such steps at once, and encoders that follow none of them.
    private static let overdraft = 1.5

    /// Whether so much more media are sent than is believed to fit that what is wanted cannot all get through.
    static func isOverdrawn(rate: Double?, estimate: Double?) -> Bool {
        guard let rate, let estimate else { return false }
        return rate >= estimate * overdraft
    }

    /// Takes whether video is so fine and large in a tick: see ``UplinkState/sendsFinely(_:_:)``.
    mutating func handle(isFine: Bool, at tick: Tick) {
        fine.handle(isFine, for: Self.confirmation, at: tick)
    }

    /// Takes what was sent, and what is estimated, both in bps; what is not known for as long says nothing.
    mutating func handle(rate: Double?, estimate: Double?, at tick: Tick, _ rules: ConditionRules) {
        guard let rate, let estimate else {
            if tick.time - known > Self.confirmation * 1000 { unused = Lasting() }
            return
        }
        known = tick.time
        let isUnused = rate < estimate * rules.filledEstimate
        // What was known of an estimate that has fallen says nothing of the new one.
        let hasFallen = estimate < self.estimate * rules.decreaseRatio
        self.estimate = estimate
        let isFull = hasFallen || rate >= estimate * max(Self.full, rules.filledEstimate)
        unused.handle(isUnused ? true : isFull ? false : nil, for: Self.confirmation, at: tick)
    }
}
