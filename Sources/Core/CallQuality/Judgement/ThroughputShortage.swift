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
    private var lastLoss = -Double.infinity
    /// When the path was last full, or lost packets.
    private var lastProven = -Double.infinity
    /// When less than before came at once.
    private var droppedAt = -Double.infinity
    private var lastRate: Double?
    /// The time at which less began to get through than usual, in ms; `nil` while something is held down, or nothing is less.
    private var lessSince: Double?
    /// Pixels of all video while nothing is held down.
    private var usualPixels = 0.0
    /// Jitter while nothing is held down, in seconds.
    private var usualJitter: Double?

    /// The estimate in place of one that is reported, with what is usual as its demand; `nil` while nothing is held down.
    private(set) var heldDown: (estimate: Double, demand: Double)?

    /// Whether as much gets through as usually does.
    private(set) var isAsUsual = false

    /// Whether it began with packets that were lost and much less that came, both at once: before any sender could answer,
    /// so that it is the path that let no more through.
    private(set) var isOverload = false

    /// What a tick says.
    struct Input: Sendable {
        /// What got through, in bps; `nil` if unknown.
        var rate: Double?
        /// Whether the path is full, or packets are lost.
        var isTroubled: Bool
        /// Whether packets of this tick were lost.
        var hasLost: Bool
        /// Jitter of media, in seconds; `nil` if unknown.
        var jitter: Double?
        /// Pixels of all video; `nil` if unknown.
        var pixels: Double?
        /// Whether encoders make as much of that as they ever do.
        var isWhole = false
    }

    /// Takes a tick.
    mutating func handle(_ input: Input, at time: Double, _ rules: ConditionRules) {
        if input.isTroubled { lastProven = time }
        // On a narrow path packets wait for each other, as they did not before; that alone proves nothing for ever.
        let waits =
            heldDown != nil && time - lastProven <= Self.longestWait
            && (input.jitter ?? 0) >= Self.jitterFactor * (usualJitter ?? .infinity)
            && (input.jitter ?? 0) >= rules.delayVariation
        if heldDown == nil, !input.isTroubled, let jitter = input.jitter {
            usualJitter = (usualJitter ?? jitter) + (jitter - (usualJitter ?? jitter)) * Self.smoothing
        }
        if input.isTroubled || waits { lastTrouble = time }
        if input.hasLost { lastLoss = time }
        if heldDown == nil {
            usualPixels = max(input.pixels ?? 0, usualPixels * Self.fading)
        } else if (input.pixels ?? .infinity) <= Self.fallen * usualPixels, !input.isWhole {
            // Video that became smaller and still is needs no other sign: content that needs less does not shrink it.
            lastTrouble = time
        }
        noteDrop(input.rate, at: time)
        note(input.rate, at: time, rules)
        isOverload =
            heldDown != nil
            && (isOverload
                || abs(droppedAt - lastLoss) <= Self.together && time - droppedAt <= Self.confirmation)
    }

    private mutating func noteDrop(_ rate: Double?, at time: Double) {
        if let rate, let lastRate, rate < lastRate * Self.fallen { droppedAt = time }
        lastRate = rate ?? lastRate
    }

    private mutating func note(_ rate: Double?, at time: Double, _ rules: ConditionRules) {
        // A path that is full shows it now and then, when congestion control probes it.
        if heldDown != nil, time - lastTrouble > Self.longestQuiet { heldDown = nil }
        guard let rate else {
            lessSince = nil
            return
        }
        rates.append((time, rate))
        rates.removeAll { $0.time < time - rules.recentLossWindow * 1500 }
        // A frame more or less in a tick says nothing.
        let recent = rates.reduce(0) { $0 + $1.rate } / Double(rates.count)
        let most = heldDown?.demand ?? max(recent, isLessNeeded(at: time) ? 0 : (usual ?? 0) * Self.fading)
        isAsUsual = heldDown == nil && recent >= most * Self.recovered
        usual = most
        // Nothing at all is an outage, or a hold.
        let isLess = heldDown == nil && recent > 0 && recent < most * Self.fallen
        lessSince = isLess ? lessSince ?? time : nil
        if heldDown != nil {
            heldDown = recent >= most * Self.recovered ? nil : (recent, most)
        } else if recent < most * Self.fallen, time - lastTrouble <= rules.unexplainedShortfallDelay * 1000 {
            heldDown = (recent, most)
        }
    }

    /// Whether less has come for so long without a sign of a problem that no more is needed: what happens later did not make
    /// it so.
    private func isLessNeeded(at time: Double) -> Bool {
        guard let lessSince else { return false }
        return time - lessSince >= Self.acceptance && time - lastTrouble >= Self.acceptance
    }

    /// Share of what was usual below which the rate fell, and above which it is back.
    private static let fallen = 0.65
    private static let recovered = 0.85
    /// How far apart the loss and the drop may be reported, and how long what is held down takes to show, in ms.
    private static let together = 2_000.0
    private static let confirmation = 8_000.0
    /// How long less than usual has to come without a problem to be what is needed, in ms.
    private static let acceptance = 15_000.0
    /// How many times the usual jitter is that of a path on which packets wait for each other.
    private static let jitterFactor = 3.0
    /// How fast what is usual of the jitter follows it.
    private static let smoothing = 0.1
    /// How long packets that wait for each other show a narrow path after the last other sign of it, in ms.
    private static let longestWait = 120_000.0
    /// How long a path may be full without a sign of it, in ms.
    private static let longestQuiet = 30_000.0
    /// What is usual fades, for content that needs less, to half of it in about a minute.
    private static let fading = 0.988
}
