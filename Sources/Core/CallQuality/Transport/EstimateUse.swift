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
    /// When both were last known, in ms of the reports' time.
    private var known = -Double.infinity

    /// Whether much less than that has been sent for some time.
    var isApplicationLimited: Bool { unused.isTrue }
    /// Whether video has been as large and as fine for some time as more would make it.
    var isSatisfied: Bool { fine.isTrue }

    /// How long, in seconds: after a fall a queue drains first, and encoders follow the estimate.
    private static let confirmation = 4.0

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
        unused.handle(rate < estimate * rules.filledEstimate, for: Self.confirmation, at: tick)
    }
}
