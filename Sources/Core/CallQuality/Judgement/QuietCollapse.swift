// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Tells whether congestion control has given up much of what a path carries, and nothing had queued.
///
/// What a path carries less of than is sent waits in it: a limit that halves what gets through makes round trips longer by
/// hundreds of milliseconds before congestion control has reacted. Where they stay as they were, nothing was lost, and all had got
/// through until then, the path carries that still: a delay that varies was taken for a queue. What is known of it ends with
/// the next queue or loss; once a collapse is shown, a single stall is no queue.
struct QuietCollapse: Sendable {
    private var estimates: [(time: Double, value: Double)] = []
    /// What got through in the latest ticks, and the most that did in each of several since a queue was seen or something lost,
    /// in bps.
    private var delivered: [Double] = []
    private var carried = 0.0
    private var disturbedAt = -Double.infinity
    /// When there was a queue for a tick though a collapse is shown, and whether nothing has shown since that it is gone.
    private var stall = (time: -Double.infinity, isOpen: false)
    /// Whether it has, and has not come back.
    private(set) var isShown = false

    /// Time in which the estimate collapses, in ms.
    private static let duration = 5000.0
    /// How long after that its queue would be known, in ms, and how many round trips have to be known before and since.
    private static let delay = 2500.0
    private static let fewest = 3
    /// How long before that round trips show how far they are apart, in ms.
    private static let before = 8000.0
    /// Ticks in which as much has to get through.
    private static let sustained = 3
    /// The share of what got through that is left of the estimate, at most, and that ends it, at least.
    private static let collapsed = 0.7
    private static let restored = 0.95

    /// Takes a tick.
    mutating func handle(
        _ input: CongestionClassifier.Input, _ roundTrips: RoundTrips, at time: Double,
        _ rules: ConditionRules
    ) {
        let isLossy = input.recentLoss ?? 0 >= rules.loss.good
        if isLossy || isQueue(input.queue, at: time, rules) {
            forgetPath()
            disturbedAt = time
        }
        guard let estimate = input.estimate, !input.isEstimateInferred else { return }
        estimates.removeAll { $0.time < time - Self.duration - 2 * Self.delay }
        estimates.append((time, estimate))
        if input.coverage ?? 0 >= 1, !input.isBandwidthLimited {
            // Less is wanted, or enough is believed in: what is short later is another matter.
            isShown = false
        } else if isShown {
            isShown = estimate < Self.restored * carried
        } else {
            isShown = hasCollapsed(to: estimate, at: time, roundTrips, rules)
        }
        delivered = delivered.suffix(Self.sustained - 1) + [input.delivered ?? 0]
        if delivered.count == Self.sustained { carried = max(carried, delivered.min() ?? 0) }
    }

    /// Whether there is a queue.
    ///
    /// Once a collapse is shown, one tick of it in a while is a stall, which leaves the path as it was.
    private mutating func isQueue(
        _ queue: QueueDelayDetector, at time: Double, _ rules: ConditionRules
    ) -> Bool {
        if queue.isDrained { stall.isOpen = false }
        guard queue.isQueueing, isShown else { return queue.isQueueing || queue.isStanding }
        // Without a measurement it is still the last tick's.
        guard queue.risesNow else { return queue.isStanding }
        defer { stall = (time, true) }
        return queue.isStanding || stall.isOpen || time - stall.time <= rules.queueingMemory * 1000
    }

    /// Whether what the estimate was `delay` ago, and is, is a quiet collapse from what got through.
    private func hasCollapsed(
        to estimate: Double, at time: Double, _ roundTrips: RoundTrips, _ rules: ConditionRules
    ) -> Bool {
        guard carried > 0, let low = estimates.last(where: { $0.time <= time - Self.delay }) else {
            return false
        }
        let begin = low.time - Self.duration
        guard max(low.value, estimate) <= Self.collapsed * carried, disturbedAt < begin,
            let high = estimates.last(where: { $0.time >= begin && $0.value >= carried })
        else { return false }
        return isQuiet(since: high.time, roundTrips, rules)
    }

    /// Whether round trips have been since a fall as they were before: apart, but not by a queue.
    ///
    /// The small queue of a limit makes them longer, or is all that they are apart by. The queue of a large one is there while
    /// the estimate falls; later a stall may make one in ten longer.
    private func isQuiet(since fall: Double, _ roundTrips: RoundTrips, _ rules: ConditionRules) -> Bool {
        func rises(_ measurements: ArraySlice<RoundTrips.Measurement>) -> [Double]? {
            measurements.count >= Self.fewest ? measurements.map(roundTrips.rise).sorted() : nil
        }
        let since = roundTrips.since(fall).drop { $0.time <= fall }
        guard let before = rises(roundTrips.since(fall - Self.before).prefix { $0.time <= fall }),
            let after = rises(since),
            !since.contains(where: {
                $0.time <= fall + Self.delay && roundTrips.rise(of: $0) > rules.queueingTime
            })
        else { return false }
        let spread = before[before.count * 9 / 10] - before[before.count / 10]
        return after[after.count - 1 - after.count / 10] <= rules.queueingTime
            && spread >= rules.backoffVariation
            && after[after.count / 2] - before[before.count / 2]
                <= max(rules.backoffRise, rules.backoffSpread * spread)
    }

    /// Starts over: on another path, or after an outage.
    mutating func forgetPath() { self = QuietCollapse() }
}
