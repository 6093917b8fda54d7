// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells queueing from a long path: the round trip time against its running minimum.
struct RoundTripBaseline: Sendable {
    /// What a measurement says.
    enum Verdict: Sendable, Equatable {
        /// Nothing: there was none.
        case none
        /// There is no queue.
        case flat
        /// It is above its minimum by this many seconds, as much as a queue.
        case risen(Double)
        /// What rose is a longer path.
        case longerPath
    }

    private struct Sample {
        var time: Double
        var value: Double
        var hasRisen = false
        var isLossy = false
    }

    private var samples: [Sample] = []
    /// How much the measurement of the last tick is above the shortest, in seconds; `nil` if there was none.
    private(set) var excess: Double?
    /// When a longer path was recognised; older samples say nothing about it.
    private var pathSince = -Double.infinity

    /// Measurements that can show a steady round trip time.
    private static let fewestSteady = 4
    private static let enoughSteady = 7
    /// How much a longer path may vary, as a share of its round trip time and in seconds, where nothing was given up for
    /// it: what radios and routers add does not grow with the way.
    private static let unansweredShare = 0.1
    private static let unansweredSpread = 0.045
    /// Measurements that agree that widely by more than chance.
    private static let fewestUnanswered = 12
    /// How long a path has to have lost nothing that has before, in seconds: a queue that is always full overflows again.
    private static let lossless = 10.0

    /// Takes a measurement and the jitter of media, in seconds: a path that jitters has no queue for that.
    ///
    /// - Parameter isUnanswered: Whether congestion control has given nothing up: it reacts to a delay that moves.
    mutating func handle(
        _ value: Double?, jitter: Double?, isLossy: Bool, isUnanswered: Bool = false, at time: Double,
        _ rules: ConditionRules
    ) -> Verdict {
        let oldest = max(pathSince, time - rules.minimumRoundTripTime * 1000)
        if let first = samples.first, first.time < oldest { samples.removeAll { $0.time < oldest } }
        excess = nil
        guard let value else { return .none }
        samples.append(Sample(time: time, value: value))
        let minimum = shortest
        excess = value - minimum
        guard let rise = rise(value, above: minimum, jitter ?? 0, rules) else { return .flat }
        samples[samples.count - 1].hasRisen = true
        samples[samples.count - 1].isLossy = isLossy
        // A queue that is always full holds still too, but overflows.
        let count = samples.reversed().prefix { $0.hasRisen }.count
        let share =
            isUnanswered && count >= Self.fewestUnanswered
            ? max(min(Self.unansweredShare, Self.unansweredSpread / max(value, 0.001)), rules.steadyShare)
            : rules.steadyShare
        guard let begin = steadySince(at: time, jitter ?? 0, share, rules) else { return .risen(rise) }
        forget(before: begin)
        // It is above that one's now.
        excess = value - shortest
        return .longerPath
    }

    /// Forgets what was measured on a shorter path.
    mutating func forget(before time: Double) {
        pathSince = time
        samples.removeAll { $0.time < time }
        for index in samples.indices { samples[index].hasRisen = false }
    }

    private var shortest: Double {
        var minimum = Double.infinity
        for sample in samples { minimum = min(minimum, sample.value) }
        return minimum
    }

    /// How much a value is above the minimum, if that means queueing.
    private func rise(
        _ value: Double, above minimum: Double, _ jitter: Double, _ rules: ConditionRules
    ) -> Double? {
        let rise = value - minimum
        let least = max(rules.queueingTime, rules.queueingShare * minimum, rules.queueingJitter * jitter)
        return rise > least ? rise : nil
    }

    /// The start of the time that has been still, if it rose once and has not moved since: queues swell and drain.
    ///
    /// It is still if it varies as little as it did before it rose, or as little as measuring makes it. All of the time
    /// since it rose counts but its beginning, so that a queue that happens to rest for a moment is none.
    private func steadySince(
        at time: Double, _ jitter: Double, _ share: Double, _ rules: ConditionRules
    ) -> Double? {
        guard let flat = samples.lastIndex(where: { !$0.hasRisen }) else { return nil }
        var (risen, fewest, seconds) = (samples[(flat + 1)...], Self.fewestSteady, rules.steadyTime)
        if let lossy = risen.lastIndex(where: \.isLossy) {
            (risen, fewest, seconds) = (samples[(lossy + 1)...], Self.enoughSteady, Self.lossless)
        }
        guard risen.count >= fewest, let first = risen.first, time - first.time >= seconds * 1000 else {
            return nil
        }
        var after = Spread()
        for sample in risen.dropFirst() { after.add(sample.value) }
        // The first may be of both paths, but not higher: a queue that drains to a rest is one.
        let isMixed = first.value < after.low
        if !isMixed { after.add(first.value) }
        // What came before the minimum may have had a queue in it that nothing showed yet, and so do the last of one that drains.
        let minimum = shortest
        let before = samples.filter {
            !$0.hasRisen && rise($0.value, above: minimum, jitter, rules) == nil
        }.map(\.value).sorted()
        let usualWidth = before.isEmpty ? 0 : before[before.count * 9 / 10] - before[before.count / 10]
        // Few measurements may agree by chance.
        let tolerance = risen.count < Self.enoughSteady ? 0.5 : 1.0
        let most = tolerance * max(rules.steadySpread, 2 * usualWidth, share * after.high)
        return after.width <= most ? (isMixed ? risen[risen.startIndex + 1].time : first.time) : nil
    }
}

/// The lowest and the highest of some values.
private struct Spread {
    private(set) var low = Double.infinity
    private(set) var high = -Double.infinity

    var width: Double { low <= high ? high - low : 0 }

    mutating func add(_ value: Double) {
        low = min(low, value)
        high = max(high, value)
    }
}
