// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells loss that has nothing to do with how much is sent.
///
/// What a path let through a moment ago it lets through now: where much less than that is sent, and packets are lost all the
/// same, no queue of this flow's own loses them. A spike of the round trip time beside it is no evidence to the contrary.
struct LossIndependence: Sendable {
    /// What got through since packets are lost, in bps.
    private var rates: [(time: Double, value: Double)] = []
    private var since: Double?
    /// What got through before, once it has been so for long enough.
    private var shownBeside: Double?

    /// Whether it has been so for long enough.
    var isShown: Bool { shownBeside != nil }

    /// Takes a tick.
    mutating func handle(_ input: CongestionClassifier.Input, at time: Double, _ rules: ConditionRules) {
        guard input.isLossy, let rate = input.delivered else {
            if !input.isLossy { self = LossIndependence() }
            return
        }
        let arrives = 1 - min(max(input.recentLoss ?? 0, 0), 0.99)
        rates.removeAll { $0.time < time - rules.lossIndependenceWindow * 1000 }
        let highest = max(rates.map(\.value).max() ?? 0, shownBeside ?? 0)
        rates.append((time, input.isSent ? rate * arrives : rate))
        let sent = input.isSent ? rate : rate / arrives
        guard sent <= rules.lossIndependenceRatio * highest, 1 - arrives >= rules.loss.good else {
            since = nil
            shownBeside = nil
            return
        }
        let since = since ?? time
        self.since = since
        if time - since >= rules.unexplainedShortfallDelay * 1000 { shownBeside = highest }
    }
}
