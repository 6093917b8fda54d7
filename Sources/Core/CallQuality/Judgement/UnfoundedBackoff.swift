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
        /// Those until now; each who measures has its own usual value.
        var roundTrips: RoundTrips
        var estimate: Double?
        /// Jitter of media, in seconds; `nil` if unknown.
        var jitter: Double?
        /// Whether the estimate suffices, and nothing is lost; `nil` if unknown.
        var isWell: Bool?
        var isLossy: Bool
    }

    private typealias Measurement = RoundTrips.Measurement

    private struct Fall {
        var time: Double
        var isLossy: Bool
    }

    /// Of the times in which nothing was short.
    private var usual: [Measurement] = []
    /// Of the times between falls: what is usual on a path that has been short from the start.
    private var between: [Measurement] = []
    /// The recent ones, and how far they are above the shortest.
    private var roundTrips = RoundTrips()
    private var recent: ArraySlice<Measurement> = []
    private var jitters: [(time: Double, value: Double)] = []
    private var falls: [Fall] = []
    private var estimate: Double?
    private var descent = Descent()
    /// The verdict on the falls that are no longer remembered.
    private var wasUnfounded = false

    private var betweenUntil = -Double.infinity
    /// When the newest round trip time was measured, by source, of those that are far above that, and when such were that were followed
    /// by one that was not.
    private var long: [Int: Double] = [:]
    private var spikes: [Double] = []

    /// For how many windows of delay variation falls are remembered: congestion control that is mistaken falls every few
    /// seconds, and around one fall too little is measured.
    private static let memory = 3.0
    private static let fewestUsual = 3
    private static let fewestBetween = 6
    private static let mostUsual = 60
    /// Falls of the time that is looked at from which on a limit would have shown a queue, and the round trip times that show it.
    private static let fewestFrequent = 4
    private static let fewestTimes = 6
    /// How far above the shortest a single round trip is, in seconds; how many of them are several, how far apart they are, and
    /// for how long they are remembered, in ms.
    private static let spike = 0.1
    private static let severalSpikes = 2
    private static let apart = 1500.0
    /// In how many ms no queue of that length drains.
    private static let drained = 1600.0
    private static let spikeMemory = 25_000.0
    /// How far a round trip time is above all usual ones that shows a queue by itself, in seconds.
    private static let clearRise = 0.02
    /// How many times the jitter of media a round trip time rises by that jitter alone: there and back, and jitter is a
    /// mean.
    private static let jittery = 3.0
    /// Milliseconds before and after a fall in which its queue is to be seen: a round trip time is up to a second
    /// old when it is reported.
    private static let before = 2_000.0
    private static let after = 1_500.0

    /// Takes a tick.
    mutating func handle(_ input: Input, at time: Double, _ rules: ConditionRules) {
        let oldest = time - Self.memory * rules.delayVariationWindow * 1000
        roundTrips = input.roundTrips
        recent = roundTrips.since(oldest - Self.before)
        let new = roundTrips.since(time)
        noteSpikes(new, rules)
        if let jitter = input.jitter { jitters.append((time, jitter)) }
        if input.isWell == true {
            usual += new
            usual.removeFirst(max(0, usual.count - Self.mostUsual))
            wasUnfounded = false
            descent = Descent()
        }
        noteEstimate(input, at: time, rules)
        noteBetween(at: time)
        if falls.contains(where: { $0.time < oldest }) { wasUnfounded = isUnfounded(rules) }
        falls.removeAll { $0.time < oldest }
        jitters.removeAll { $0.time < oldest - Self.before }
    }

    private mutating func noteEstimate(_ input: Input, at time: Double, _ rules: ConditionRules) {
        guard let new = input.estimate else { return }
        defer { estimate = new }
        guard let old = estimate, new < old * rules.decreaseRatio else { return }
        falls.append(Fall(time: time, isLossy: input.isLossy))
        descent.handle(from: old, to: new, at: time, rules)
    }

    /// Notes what was measured apart from the falls, when it is known that none followed.
    private mutating func noteBetween(at time: Double) {
        let until = time - Self.before
        let new = recent.filter { $0.time > betweenUntil && $0.time <= until && !isNear($0, falls) }
        betweenUntil = until
        between += new
        between.removeFirst(max(0, between.count - Self.mostUsual))
    }

    /// Starts over on a path with another round trip time.
    mutating func forgetPath() {
        usual = []
        between = []
        forgetFalls()
    }

    /// Forgets the falls, because they had another reason.
    mutating func forgetFalls() {
        falls = []
        (long, spikes) = ([:], [])
        wasUnfounded = false
    }

    /// Whether the round trip time varies as much as congestion control notices, by itself.
    func varies(_ rules: ConditionRules) -> Bool {
        Set((usual + between).map(\.source)).contains { source in
            guard let values = reference(source) else { return false }
            return values[values.count * 9 / 10] - values[values.count / 10] >= rules.backoffVariation
        }
    }

    /// Whether the latest falls, taken together, had no queue: a single one is known by too few measurements.
    func isUnfounded(_ rules: ConditionRules) -> Bool {
        guard let verdict = verdict(falls.filter { !$0.isLossy }, rules) else { return wasUnfounded }
        return verdict == .unfounded
    }

    /// Whether the estimate falls again and again, and most round trips are hardly above the shortest all the same, though they
    /// vary: by itself this may be the small queue of a limit.
    func fallsOftenWithoutQueue(_ rules: ConditionRules) -> Bool {
        guard falls.count >= Self.fewestFrequent, !falls.contains(where: \.isLossy),
            recent.count >= Self.fewestTimes
        else { return false }
        let rises = recent.map(roundTrips.rise).sorted()
        let (low, high) = (rises[rises.count / 10], rises[rises.count * 9 / 10])
        return rises[rises.count * 3 / 4] <= rules.queueingTime && high - low >= rules.backoffVariation
    }

    /// Whether single round trips are far above the shortest again and again, and the next ones are not: a queue drains slowly.
    var hasSpikes: Bool { spikes.count >= Self.severalSpikes }

    private mutating func noteSpikes(_ new: ArraySlice<Measurement>, _ rules: ConditionRules) {
        for measurement in new {
            let rise = roundTrips.rise(of: measurement)
            if rise <= rules.queueingTime, let time = long[measurement.source],
                measurement.time - time <= Self.drained,
                time - (spikes.last ?? -.infinity) >= Self.apart
            {
                spikes.append(time)
            }
            long[measurement.source] = rise >= Self.spike ? measurement.time : nil
        }
        if let newest = new.last { spikes.removeAll { $0 < newest.time - Self.spikeMemory } }
    }

    /// When the newest fall was, if it was from a queue that shows clearly; else `nil`.
    func clearQueue(_ rules: ConditionRules) -> Double? {
        guard let fall = falls.last, !fall.isLossy, verdict([fall], rules) == .clearlyFounded else {
            return nil
        }
        return fall.time
    }

    /// Whether nothing has fallen for so long that it no longer backs off.
    func hasEnded(at time: Double, _ rules: ConditionRules) -> Bool {
        falls.last.map { time - $0.time >= rules.backoffPause * 1000 } ?? true
    }

    /// What a round trip time is usually, in order; `nil` if that is not known.
    private func reference(_ source: Int) -> [Double]? {
        let well = usual.filter { $0.source == source }
        if well.count >= Self.fewestUsual { return well.map(\.value).sorted() }
        guard descent.isHalved else { return nil }
        let rest = between.filter { $0.source == source }
        return rest.count >= Self.fewestBetween ? rest.map(\.value).sorted() : nil
    }

    /// The median jitter of the time that is remembered.
    private var usualJitter: Double {
        let values = jitters.map(\.value).sorted()
        return values.isEmpty ? 0 : values[values.count / 2]
    }

    private func isNear(_ measurement: Measurement, _ falls: [Fall]) -> Bool {
        falls.contains {
            measurement.time >= $0.time - Self.before && measurement.time <= $0.time + Self.after
        }
    }

    private enum Verdict {
        case unfounded, founded, clearlyFounded
    }

    /// Whether the round trip times around some falls were above the usual ones; `nil` if that is not known.
    private func verdict(_ falls: [Fall], _ rules: ConditionRules) -> Verdict? {
        let near = recent.filter { isNear($0, falls) }
        var rises: [Double] = [], spread = 0.0
        for source in Set(near.map(\.source)) {
            guard let values = reference(source), !values.isEmpty else { continue }
            let middle = values[values.count / 2]
            // The queue may have begun before anything was short: a few that are far above do not count.
            let most = values[values.count * 19 / 20]
            spread = max(spread, most - middle)
            rises += near.filter { $0.source == source }.map { $0.value - middle }
        }
        guard rises.count >= 2 else { return nil }
        rises.sort()
        // Most of them are a little above what is usual, or some are far above it.
        let middle = rises[rises.count / 2], most = rises[(rises.count - 1) * 3 / 4]
        // A queue stays for a while; a delay that varies is low again in between.
        let lower = rises[rises.count / 4]
        if descent.isHalved, descent.isEndless, middle <= Self.jittery * usualJitter { return .unfounded }
        if middle > spread + Self.clearRise, lower > spread + Self.clearRise / 2 { return .clearlyFounded }
        let isFounded = middle > max(rules.backoffRise, rules.backoffSpread * spread)
        return isFounded || most > spread + Self.clearRise ? .founded : .unfounded
    }
}
