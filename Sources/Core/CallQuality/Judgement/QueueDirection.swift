// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// Tells in which direction a risen round trip time queues.
///
/// A round trip time has no direction; media have one. A queue makes those that wait in it jitter, get lost, or come
/// later than they were sent, and congestion control lower its estimate of the uplink. Where only one direction shows
/// any of it, the queue is there, and the round trip time says nothing of the other. Where neither does, another peer
/// connection of the same client may.
struct QueueDirection: Sendable {
    /// What a tick says.
    struct Input: Sendable {
        /// Round trip times newly measured, in seconds.
        var pairRoundTripTime: Double?
        var mediaRoundTripTime: Double?
        var uplink: Media
        var downlink: Media
        /// What congestion control estimates of the uplink, in bps; `nil` if unknown.
        var estimate: Double?
        /// The same by the leg's sender.
        var legRoundTripTime: Double?
        /// What packets have shown a media router of their path since the last tick, oldest first, and in which direction.
        var pathSeconds: [PathSecond] = []
        var timed = NetworkDirection.uplink
        /// Where other peer connections of the client show a queue; `nil` if none does.
        var elsewhere: NetworkDirection?
    }

    /// What the media of a direction say in a tick.
    struct Media: Sendable {
        /// Jitter, in seconds; `nil` without a new figure.
        var audioJitter: Double?
        var videoJitter: Double?
        /// How long the packets of each stream take, in seconds, but for a constant of each that is not known.
        var transits: [UInt64: Double] = [:]
        var loss: [LossSample] = []
    }

    /// Where it queues; `nil` while nothing queues, or neither or both directions show it.
    private(set) var direction: NetworkDirection?
    /// Where this connection's own media showed it within the last seconds, for others of the client.
    private(set) var shown: NetworkDirection?
    /// Whether the packets that a media router times pass freely while round trip times rise.
    var isFree: Bool { free.isShown }

    /// The same by them alone, for as long as the round trip time has not been back.
    private var own: NetworkDirection?
    private var shownAt = -Double.infinity
    /// How long what was shown counts for others, in ms, and two reports at least.
    private static let memory = 5_000.0

    /// Whether the newest round trip time has no queue in it.
    private var isCalm = true
    private var roundTrips = (pair: RoundTripBaseline(), media: RoundTripBaseline(), leg: RoundTripBaseline())
    private var uplink = Evidence()
    private var downlink = Evidence()
    private var free = FreePath()
    private var highest: (estimate: Double, time: Double)?

    /// Takes a tick.
    mutating func handle(_ input: Input, _ tick: Tick, _ rules: ConditionRules) {
        defer {
            let memory = max(Self.memory, 2000 * (tick.interval ?? 0))
            shown = tick.time - shownAt <= memory ? own : nil
        }
        uplink.handle(input.uplink, isCalm: isCalm, at: tick.time, rules)
        downlink.handle(input.downlink, isCalm: isCalm, at: tick.time, rules)
        if hasBackedOff(input.estimate, at: tick.time, rules) { uplink.seenAt = tick.time }
        // A queue that is always full holds as still as a longer path, but overflows.
        let lossyAt = max(uplink.lossyAt, downlink.lossyAt)
        let isLossy = tick.time - lossyAt <= (rules.steadyTime + rules.sparseReportInterval) * 1000
        let verdicts = [
            roundTrips.pair.handle(
                input.pairRoundTripTime, jitter: nil, isLossy: isLossy, at: tick.time, rules),
            roundTrips.media.handle(
                input.mediaRoundTripTime, jitter: nil, isLossy: isLossy, at: tick.time, rules),
        ]
        let leg = roundTrips.leg.handle(
            input.legRoundTripTime, jitter: nil, isLossy: isLossy, at: tick.time, rules)
        free.handle(
            input.pathSeconds, isRisen: leg.isRisen || verdicts.contains(where: \.isRisen), at: tick.time)
        // Media come more often than round trips are measured.
        let isRisen = verdicts.contains(where: \.isRisen) || !isCalm && verdicts.allSatisfy { $0 == .none }
        guard isRisen else {
            if verdicts.contains(.longerPath) { downlink.forgetTransits() }
            if verdicts.contains(.flat) || verdicts.contains(.longerPath) {
                (own, direction) = (nil, nil)
                isCalm = true
            }
            return
        }
        isCalm = false
        // What is received shows at once; what is sent, when the far end reports it.
        let slack = (tick.interval ?? 1) / 2 + 2
        switch (
            uplink.isFresh(at: tick.time, slack + rules.sparseReportInterval) && !isFree(input, .uplink),
            downlink.isFresh(at: tick.time, slack) && !isFree(input, .downlink)
        ) {
        case (true, false): (own, shownAt) = (.uplink, tick.time)
        case (false, true): (own, shownAt) = (.downlink, tick.time)
        case (true, true):
            (own, direction) = (nil, nil)
            return
        case (false, false): break
        }
        direction = own ?? input.elsewhere
    }

    private func isFree(_ input: Input, _ direction: NetworkDirection) -> Bool {
        isFree && input.timed == direction
    }

    private mutating func hasBackedOff(_ estimate: Double?, at time: Double, _ rules: ConditionRules) -> Bool
    {
        guard let estimate else { return false }
        guard let highest, estimate < highest.estimate, time - highest.time <= rules.queueingMemory * 1000
        else {
            self.highest = (estimate, time)
            return false
        }
        return estimate < highest.estimate * rules.decreaseRatio
    }
}

/// What one direction's media show of a queue.
private struct Evidence: Sendable {
    /// When they last did, in Unix ms.
    var seenAt = -Double.infinity
    private(set) var lossyAt = -Double.infinity
    private var jitter = (audio: RunningUsual(), video: RunningUsual())
    private var transits: [UInt64: RunningLeast] = [:]
    /// Streams whose times are followed.
    private static let most = 64

    /// Jitter above this many times what is usual, and by this many seconds, came with the queue: a radio has much
    /// of its own.
    private static let jitterFactor = 1.5
    private static let jitterRise = 0.004

    mutating func handle(
        _ media: QueueDirection.Media, isCalm: Bool, at time: Double, _ rules: ConditionRules
    ) {
        let window = rules.minimumRoundTripTime * 1000
        let isJittery = [(media.audioJitter, jitter.audio.usual), (media.videoJitter, jitter.video.usual)]
            .contains { value, usual in
                guard let value, let usual else { return false }
                return value >= Self.jitterFactor * usual + Self.jitterRise
            }
        if isCalm {
            jitter.audio.handle(media.audioJitter, at: time, window)
            jitter.video.handle(media.videoJitter, at: time, window)
        }
        let isLate = lateness(media.transits, at: time, window) ?? 0 >= rules.queueingTime
        let isLossy = media.loss.contains {
            $0.lost >= 2 && Double($0.lost) >= rules.loss.good * Double($0.expected)
        }
        if isLossy { lossyAt = time }
        if isJittery || isLate || isLossy { seenAt = time }
    }

    /// How much later than they might reports come, in seconds: the least of all streams; `nil` without any.
    private mutating func lateness(
        _ new: [UInt64: Double], at time: Double, _ window: Double
    ) -> Double? {
        if transits.count > Self.most { transits = [:] }
        return new.map { key, transit in
            transit - (transits[key, default: RunningLeast()].handle(transit, at: time, window) ?? transit)
        }.min()
    }

    /// Forgets how long packets take: the path, or a clock, is another one.
    mutating func forgetTransits() { transits = [:] }

    /// Whether they did so within that many seconds.
    func isFresh(at time: Double, _ seconds: Double) -> Bool { time - seenAt <= seconds * 1000 }
}

/// What a figure is at most, most of the time.
private struct RunningUsual: Sendable {
    private var samples: [(time: Double, value: Double)] = []
    private var sorted: [Double] = []
    /// What nine of ten were below; `nil` while there is none.
    var usual: Double? { sorted.isEmpty ? nil : sorted[sorted.count * 9 / 10] }

    mutating func handle(_ value: Double?, at time: Double, _ window: Double) {
        guard let value, !value.isNaN else { return }
        let old = samples.prefix { $0.time < time - window }
        for sample in old { sorted.remove(at: place(of: sample.value)) }
        samples.removeFirst(old.count)
        samples.append((time, value))
        sorted.insert(value, at: place(of: value))
    }

    /// Where the first is that is not below a value.
    private func place(of value: Double) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The least of a figure within a window.
private struct RunningLeast: Sendable {
    /// Those that may become the least, in order of time and of value.
    private var samples: [(time: Double, value: Double)] = []

    /// Takes a value, and returns the least; `nil` while there is none.
    mutating func handle(_ value: Double?, at time: Double, _ window: Double) -> Double? {
        samples.removeAll { $0.time < time - window }
        if let value {
            while let last = samples.last, last.value >= value { samples.removeLast() }
            samples.append((time, value))
        }
        return samples.first?.value
    }
}

extension RoundTripBaseline.Verdict {
    fileprivate var isRisen: Bool { if case .risen = self { true } else { false } }
}
