// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Where no one reports an estimate: whether what gets through fell while the path was full or lossy, and has not risen
/// since.
///
/// Then what gets through is what congestion control makes of the path, and stands for its estimate.
struct ThroughputShortage: Sendable {
    private var rates: [(time: Double, rate: Double)] = []
    private var usual: Double?
    private var lastTrouble = -Double.infinity

    /// The estimate in place of one that is reported, with what is usual as its demand; `nil` while nothing is held down.
    private(set) var heldDown: (estimate: Double, demand: Double)?

    /// Takes a tick.
    mutating func handle(rate: Double?, isTroubled: Bool, at time: Double, _ rules: ConditionRules) {
        if isTroubled { lastTrouble = time }
        // A path that is full shows it now and then, when congestion control probes it.
        if heldDown != nil, time - lastTrouble > Self.longestQuiet { heldDown = nil }
        guard let rate else { return }
        rates.append((time, rate))
        rates.removeAll { $0.time < time - rules.recentLossWindow * 1500 }
        // A frame more or less in a tick says nothing.
        let recent = rates.reduce(0) { $0 + $1.rate } / Double(rates.count)
        let most = heldDown?.demand ?? max(recent, (usual ?? 0) * Self.fading)
        usual = most
        if heldDown != nil {
            heldDown = recent >= most * Self.recovered ? nil : (recent, most)
        } else if recent < most * Self.fallen, time - lastTrouble <= rules.unexplainedShortfallDelay * 1000 {
            heldDown = (recent, most)
        }
    }

    /// Share of what was usual below which the rate fell, and above which it is back.
    private static let fallen = 0.65
    private static let recovered = 0.85
    /// How long a path may be full without a sign of it, in ms.
    private static let longestQuiet = 30_000.0
    /// What is usual fades, for content that needs less, to half of it in about a minute.
    private static let fading = 0.988
}
