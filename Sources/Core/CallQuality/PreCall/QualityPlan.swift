// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The course of a pre-call test once media flow: what is sent and received when, when enough is known, and what that is.
///
/// Whoever makes the test reads the connections every ``tickInterval``, hands over what they say, and does what
/// ``tick(at:)`` returns, in its order.
/// Pure: readings and time in, actions out.
package struct QualityPlan: Sendable {
    /// What is to be done; the next tick waits until it is.
    ///
    /// As JSON an object whose one member is the name, and has what belongs to it as members.
    package enum Action: Sendable, Equatable, Codable {
        /// A step begins.
        case begin(step: PreCallStep)
        /// Directions are filled with `bitrate` bps, the uplink for `seconds` at most, the downlink for `downlinkSeconds`, or as long
        /// if that is `nil`; nothing is sent in the others.
        case fill(
            directions: [NetworkDirection], bitrate: Double, seconds: Double, downlinkSeconds: Double?)
        /// Nothing is sent until the next action but ``sample(sample:done:)``.
        case silence
        /// Media are sent again, by congestion control, which begins with `start` bps for everything; video gets
        /// `maximumVideo` bps at most.
        case release(start: Double, maximumVideo: Double)
        /// How many frames a second are sent.
        case setFrameRate(rate: FrameRate)
        /// The stream is received again: the old receiver has grown its buffers for the congested network, and would be
        /// slow to make them short again.
        case renewSubscription
        /// Audio is sent alone, on connections that know nothing of what was lost while the network was filled: to send
        /// all that again takes a narrow one longer than the test has time for.
        case renewStreamWithoutVideo
        /// Video stops.
        case stopVideo
        /// Something was measured; so much of the plan is done, 0 to 1 or more.
        case sample(sample: PreCallSample, done: Double)
        /// It is over.
        case finish
    }

    /// Frames of the test's video.
    package enum FrameRate: String, Sendable, Equatable, Codable {
        /// While the network is filled: padding costs the device less than frames.
        case few
        /// As configured.
        case normal
        /// More than that: each packet makes a loss surer.
        case many
    }

    private enum Phase {
        case beginning
        case filling
        /// Queues drain; since when is not known before the connections are there.
        case calming(since: Duration?, isAudioOnly: Bool)
        case measuring(since: Duration, isAudioOnly: Bool)
        case over
    }

    /// How often everything is read.
    package static let tickInterval: Duration = .milliseconds(100)
    private static let sampleInterval: Duration = .milliseconds(500)
    /// Time for the queues to drain after saturation, in addition to a round trip.
    private static let calm: Duration = .milliseconds(600)
    /// The most that is waited for it.
    private static let longestCalm: Duration = .seconds(4)
    /// The most that the test's video is sent with, bps: the more packets, the surer the loss.
    private static let largestVideo = 4_000_000.0
    /// What new connections take beside their round trips, and how many those are.
    private static let renewal: (time: Duration, roundTrips: Int) = (.seconds(1), 9)
    /// What another burst takes beside its round trips, and how many those are.
    private static let refinement: (time: Duration, roundTrips: Int) = (.milliseconds(1_500), 2)
    /// How long a page waits until it asks again, and how often it does from a renewal to the end.
    private static let asking: (interval: Duration, count: Int) = (.milliseconds(250), 3)
    /// Shorter, audio alone says less than what was heard beside the video.
    private static let shortestAlone: Duration = .seconds(1)

    private let rules: PreCallRules
    private let testBegan: Duration
    /// Whether a page asks for each tick.
    private let isAsked: Bool
    /// Of bandwidth and quality together, seconds.
    private let duration: Double
    private let begin: Duration
    /// When it ends, whatever is known by then.
    private let due: Duration
    private var phase = Phase.beginning
    private var bandwidth: BandwidthTest
    private var lastSample = Duration.zero
    private var sendsMany = false

    /// What has been read.
    package var measurements: PathMeasurements
    /// What is known; `nil` before anything is.
    package private(set) var measurement: PreCallMeasurement?
    /// What was measured on the way.
    package private(set) var samples: [PreCallSample] = []
    /// Whether the verdict was settled before the time was up.
    package private(set) var endedEarly = false
    /// Whether the client cannot fill the uplink, so that media alone show what it carries.
    package private(set) var uplinkIsNotFilled = false

    /// A plan that begins now, of a test that began before.
    ///
    /// - Parameters:
    ///   - isPathFull: Whether what is sent already is too much for the path.
    ///   - measurements: What has been read already.
    ///   - isAsked: Whether a page asks for each tick, which takes a round trip more.
    package init(
        rules: PreCallRules, testBegan: Duration, at now: Duration, isPathFull: Bool = false,
        measurements: PathMeasurements = .init(), isAsked: Bool = false
    ) {
        self.rules = rules
        self.testBegan = testBegan
        self.isAsked = isAsked
        duration = PreCallDeadlines.duration(rules)
        begin = now
        due = PreCallDeadlines(rules, begin: testBegan).measurement
        bandwidth = BandwidthTest(ceiling: rules.bandwidthCeiling)
        bandwidth.isPathFull = isPathFull
        self.measurements = measurements
        bandwidth.isDecisive = { $0.leavesNoRoom(for: .audio, rules) }
    }

    /// Whether enough has been measured for a verdict, however unsure.
    package var knowsVerdict: Bool { measurement?.judgement(rules).isKnown ?? false }

    /// The client cannot do what ``Action/fill(directions:bitrate:seconds:downlinkSeconds:)`` asks of it.
    package mutating func leaveUplinkUnfilled() {
        guard !uplinkIsNotFilled else { return }
        uplinkIsNotFilled = true
        bandwidth.exclude(.uplink)
    }

    /// The media router has not answered in time that it fills the downlink: what the test does continues without.
    package mutating func noteNoAnswer() { bandwidth.noteNoAnswer() }

    /// Time has passed, and everything has been read.
    package mutating func tick(at now: Duration) -> [Action] {
        if now >= due { return end(at: now) }
        switch phase {
        case .beginning:
            phase = .filling
            bandwidth.isPathNarrow = measurements.isQueued
            return [.begin(step: .bandwidth), .setFrameRate(rate: .few)] + fill(at: now)
        case .filling: return fill(at: now)
        case .calming(let since, let isAudioOnly):
            calm(since ?? now, isAudioOnly, at: now)
            return []
        case .measuring(let since, let isAudioOnly): return measure(since, isAudioOnly, at: now)
        case .over: return []
        }
    }
}

// MARK: - Its parts

extension QualityPlan {
    private mutating func fill(at now: Duration) -> [Action] {
        var actions = sample(at: now, step: .bandwidth, done: doneByTime(at: now))
        bandwidth.refinementEnd = due - measuringTime - time(of: Self.refinement)
        for action in bandwidth.tick(measurements, at: now) {
            switch action {
            case .fill(let directions, let bitrate, let seconds, let downlinkSeconds):
                actions.append(
                    .fill(
                        directions: directions, bitrate: bitrate, seconds: seconds,
                        downlinkSeconds: downlinkSeconds))
            case .silence: actions.append(.silence)
            case .finish: actions += endFilling(at: now)
            }
        }
        return actions
    }

    /// Continues with what the bandwidth leaves room for.
    private mutating func endFilling(at now: Duration) -> [Action] {
        let found = bandwidthFound
        measurement = found
        // Nothing would be left to find out, and media would only be in the way of leaving the session.
        if found.leavesNoRoom(for: .audio, rules) { return [.silence] + finish(early: true) }
        let isAudioOnly = found.leavesNoRoom(for: .video, rules)
        phase = .calming(since: nil, isAudioOnly: isAudioOnly)
        let step: PreCallStep = isAudioOnly ? .audioOnly : .quality
        return [release(found, isAudioOnly: isAudioOnly), .setFrameRate(rate: .normal), .begin(step: step)]
            + renew(isAudioOnly: isAudioOnly, at: now)
    }

    private var bandwidthFound: PreCallMeasurement {
        var found = PreCallMeasurement()
        (found.uplink, found.downlink) = (bandwidth.uplink, bandwidth.downlink)
        return found
    }

    private func time(of work: (time: Duration, roundTrips: Int)) -> Duration {
        work.time + roundTrip * work.roundTrips
    }

    /// Without the queue that filling makes.
    private var roundTrip: Duration { .seconds(measurements.leastRoundTripTime ?? 0) }

    /// What calm and a measurement take that says something of the loss.
    private var measuringTime: Duration {
        let asking = (Self.asking.interval + roundTrip) * Self.asking.count
        return Self.calm + .seconds(PassRule.least) + (isAsked ? asking : .zero)
    }

    /// Makes the connections again that have suffered from being filled, if that leaves time to measure on them;
    /// those that are there have to do otherwise.
    private mutating func renew(isAudioOnly: Bool, at now: Duration) -> [Action] {
        let hasTime = due - now >= time(of: Self.renewal) + measuringTime
        if isAudioOnly {
            guard hasTime else { return [.stopVideo] }
            measurements.renew()
            return [.renewStreamWithoutVideo]
        }
        guard hasTime else { return [] }
        measurements.renewSubscriber()
        return [.renewSubscription]
    }

    /// What is sent from now on fits what both directions carry.
    private func release(_ found: PreCallMeasurement, isAudioOnly: Bool) -> Action {
        let rates = [found.uplink, found.downlink].compactMap { $0?.rate }
        let room = rates.map { PreCallJudge.room(for: .video, in: $0) }.min() ?? Self.largestVideo
        // Never less than the limit, or the test itself would be the reason for failing it.
        let video = max(rules.videoBitrate * 1.2, min(Self.largestVideo, room * 0.85))
        return .release(
            start: (isAudioOnly ? 0 : video * 1.1) + PreCallJudge.audioRate + PreCallJudge.audioHeaders,
            maximumVideo: video)
    }

    /// Drains the queues: what was lost under saturation is sent again, and what is lost in that congestion
    /// would be taken for the network's loss.
    private mutating func calm(_ since: Duration, _ isAudioOnly: Bool, at now: Duration) {
        phase = .calming(since: since, isAudioOnly: isAudioOnly)
        guard now - since >= Self.calm + .seconds(measurements.roundTripTime ?? 0) else { return }
        guard now - since >= Self.longestCalm || !measurements.isCongested(at: now) else { return }
        phase = .measuring(since: now, isAudioOnly: isAudioOnly)
    }

    private mutating func measure(_ start: Duration, _ isAudioOnly: Bool, at now: Duration) -> [Action] {
        let judgement = note(from: start, to: now, isAudioOnly: isAudioOnly)
        // Media are measured for a moment even if the stages before have used all the time.
        let end = max(begin + .seconds(duration), start + .seconds(PassRule.least))
        let left = min(end, due) - now
        let measured = (now - start).seconds
        let decision = PassRule.decide(
            judgement, isAudioOnly: isAudioOnly, measured: measured, left: left.seconds, rules: rules)
        switch decision {
        case .finish(let early): return finish(early: early)
        case .measureAudioAlone where due - now < Self.calm + Self.shortestAlone: return finish(early: false)
        case .measureAudioAlone:
            phase = .calming(since: nil, isAudioOnly: true)
            return [.begin(step: .audioOnly), .stopVideo]
        case .goOn:
            let step: PreCallStep = isAudioOnly ? .audioOnly : .quality
            let actions = sample(at: now, step: step, done: done(judgement, at: now))
            guard !isAudioOnly, !sendsMany,
                PassRule.wantsMorePackets(judgement, measured: measured, rules: rules)
            else { return actions }
            sendsMany = true
            return actions + [.setFrameRate(rate: .many)]
        }
    }

    /// Keeps what is known, in case that the test is stopped.
    private mutating func note(
        from start: Duration, to end: Duration, isAudioOnly: Bool
    ) -> PreCallJudge.Judgement {
        var found = measurement ?? PreCallMeasurement()
        var pass = measurements.pass(from: start, to: end, isAudioOnly: isAudioOnly)
        pass.evidence.uplink.bandwidth = found.uplink?.rate
        pass.evidence.downlink.bandwidth = found.downlink?.rate
        if isAudioOnly { found.audioOnly = pass } else { found.audioVideo = pass }
        measurement = found
        return found.judgement(rules)
    }

    /// There is no time left: what is known has to do.
    package mutating func end(at now: Duration) -> [Action] {
        var isOutOfTime = true
        switch phase {
        case .over: return []
        case .beginning: break
        // What kept it waiting is no lack of time; but nothing comes while connections are made again.
        case .calming(let since, _): isOutOfTime = since == nil || !measurements.isCongested(at: now)
        case .filling:
            bandwidth.giveUp(measurements, at: now)
            let found = bandwidthFound
            if found.uplink != nil || found.downlink != nil { measurement = found }
        case .measuring(let start, let isAudioOnly):
            _ = note(from: start, to: now, isAudioOnly: isAudioOnly)
            let isTooShort = isAudioOnly && now - start < Self.shortestAlone
            if isTooShort, measurement?.audioVideo != nil { measurement?.audioOnly = nil }
        }
        measurement?.isOutOfTime = isOutOfTime
        // What fills the network would be in the way of leaving the session.
        return [.silence] + finish(early: false)
    }

    private mutating func finish(early: Bool) -> [Action] {
        endedEarly = early
        phase = .over
        return [.finish]
    }

    // MARK: - Progress

    /// Tells of what was just measured, twice a second.
    private mutating func sample(at now: Duration, step: PreCallStep, done: Double) -> [Action] {
        guard now - lastSample >= Self.sampleInterval else { return [] }
        let before = now - Self.sampleInterval - Self.tickInterval
        var sample = PreCallSample(time: ((now - testBegan).seconds * 100_000).rounded() / 100, step: step)
        sample.uplinkBitrate = measurements.uplinkRate(from: before, to: now)
        sample.downlinkBitrate = measurements.downlinkRate(from: before, to: now)
        sample.uplinkLoss = measurements.uplink.evidence(from: before, to: now).loss.fraction
        sample.downlinkLoss = measurements.downlink.evidence(from: before, to: now).loss.fraction
        sample.roundTripTime = measurements.roundTripTime
        lastSample = now
        samples.append(sample)
        return [.sample(sample: sample, done: done)]
    }

    /// How much of the time is used, 0 to 1 or more.
    private func doneByTime(at now: Duration) -> Double { (now - begin).seconds / duration }

    /// How much is done: by time, or by how sure the verdict is.
    private func done(_ judgement: PreCallJudge.Judgement, at now: Duration) -> Double {
        max(doneByTime(at: now), (judgement.certainty - 0.5) / max(0.01, rules.confidence - 0.5) * 0.9)
    }
}
