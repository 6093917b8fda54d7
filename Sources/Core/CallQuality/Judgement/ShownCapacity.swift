// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether a path carries more than congestion control believes, by what its packets show the other end.
///
/// Two things are needed. Packets came through faster than a link of that rate lets them; a link that is slower takes its time
/// for each. And when the estimate fell, packets were not held up for longer than at other times, which they are in the queue
/// of a limit that lets bursts through.
struct ShownCapacity: Sendable {
    /// What a tick says.
    struct Input: Sendable {
        /// What has come since the last tick, oldest first.
        var pathSeconds: [PathSecond] = []
        /// What is wanted, in bps; `nil` if unknown.
        var demand: Double?
        /// What congestion control believes, in bps; `nil` if unknown.
        var estimate: Double?
        /// Whether so much is lost that congestion control reacts to it.
        var isLossy = false
    }

    /// From the tick before an estimate fell to the one with it, in ms.
    private typealias Fall = ClosedRange<Double>

    private var seconds: [PathSecond] = []
    private var estimates: [(time: Double, value: Double)] = []
    private var falls: [Fall] = []
    /// Before it nothing counts: the path was another one, or carried more.
    private var begin = -Double.infinity
    private var demand: Double?
    private var now = 0.0
    /// Since the report before, in ms.
    private var interval = 0.0
    private var isSlow = false
    /// Whether the path carries what is wanted, or far more than congestion control has believed of late, and nothing queues.
    private(set) var isMore = false

    /// For how long falls are remembered, in ms; and what packets showed of the capacity, which wanders.
    private static let memory = 30_000.0
    private static let window = 10_000.0
    /// The same of the capacity that has been shown once, and of estimates: at a limit they fall to half of it, and climb back.
    private static let longWindow = 20_000.0
    private static let estimateWindow = 15_000.0
    private static let fewestEstimates = 3
    /// Reports that come more rarely show too few falls, in ms.
    private static let slow = 5_900.0
    /// How many times the demand, and the highest estimate, a path carries at least that carries more; and that does still.
    private static let enough = (begins: 1.5, stays: 1.2)
    private static let much = (begins: 2.5, stays: 2.0)
    /// A fall to less than this share of all estimates before it is that of a path that carries less from now on.
    ///
    /// In ms, or a number of reports if that is longer: how long it takes at most, and how long before that estimates are compared.
    /// Where a sender's probes lift the estimate again and again, it is low between them.
    private static let steep = 0.5
    private static let descent = (time: 3_000.0, reports: 1.5)
    private static let before = (time: 5_000.0, reports: 2.5)
    /// An estimate that is this many times those before and after it was a probe's.
    private static let leap = 2.5
    /// How old it is at most, in ms.
    private static let probe = 2_500.0
    /// In how many ms after a fall its queue is reported: a second of packets, and a second until the next report.
    private static let reported = 2_000.0
    private static let fewestFalls = 2
    /// How much longer than usual packets are held up in a queue, in seconds.
    private static let queue = 0.015
    /// Where it falls so often that by chance one of several seconds near each fall has long delays, up to that many seconds: how
    /// much longer those are than in the seconds between falls, and how many of each that takes.
    private static let chance = (delay: 0.045, more: 0.01, fewest: 5)

    /// Takes a tick.
    mutating func handle(_ input: Input, at time: Double, _ rules: ConditionRules) {
        interval = time - now
        isSlow = interval > Self.slow
        now = time
        noteEstimate(input, rules)
        seconds += input.pathSeconds
        seconds.removeAll { $0.time < time - Self.memory }
        falls.removeAll { $0.upperBound < time - Self.memory }
        demand = input.demand
        isMore = carriesMore() && fallsWithoutQueue()
    }

    private mutating func noteEstimate(_ input: Input, _ rules: ConditionRules) {
        guard let new = input.estimate else { return }
        dropProbe(before: new)
        let newest = now - max(Self.descent.time, Self.descent.reports * interval)
        let oldest = newest - max(Self.before.time, Self.before.reports * interval)
        let before = estimates.filter { oldest <= $0.time && $0.time <= newest }
        let lowest = (before.isEmpty ? estimates : before).lazy.map(\.value).min()
        if let lowest, new < lowest * Self.steep { (begin, falls, estimates) = (now, [], []) }
        // What follows a loss is no sign of a path without a queue.
        if !input.isLossy, let old = estimates.last, new < old.value * rules.decreaseRatio {
            falls.append(old.time...max(old.time, now))
        }
        estimates.append((now, new))
        estimates.removeAll { [now] in $0.time < now - Self.estimateWindow }
    }

    /// Forgets an estimate that a probe lifted, and that is gone with the next report.
    private mutating func dropProbe(before new: Double) {
        guard let lifted = estimates.last, let usual = estimates.dropLast().last else { return }
        let isGone = now - lifted.time <= Self.probe
        if isGone, lifted.value > max(usual.value, new) * Self.leap { estimates.removeLast() }
    }

    /// Starts over on another path.
    mutating func forgetPath(at time: Double) {
        self = ShownCapacity()
        begin = time
        now = time
    }

    /// Whether the estimate has fallen since a time, in ms.
    func hasFallen(since time: Double) -> Bool { falls.last.map { $0.lowerBound >= time } ?? false }

    private func carriesMore() -> Bool {
        let oldest = max(begin + Self.reported, now - (isMore ? Self.longWindow : Self.window))
        guard !isSlow, estimates.count >= Self.fewestEstimates,
            let highest = estimates.lazy.map(\.value).max(),
            let most = seconds.lazy.filter({ $0.time > oldest }).map(\.timing.capacityBound).max()
        else { return false }
        if let demand, demand > 0, most >= (isMore ? Self.enough.stays : Self.enough.begins) * demand {
            return true
        }
        return most >= (isMore ? Self.much.stays : Self.much.begins) * highest
    }

    /// Whether packets were held up no longer when the estimate fell than at other times.
    private func fallsWithoutQueue() -> Bool {
        let over = falls.filter { $0.upperBound + Self.reported <= now }
        let delays = over.compactMap { fall in
            longestDelay(fall.lowerBound, fall.upperBound + Self.reported)
        }.sorted()
        guard delays.count >= Self.fewestFalls else { return false }
        // What is known needs half of them, of which some were held up by a stall; more than half it takes to begin.
        let median = delays[isMore ? (delays.count - 1) / 2 : delays.count / 2]
        let usual = seconds.map(\.timing.sustainedDelay).sorted()
        return median <= usual[usual.count / 4] + Self.queue
            || median <= Self.chance.delay && delaysAreAlike()
    }

    /// Whether packets are held up as long in seconds without a fall as in those with one.
    private func delaysAreAlike() -> Bool {
        let isNearFall = { (time: Double) in
            falls.contains { $0.lowerBound < time && time <= $0.upperBound + Self.reported / 2 }
        }
        var (near, between): ([Double], [Double]) = ([], [])
        for second in seconds {
            if isNearFall(second.time) {
                near.append(second.timing.sustainedDelay)
            } else {
                between.append(second.timing.sustainedDelay)
            }
        }
        guard min(near.count, between.count) >= Self.chance.fewest else { return false }
        let upper = [near, between].map { $0.sorted()[$0.count * 3 / 4] }
        return upper[0] <= upper[1] + Self.chance.more
    }

    /// How long packets were held up at most, from one time to another; `nil` if nothing was measured then.
    private func longestDelay(_ from: Double, _ to: Double) -> Double? {
        seconds.lazy.filter { from <= $0.time && $0.time <= to }.map(\.timing.sustainedDelay).max()
    }
}
