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
    }

    /// Whether there is a queue.
    private(set) var isQueueing = false
    /// Whether the newest measurement rose: a queue, if something else speaks for one too.
    private(set) var hasRisen = false
    /// Whether a measurement of this tick rose.
    private(set) var risesNow = false
    /// Whether the measurements of this tick showed that there is no queue.
    private(set) var isDrained = false
    /// Whether this tick showed that what rose is a longer path, or one that jitters.
    private(set) var isRefuted = false

    private var meters = (pair: RoundTripBaseline(), media: RoundTripBaseline(), leg: RoundTripBaseline())
    private var measuredAt = -Double.infinity
    private var lossyAt = -Double.infinity
    /// How much a measurement rose lately, at most.
    private var highest: (rise: Double, time: Double) = (0, -Double.infinity)

    /// Takes a tick.
    mutating func handle(_ input: Input, at time: Double, _ rules: ConditionRules) {
        if input.isLossy { lossyAt = time }
        let isLossy = time - lossyAt < rules.steadyTime * 1000
        let verdicts = [
            meters.pair.handle(input.pair, jitter: input.jitter, isLossy: isLossy, at: time, rules),
            meters.media.handle(input.media, jitter: input.jitter, isLossy: isLossy, at: time, rules),
            meters.leg.handle(input.leg, jitter: input.jitter, isLossy: isLossy, at: time, rules),
        ]
        if verdicts.contains(.longerPath) {
            let begin = time - rules.steadyTime * 1000
            meters.pair.forget(before: begin)
            meters.media.forget(before: begin)
            meters.leg.forget(before: begin)
        }
        let rises = verdicts.compactMap(\.rise)
        note(rises, at: time, rules)
        isRefuted = verdicts.contains(.longerPath) || isJitter(input.jitter, at: time, rules)
        let risen = isRefuted ? 0 : rises.count
        risesNow = risen > 0
        isDrained = risen == 0 && verdicts.contains(.flat)
        if isRefuted || isDrained || time - measuredAt > rules.steadyTime * 1000 {
            isQueueing = false
            hasRisen = false
        }
        if risesNow {
            isQueueing = hasRisen || risen > 1
            hasRisen = true
        }
        if verdicts.contains(where: { $0 != .none }) { measuredAt = time }
    }

    /// Starts over on another path.
    mutating func restart() { self = QueueDelayDetector() }

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
