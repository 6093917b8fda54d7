// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether congestion control backs off from queues that are not there.
///
/// Delay-based congestion control takes a delay that rises for a queue. On a path whose delay varies by itself (a radio
/// that schedules, that repeats frames, that hands over) it backs off again and again, down to a fraction of what the
/// path carries. Of a limit there is a trace: around each back-off the round trip time is above what it was while
/// nothing was short. Without that reference nothing is said.
struct UnfoundedBackoff: Sendable {
    /// What a tick says.
    struct Input: Sendable {
        /// Round trip times newly measured, in seconds, by who measures: each has its own usual value.
        var roundTripTimes: [Double?]
        var estimate: Double?
        /// Whether the estimate suffices, and nothing is lost; `nil` if unknown.
        var isWell: Bool?
        var isLossy: Bool
    }

    private struct Measurement {
        var time: Double
        var source: Int
        var value: Double
    }

    private struct Fall {
        var time: Double
        var isLossy: Bool
    }

    /// Of the times in which nothing was short.
    private var usual: [Measurement] = []
    private var recent: [Measurement] = []
    private var falls: [Fall] = []
    private var estimate: Double?
    /// The verdict on the falls that are no longer remembered.
    private var wasUnfounded = false

    private static let fewestUsual = 3
    private static let mostUsual = 60
    /// How far a round trip time is above all usual ones that shows a queue by itself, in seconds.
    private static let clearRise = 0.02
    /// Milliseconds before and after a fall in which its queue is to be seen: a round trip time is up to a second
    /// old when it is reported.
    private static let before = 2_000.0
    private static let after = 1_500.0

    /// Takes a tick.
    mutating func handle(_ input: Input, at time: Double, _ rules: ConditionRules) {
        let new = input.roundTripTimes.enumerated().compactMap { source, value in
            value.map { Measurement(time: time, source: source, value: $0) }
        }
        recent += new
        if input.isWell == true {
            usual += new
            usual.removeFirst(max(0, usual.count - Self.mostUsual))
            wasUnfounded = false
        }
        if let new = input.estimate {
            if let estimate, new < estimate * rules.decreaseRatio {
                falls.append(Fall(time: time, isLossy: input.isLossy))
            }
            estimate = new
        }
        let oldest = time - rules.delayVariationWindow * 1000
        if falls.contains(where: { $0.time < oldest }) { wasUnfounded = isUnfounded(rules) }
        falls.removeAll { $0.time < oldest }
        recent.removeAll { $0.time < oldest - Self.before }
    }

    /// Starts over on a path with another round trip time.
    mutating func forgetPath() {
        usual = []
        forgetFalls()
    }

    /// Forgets the falls, because they had another reason.
    mutating func forgetFalls() {
        falls = []
        wasUnfounded = false
    }

    /// Whether the round trip time varies as much as congestion control notices, by itself.
    func varies(_ rules: ConditionRules) -> Bool {
        Set(usual.map(\.source)).contains { source in
            let values = usual.filter { $0.source == source }.map(\.value).sorted()
            guard values.count >= Self.fewestUsual else { return false }
            return values[values.count * 9 / 10] - values[values.count / 10] >= rules.backoffVariation
        }
    }

    /// Whether most of the latest falls had no queue, and some had none.
    func isUnfounded(_ rules: ConditionRules) -> Bool {
        let verdicts = falls.filter { !$0.isLossy }.compactMap { verdict($0, rules) }
        guard !verdicts.isEmpty else { return wasUnfounded }
        return 2 * verdicts.count { $0 == .unfounded } > verdicts.count
    }

    /// When the newest fall was, if it was from a queue that shows clearly; else `nil`.
    func clearQueue(_ rules: ConditionRules) -> Double? {
        guard let fall = falls.last, !fall.isLossy, verdict(fall, rules) == .clearlyFounded else {
            return nil
        }
        return fall.time
    }

    /// Whether nothing has fallen for so long that it no longer backs off.
    func hasEnded(at time: Double, _ rules: ConditionRules) -> Bool {
        falls.last.map { time - $0.time >= rules.backoffPause * 1000 } ?? true
    }

    private enum Verdict {
        case unfounded, founded, clearlyFounded
    }

    /// Whether the round trip times around a fall were above the usual ones; `nil` if that is not known.
    private func verdict(_ fall: Fall, _ rules: ConditionRules) -> Verdict? {
        let near = recent.filter { $0.time >= fall.time - Self.before && $0.time <= fall.time + Self.after }
        var rises: [Double] = [], spread = 0.0
        for source in Set(near.map(\.source)) {
            let values = usual.filter { $0.source == source }.map(\.value).sorted()
            guard values.count >= Self.fewestUsual, let most = values.last else { continue }
            let middle = values[values.count / 2]
            spread = max(spread, most - middle)
            rises += near.filter { $0.source == source }.map { $0.value - middle }
        }
        guard rises.count >= 2 else { return nil }
        rises.sort()
        // Most of them are a little above what is usual, or one is far above it.
        let middle = rises[rises.count / 2], most = rises[rises.count - 1]
        // A queue stays for a while; a delay that varies is low again in between.
        let lower = rises[rises.count / 4]
        if middle > spread + Self.clearRise, lower > spread + Self.clearRise / 2 { return .clearlyFounded }
        let isFounded = middle > max(rules.backoffRise, rules.backoffSpread * spread)
        return isFounded || most > spread + Self.clearRise ? .founded : .unfounded
    }
}
