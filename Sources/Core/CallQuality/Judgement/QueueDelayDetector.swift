// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What all round trip times of a direction say about queues: those of connectivity checks, of media by RTCP,
/// and of the leg's sender.
///
/// Each kind is held against its own minimum. One risen measurement can be a hiccup of one of the devices;
/// two in a row, of whatever kind, are a queue.
struct QueueDelayDetector: Sendable {
    /// New measurements of a tick, in seconds.
    struct Input: Sendable {
        var pair: Double?
        var media: Double?
        var leg: Double?
        /// Jitter of media, in seconds; `nil` if unknown.
        var jitter: Double?
        var isLossy: Bool
        /// Whether congestion control has given nothing up.
        var isUnanswered = false
        /// Whether all packets are held up, which no delay that varies does, and by how much that moves, which no longer path
        /// does: see ``HeldUp``.
        var isHeldUp = false
        var isMoving = false
        /// Whether packets pass freely, so that it is the other direction that queues: see ``FreePath``.
        var isFree = false
    }

    /// Whether there is a queue.
    private(set) var isQueueing = false
    /// Whether the newest measurement rose: a queue, if something else speaks for one too.
    private(set) var hasRisen = false
    /// Whether a measurement of this tick rose.
    private(set) var risesNow = false
    /// Whether the measurements of this tick showed that there is no queue.
    private(set) var isDrained = false
    /// Whether most measurements since packets are lost showed a queue, so that it is its overflow that loses them;
    /// spikes of a radio come and go.
    private(set) var isOverflowing = false
    /// Whether few of them did: the loss has another cause.
    private(set) var isSpared = false
    /// Whether there has been a queue for long, whoever fills it.
    private(set) var isStanding = false
    /// How much the longest measurement of this tick is above the shortest of its kind, in seconds; `nil` if there is none.
    private(set) var rise: Double?
    /// What this tick showed that rose in place of a queue, if it did.
    private(set) var refutation: Refutation?

    /// What is no queue.
    enum Refutation: Sendable {
        case longerPath, jitter, otherDirection
    }

    private var meters = (pair: RoundTripBaseline(), media: RoundTripBaseline(), leg: RoundTripBaseline())
    /// Ticks with a measurement, and whether it rose.
    private var history: [(time: Double, hasRisen: Bool)] = []
    private var lossySince: Double?
    private var measuredAt = -Double.infinity
    private var lossyAt = -Double.infinity
    /// How much a measurement rose lately, at most.
    private var highest: (rise: Double, time: Double) = (0, -Double.infinity)

    /// Takes a tick.
    mutating func handle(_ input: Input, at time: Double, _ rules: ConditionRules) {
        if input.isLossy { lossyAt = time }
        // A queue that is always full holds as still as a longer path to those who measure once a second, but overflows.
        let isLossy = time - lossyAt < rules.steadyTime * 1000 || input.isMoving
        let verdicts = [
            meters.pair.handle(
                input.pair, jitter: input.jitter, isLossy: isLossy, isUnanswered: input.isUnanswered,
                at: time, rules),
            meters.media.handle(
                input.media, jitter: input.jitter, isLossy: isLossy, isUnanswered: input.isUnanswered,
                at: time, rules),
            meters.leg.handle(
                input.leg, jitter: input.jitter, isLossy: isLossy, isUnanswered: input.isUnanswered,
                at: time, rules),
        ]
        if verdicts.contains(.longerPath) {
            let begin = time - rules.steadyTime * 1000
            meters.pair.forget(before: begin)
            meters.media.forget(before: begin)
            meters.leg.forget(before: begin)
        }
        rise = [meters.pair.excess, meters.media.excess, meters.leg.excess].compactMap(\.self).max()
        let rises = verdicts.compactMap(\.rise)
        note(rises, at: time, rules)
        refutation =
            if verdicts.contains(.longerPath) {
                .longerPath
            } else if input.isFree, !rises.isEmpty {
                .otherDirection
            } else if !input.isHeldUp, isJitter(input.jitter, at: time, rules) {
                .jitter
            } else {
                nil
            }
        let risen = refutation != nil ? 0 : rises.count
        risesNow = risen > 0
        isDrained = risen == 0 && verdicts.contains(.flat)
        if refutation != nil || isDrained || time - measuredAt > rules.steadyTime * 1000 {
            isQueueing = false
            hasRisen = false
        }
        if risesNow {
            isQueueing = hasRisen || risen > 1
            hasRisen = true
        }
        if verdicts.contains(where: { $0 != .none }) {
            measuredAt = time
            history.append((time, risesNow))
        }
        weigh(input, at: time, rules)
    }

    /// Starts over on another path.
    mutating func restart() { self = QueueDelayDetector() }

    /// What the measurements of the last seconds say together.
    private mutating func weigh(_ input: Input, at time: Double, _ rules: ConditionRules) {
        if refutation != nil { history = history.map { ($0.time, false) } }
        history.removeAll { $0.time < time - rules.queueingMemory * 1000 }
        lossySince = input.isLossy ? lossySince ?? time : nil
        // Loss is believed a moment after it began, and a queue is there before it overflows.
        let begin = (lossySince ?? time) - rules.recentLossWindow * 1000
        let shares = history.filter { $0.time >= begin }
        let share = shares.isEmpty ? 0 : Double(shares.count { $0.hasRisen }) / Double(shares.count)
        isOverflowing = shares.count { $0.hasRisen } >= 2 && share >= rules.queueingMajority
        isSpared = shares.count >= Self.fewestMeasurements && share < Self.spared * rules.queueingMajority
        let recent = history.filter { $0.time >= time - 1.5 * rules.standingQueueTime * 1000 }
        let first = recent.first { $0.hasRisen }?.time ?? time
        isStanding =
            recent.count >= Self.fewestMeasurements && time - first >= rules.standingQueueTime * 1000
            && Double(recent.count { $0.hasRisen }) >= 0.75 * Double(recent.count)
    }

    /// Share of the majority below which a queue has nothing to do with it.
    private static let spared = 0.65
    /// Fewer measurements than this say nothing about what is usual.
    private static let fewestMeasurements = 3

    private mutating func note(_ rises: [Double], at time: Double, _ rules: ConditionRules) {
        if time - highest.time > rules.queueingMemory * 1000 { highest = (0, time) }
        if let rise = rises.max(), rise >= highest.rise { highest = (rise, time) }
    }

    /// Whether jitter that was measured since explains the whole rise: RTCP may report it seconds later.
    private func isJitter(_ jitter: Double?, at time: Double, _ rules: ConditionRules) -> Bool {
        highest.rise > 0 && jitter.map { highest.rise <= rules.queueingJitter * $0 } ?? false
    }
}

extension RoundTripBaseline.Verdict {
    fileprivate var rise: Double? {
        if case .risen(let rise) = self { rise } else { nil }
    }
}
