// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Finds out what both directions of a path carry: fills them for a moment, first a little and then up to a ceiling, and
/// measures what arrives.
///
/// A burst lasts until enough has arrived, two and a half seconds at most. Then nothing is sent until the far end's
/// counters have come: on a line that carries signaling as well, they come when it is no longer full, and no
/// earlier.
/// Pure: readings and time in, actions out.
package struct BandwidthTest: Sendable {
    /// What is to be done.
    package enum Action: Sendable, Equatable {
        /// Directions are filled with `bitrate` bps, the uplink for `seconds` at most, the downlink for `downlinkSeconds`; nothing is
        /// sent in the others.
        case fill([NetworkDirection], bitrate: Double, seconds: Double, downlinkSeconds: Double)
        /// Nothing is sent until the next load.
        case silence
        /// It is over: ``uplink`` and ``downlink`` have the outcome.
        case finish
    }

    private struct Burst {
        var load: Double
        var directions: [NetworkDirection]
        /// When it was asked for.
        var asked: Duration
        /// Until when the downlink is filled at least: the media router ends by itself, whenever its answer
        /// came.
        var downlinkEnd: Duration
        /// What arrives from then on counts.
        var start: Duration
        /// It ends then, whatever has arrived.
        var end: Duration
        /// Whether it looks again at what the first one did not show.
        var isSecondLook = false
        /// Whether the media router's answer came so late that the downlink may have been filled long before.
        var isLate = false
    }

    private enum Phase {
        case idle
        /// Nothing is sent until signaling gets through again.
        case settling(since: Duration)
        /// What was asked for is being begun, which takes as long as the media router's answer: a second and more where
        /// it is lost once.
        case beginning(Burst)
        case filling(Burst)
        case listening(Burst)
        case over
    }

    private let ceiling: Double
    /// Whether what was sent before is too much for the path, so that what the media router is asked for would come late.
    package var isPathFull = false
    /// Whether what was sent before has made a queue: then a first look is taken with little.
    ///
    /// What a line carries beside the test is lost in the share by which the test exceeds it, signaling among it: of a
    /// line of 120 kbps 88 % with the usual first load, which keeps TCP waiting long after the burst is over.
    package var isPathNarrow = false
    /// Whether what a direction carries settles the verdict, whatever the other one does.
    package var isDecisive: @Sendable (PreCallMeasurement.Bandwidth) -> Bool = { _ in false }
    /// No burst begins later that would only show how much more than the first load there is; `nil` for no limit.
    package var refinementEnd: Duration?
    private var phase = Phase.idle
    /// What the client cannot fill.
    private var excluded: [NetworkDirection] = []
    /// `nil` if it could not be measured.
    package private(set) var uplink: PreCallMeasurement.Bandwidth?
    /// `nil` if it could not be measured.
    package private(set) var downlink: PreCallMeasurement.Bandwidth?

    /// Measures up to `ceiling`, bps.
    package init(ceiling: Double) { self.ceiling = ceiling }

    /// The client has no way to fill a direction: it is not measured.
    package mutating func exclude(_ direction: NetworkDirection) { excluded.append(direction) }

    /// The media router was asked to fill the downlink, and has not answered in time: the burst is one of the uplink alone.
    package mutating func noteNoAnswer() {
        guard case .beginning(var burst) = phase else { return }
        burst.directions.removeAll { $0 == .downlink }
        phase = burst.directions.isEmpty ? .listening(burst) : .beginning(burst)
    }

    /// Time has passed.
    package mutating func tick(_ measurements: PathMeasurements, at now: Duration) -> [Action] {
        switch phase {
        case .idle:
            guard isPathFull else { return beginFilling(measurements, at: now) }
            phase = .settling(since: now)
            return [.silence]
        case .settling(let start):
            let isHeard = measurements.uplink.reaches(start)
            guard isHeard || now - start >= Self.countersTimeout else { return [] }
            guard takeFirstMedia(measurements, until: start, at: now) else {
                return beginFilling(measurements, at: now)
            }
            phase = .over
            return [.finish]
        case .beginning(let burst):
            begin(burst, roundTrip(measurements), at: now)
            return []
        case .filling(let burst): return continueFilling(burst, measurements, at: now)
        case .listening(let burst):
            let isHeard = measured(burst).allSatisfy { measurements[$0].reaches(countedEnd($0, burst)) }
            guard isHeard || now - burst.end >= Self.countersTimeout else { return [] }
            return end(burst, measurements, at: now)
        case .over: return []
        }
    }
}

extension BandwidthTest {
    /// The first load, bps: links that carry less are not hit with the full one.
    private static let firstLoad = 1_000_000.0
    /// Where the path is narrow, bps: twice what audio and the least video take.
    private static let narrowLoad = 300_000.0
    /// Less than this share of the load delivered: the path is full, and more would only do harm.
    private static let fullShare = 0.7
    /// More than this: it carries all that is asked for.
    private static let ampleShare = 0.9
    /// A measurement needs this many bits, of which one packet is a twentieth, and so much time.
    private static let neededBits = 200_000.0
    /// Of a small load what it sends in this time is enough, in seconds: its packets are smaller.
    private static let neededTime = 0.4
    private static let shortest: Duration = .milliseconds(400)
    /// An uplink with less than this, bps, may starve the downlink where it is full.
    private static let little = 60_000.0
    /// The share of media that is lost where they are more than a direction carries; hardly ever on a path that is not full.
    private static let overflowLoss = 0.25
    /// A downlink with less than this share of such an uplink's rate is looked at alone.
    private static let starvedShare = 0.8
    /// Until the load has come to the far end, beside round trips.
    private static let warmUp: Duration = .milliseconds(250)
    /// The most that a burst may take, and the most of it that may pass until it counts.
    private static let limit: Duration = .milliseconds(2_500)
    /// How long the uplink is filled unless someone ends it before: longer than a burst, for who ends it may not hear of that.
    ///
    /// The media router fills a downlink for no longer either, and refuses who asks for more.
    package static let fillingTime: Duration = .seconds(3)
    /// What the media router is asked to fill the downlink for, beside a round trip: what a line takes that is not narrow, nor long.
    ///
    /// It begins before its answer is here. While it is full nothing is heard of the uplink, for which the burst continues.
    private static let downlinkTime: Duration = .milliseconds(1_500)
    /// The same where the path is narrow, and as much takes longer.
    private static let longDownlinkTime: Duration = .milliseconds(2_250)
    private static let longestWarmUp: Duration = .seconds(2)
    /// How far back the first media are looked at.
    private static let firstMediaTime: Duration = .seconds(2)
    /// How long they have to show what a direction carries: of 30 kbps that is ten packets.
    private static let firstMediaShortest: Duration = .milliseconds(700)
    /// How long the far end's counters are waited for after a burst: lost words of signaling are sent again after ever
    /// longer times.
    private static let countersTimeout: Duration = .seconds(2)
    /// An answer later than this may have waited behind what it announces.
    private static let lateAnswer: Duration = .seconds(1)
    /// Long enough for two readings.
    private static let lastMoment: Duration = .milliseconds(600)
    /// What a downlink that is not filled may bring all the same, bps: connectivity checks and reports.
    private static let idleRate = 10_000.0

    private mutating func beginFilling(_ measurements: PathMeasurements, at now: Duration) -> [Action] {
        let load = ceiling > firstLoad * 1.5 ? firstLoad : ceiling
        return fill([.uplink, .downlink], load, measurements, at: now)
    }

    private var firstLoad: Double { isPathNarrow ? Self.narrowLoad : Self.firstLoad }

    /// Where the first media were too much for the path, they have shown what it carries: of a direction that cannot carry
    /// audio no more has to be known, and to fill it again would only take time.
    ///
    /// - Returns: Whether that settles the verdict.
    private mutating func takeFirstMedia(
        _ measurements: PathMeasurements, until end: Duration, at now: Duration
    ) -> Bool {
        guard let began = measurements.mediaBegan else { return false }
        let first = end - Self.firstMediaTime
        // The media router reports rarely before it has media: what it counted last may be from long before them.
        let begin = max(began + .seconds(measurements.leastRoundTripTime ?? 0), first)
        var isDecided = false
        for direction in [NetworkDirection.uplink, .downlink] where !excluded.contains(direction) {
            guard let found = overflow(direction, measurements, lostSince: first, since: begin, to: now)
            else { continue }
            take(found, direction)
            isDecided = true
        }
        return isDecided
    }

    /// What a direction shows to carry that loses much of what is sent; `nil` unless that settles the verdict, and more was sent than
    /// would settle it.
    private func overflow(
        _ direction: NetworkDirection, _ measurements: PathMeasurements, lostSince: Duration, since: Duration,
        to now: Duration
    ) -> PreCallMeasurement.Bandwidth? {
        guard let loss = measurements[direction].evidence(from: lostSince, to: now).loss.fraction,
            loss >= Self.overflowLoss,
            let rate = measurements.usualRate(
                direction, since: since, to: now, over: Self.firstMediaShortest)
        else { return nil }
        let found = PreCallMeasurement.Bandwidth(rate: rate, isAtLeast: false)
        let sent = PreCallMeasurement.Bandwidth(rate: rate / max(1 - loss, .ulpOfOne), isAtLeast: false)
        return isDecisive(found) && !isDecisive(sent) ? found : nil
    }

    /// Seconds are as long as a warm-up at most: an engine may invent more.
    private func roundTrip(_ measurements: PathMeasurements) -> Duration {
        min(.seconds(measurements.roundTripTime ?? 0), Self.longestWarmUp)
    }

    private mutating func fill(
        _ directions: [NetworkDirection], _ load: Double, isSecondLook: Bool = false,
        _ measurements: PathMeasurements, at now: Duration
    ) -> [Action] {
        let time = downlinkFilling(with: load, roundTrip(measurements))
        let downlinkEnd = now + time
        let burst = Burst(
            load: load, directions: directions, asked: now, downlinkEnd: downlinkEnd, start: now, end: now,
            isSecondLook: isSecondLook)
        phase = .beginning(burst)
        return [
            .fill(
                directions, bitrate: load, seconds: Self.fillingTime.seconds, downlinkSeconds: time.seconds)
        ]
    }

    /// How long the downlink is filled: also on a long path until what arrives has counted for long enough.
    private func downlinkFilling(with load: Double, _ roundTrip: Duration) -> Duration {
        let least = load <= Self.narrowLoad ? Self.longDownlinkTime : Self.downlinkTime
        let counted = Self.countingDelay(roundTrip) + Self.shortest * 2
        return min(roundTrip + max(least, counted), Self.fillingTime)
    }

    /// Until the load has come to the far end, from the media router's answer on.
    private static func countingDelay(_ roundTrip: Duration) -> Duration {
        min(warmUp + roundTrip * 2, longestWarmUp)
    }

    private mutating func begin(_ burst: Burst, _ roundTrip: Duration, at now: Duration) {
        var burst = burst
        burst.isLate = now - burst.asked >= Self.lateAnswer
        burst.start = now + Self.countingDelay(roundTrip)
        burst.end = now + Self.limit
        phase = .filling(burst)
    }

    /// What of a burst can be measured: not a downlink whose load is over before it counts.
    private func measured(_ burst: Burst) -> [NetworkDirection] {
        burst.directions.filter { direction in
            let isOver = direction == .downlink && burst.downlinkEnd - burst.start < Self.shortest
            return !isOver && !excluded.contains(direction)
        }
    }

    /// Until when what arrives counts: what comes back of the test's own stream is no load.
    private func countedEnd(_ direction: NetworkDirection, _ burst: Burst) -> Duration {
        direction == .downlink ? min(burst.end, burst.downlinkEnd) : burst.end
    }

    private mutating func continueFilling(
        _ burst: Burst, _ measurements: PathMeasurements, at now: Duration
    ) -> [Action] {
        guard now < burst.end else {
            phase = .listening(burst)
            return [.silence]
        }
        let time = now - burst.start
        let needed = min(Self.neededBits, burst.load * Self.neededTime)
        let isEnough = measured(burst).allSatisfy { direction in
            let end = min(now, countedEnd(direction, burst))
            let time = end - burst.start
            let rate = measurements.rate(direction, from: burst.start, to: end)
            return rate.map { time >= Self.shortest && $0 * time.seconds >= needed } ?? false
        }
        guard isEnough, time > .zero else { return [] }
        var burst = burst
        burst.end = now
        return end(burst, measurements, at: now)
    }

    /// Takes what a burst has shown, and begins the next one if it would show more.
    private mutating func end(
        _ burst: Burst, _ measurements: PathMeasurements, at now: Duration
    ) -> [Action] {
        let mayRefine =
            !burst.isSecondLook && burst.load < ceiling && refinementEnd.map { now < $0 } ?? true
        // What would be looked at with more load, and is not, is not known to be all that there is.
        let ample = mayRefine || burst.load >= ceiling ? Self.ampleShare : Self.fullShare
        take(burst, measurements, ample: ample)
        if isDecided {
            phase = .over
            return [.finish]
        }
        let open = measured(burst).filter { self[$0]?.rate ?? 0 >= burst.load * Self.fullShare }
        if mayRefine, !open.isEmpty {
            // What has carried little need not carry all that there may be.
            let next = burst.load < Self.firstLoad ? min(Self.firstLoad, ceiling) : ceiling
            return fill(open, next, measurements, at: now)
        }
        let unclear = directionsToLookAtAgain
        if !burst.isSecondLook, !unclear.isEmpty {
            return fill(
                unclear, min(firstLoad, ceiling), isSecondLook: true, measurements, at: now)
        }
        phase = .over
        return [.finish]
    }

    private mutating func take(_ burst: Burst, _ measurements: PathMeasurements, ample: Double) {
        for direction in measured(burst) where !isDoubtful(direction, burst, measurements) {
            let end = countedEnd(direction, burst)
            guard let rate = measurements.rate(direction, from: burst.start, to: end) else { continue }
            take(.init(rate: rate, isAtLeast: rate >= burst.load * ample), direction)
        }
    }

    /// There is no more time: what a burst has shown so far counts, if that is long enough to say anything, and of other directions
    /// what is lost of all that was sent of late.
    package mutating func giveUp(_ measurements: PathMeasurements, at now: Duration) {
        defer { phase = .over }
        switch phase {
        case .filling(var burst), .listening(var burst):
            burst.end = min(burst.end, now)
            if burst.end - burst.start >= Self.shortest {
                take(burst, measurements, ample: Self.ampleShare)
            }
        case .settling, .beginning: break
        case .idle, .over: return
        }
        // A router whose answer was lost may have filled the downlink all the same.
        let late = now - Self.fillingTime
        for direction in [NetworkDirection.uplink, .downlink]
        where self[direction] == nil && !excluded.contains(direction) {
            let found = overflow(direction, measurements, lostSince: late, since: late, to: now)
            if let found { take(found, direction) }
        }
    }

    /// Whether one direction settles the verdict.
    ///
    /// A downlink that may only be starved is looked at again all the same, or it would be blamed as well; and
    /// nothing is decided before the uplink is known that may have starved it.
    private var isDecided: Bool {
        guard uplink != nil || excluded.contains(.uplink) else { return false }
        guard [uplink, downlink].compactMap(\.self).contains(where: isDecisive) else { return false }
        return downlink == nil || !Self.isStarved(downlink: downlink, uplink: uplink)
    }

    /// Whether the downlink was perhaps not filled any more: the media router begins when it is asked and ends by itself, and its
    /// answer came late.
    private func isDoubtful(
        _ direction: NetworkDirection, _ burst: Burst, _ measurements: PathMeasurements
    ) -> Bool {
        guard direction == .downlink, burst.isLate else { return false }
        let end = countedEnd(direction, burst)
        let last = measurements.rate(.downlink, from: end - Self.lastMoment, to: end)
        return last ?? 0 < Self.idleRate
    }

    private var directionsToLookAtAgain: [NetworkDirection] {
        if Self.isStarved(downlink: downlink, uplink: uplink) { return [.downlink] }
        return [NetworkDirection.uplink, .downlink].filter {
            !excluded.contains($0) && self[$0] == nil
        }
    }

    private mutating func take(
        _ found: PreCallMeasurement.Bandwidth, _ direction: NetworkDirection
    ) {
        var bandwidth = found
        // A direction carries what it did before, at least: a later burst that shows much less has gone wrong.
        if let shown = self[direction], shown.rate > found.rate {
            guard found.rate >= shown.rate * Self.ampleShare else { return }
            bandwidth.rate = shown.rate
        }
        if direction == .uplink { uplink = bandwidth } else { downlink = bandwidth }
    }

    private subscript(direction: NetworkDirection) -> PreCallMeasurement.Bandwidth? {
        direction == .uplink ? uplink : downlink
    }

    /// Whether a downlink may have been narrow only because the uplink was full: one as narrow as that loses
    /// nearly all the answers by which the media router knows that someone is there to send to.
    static func isStarved(
        downlink: PreCallMeasurement.Bandwidth?, uplink: PreCallMeasurement.Bandwidth?
    ) -> Bool {
        let rate = uplink?.rate ?? 0
        return rate < little && downlink?.rate ?? 0 < rate * starvedShare
    }
}

extension PathMeasurements {
    /// What the far end has heard of a direction.
    fileprivate subscript(direction: NetworkDirection) -> PathHistory {
        direction == .uplink ? uplink : downlink
    }

    fileprivate func rate(_ direction: NetworkDirection, from start: Duration, to end: Duration) -> Double? {
        direction == .uplink ? uplinkRate(from: start, to: end) : downlinkRate(from: start, to: end)
    }

    /// What usually arrived in a part of the time; nothing had when that began.
    fileprivate func usualRate(
        _ direction: NetworkDirection, since start: Duration, to end: Duration, over least: Duration
    ) -> Double? {
        let feedback = direction == .uplink ? uplinkFeedback : downlinkFeedback
        return self[direction].usualWireRate(since: start, to: end, over: least).map {
            $0 + (feedback.wireRate(from: start, to: end) ?? 0)
        }
    }
}
