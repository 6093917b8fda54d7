// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import SessionWire

/// Measures what the path carries and how audio and video fare on it.
struct QualityStage: Sendable {
    let run: NetworkTestRun
    let session: Session
    var media: NetworkTestMedia
    var measurements = PathMeasurements()
    private var lastSample = Duration.zero
    private let begin: Duration

    static let tickInterval: Duration = .milliseconds(100)
    private static let sampleInterval: Duration = .milliseconds(500)
    /// Time for the queues to drain after saturation, in addition to a round trip.
    private static let calm: Duration = .milliseconds(600)
    /// The most that is waited for it.
    private static let longestCalm: Duration = .seconds(4)
    private static let isOver = SightlineError(.mediaLost, "the test stream is over before the test is")
    private static let isGone = SightlineError(
        .connectionLost, "the connection to the server was lost in the middle of the test")
    private static let isUnknown = SightlineError(.timeout, "it could not be found out in time what arrived")
    /// The most that the test's video is sent with, bps: the more packets, the surer the loss.
    private static let largestVideo = 4_000_000.0
    /// Frames a second where more packets are wanted.
    private static let denseFrameRate = 60.0

    init(run: NetworkTestRun, session: Session, media: NetworkTestMedia) {
        self.run = run
        self.session = session
        self.media = media
        begin = run.clock.now()
    }

    var clock: SessionClock { run.clock }
    var rules: PreCallRules { run.configuration.rules }

    /// - Throws: What ended the stage before its time.
    func perform() async throws {
        var stage = self
        try await stage.measure()
        guard run.knowsVerdict else { throw Self.isUnknown }
    }

    private mutating func measure() async throws {
        let deadline = begin + .seconds(rules.duration)
        run.log.begin(.bandwidth)
        var measurement = PreCallMeasurement()
        (measurement.uplink, measurement.downlink) = try await measureBandwidth()
        run.findings.withLock { $0.measurement = measurement }
        // Nothing would be left to find out, and hardly anything would get through.
        if measurement.leavesNoRoom(for: .audio, rules) {
            return run.findings.withLock { $0.endedEarly = true }
        }
        if measurement.leavesNoRoom(for: .video, rules) {
            run.log.begin(.audioOnly)
            try await renewStream()
            _ = try await pass(until: deadline, isAudioOnly: true)
            return
        }
        run.log.begin(.quality)
        try await renewSubscription()
        let isDone = try await pass(until: deadline, isAudioOnly: false)
        guard !isDone else { return }
        run.log.begin(.audioOnly)
        media.publisher.publishVideo = false
        _ = try await pass(until: deadline, isAudioOnly: true)
    }

    /// Receives the stream again: the old receiver has grown its buffers for the congested network, and would
    /// be slow to make them short again.
    private mutating func renewSubscription() async throws {
        media = try await ConnectivityStage(run: run, session: session).renewSubscription(media)
        measurements.renewSubscriber()
    }

    /// Sends audio alone, on connections that know nothing of what was lost while the network was filled: to
    /// send all that again takes a narrow one longer than the test has time for.
    private mutating func renewStream() async throws {
        media = try await ConnectivityStage(run: run, session: session).renewStream(
            media, withVideo: false)
        measurements.renew()
    }

    /// Measures until the verdict is settled or time is up; says whether that was so, and not that audio has
    /// to be measured alone.
    private mutating func pass(until deadline: Duration, isAudioOnly: Bool) async throws -> Bool {
        try await drainQueues()
        let start = clock.now()
        while true {
            try await tick()
            let now = clock.now()
            let judgement = note(from: start, to: now, isAudioOnly: isAudioOnly)
            // Media are measured for a moment even if the stages before have used all the time.
            let left = max(deadline - now, start + .seconds(PassRule.least) - now)
            let decision = PassRule.decide(
                judgement, isAudioOnly: isAudioOnly, measured: (now - start).seconds, left: left.seconds,
                rules: rules)
            switch decision {
            case .goOn:
                let measured = (now - start).seconds
                if !isAudioOnly, PassRule.wantsMorePackets(judgement, measured: measured, rules: rules) {
                    sendMorePackets()
                }
            case .measureAudioAlone: return false
            case .finish(let early):
                run.findings.withLock { $0.endedEarly = early }
                return true
            }
            sample(now, step: isAudioOnly ? .audioOnly : .quality, done: done(judgement))
        }
    }

    private func sendMorePackets() {
        media.publisher.videoSource?.setFrameRate(max(Self.denseFrameRate, run.configuration.frameRate))
    }

    /// Drains the queues: what was lost under saturation is sent again, and what is lost in that congestion
    /// would be taken for the network's loss.
    private mutating func drainQueues() async throws {
        let begin = clock.now()
        let least = begin + Self.calm + .seconds(measurements.roundTripTime ?? 0)
        while true {
            try await tick()
            let now = clock.now()
            guard now >= least else { continue }
            guard now - begin < Self.longestCalm, measurements.isCongested(at: now) else { return }
        }
    }

    /// Keeps what is known, in case that the test is stopped.
    private func note(from start: Duration, to end: Duration, isAudioOnly: Bool) -> PreCallJudge.Judgement {
        run.findings.withLock { findings in
            var measurement = findings.measurement ?? PreCallMeasurement()
            var pass = measurements.pass(from: start, to: end, isAudioOnly: isAudioOnly)
            pass.evidence.uplink.bandwidth = measurement.uplink?.rate
            pass.evidence.downlink.bandwidth = measurement.downlink?.rate
            if isAudioOnly { measurement.audioOnly = pass } else { measurement.audioVideo = pass }
            findings.measurement = measurement
            return measurement.judgement(rules)
        }
    }

    // MARK: - Reading

    /// Waits a moment and reads everything that can be read.
    mutating func tick() async throws {
        try await clock.sleep(for: Self.tickInterval)
        // Media may continue without the server, but no one reports what of it arrives.
        guard session.state == .connected else { throw Self.isGone }
        try ConnectivityStage(run: run, session: session).checkStreams(media.publisher)
        let (publishing, subscribing) = (
            media.publisher.publication?.media, media.subscriber.subscription?.media
        )
        guard let publishing, let subscribing else {
            throw Self.isOver
        }
        let now = clock.now()
        if let report = try? await subscribing.peer?.statistics() {
            measurements.addSubscriber(report, at: now)
        }
        if let report = try? await publishing.peer?.statistics() {
            measurements.addPublisher(report, at: now)
        }
        if let counters = publishing.freshMetrics?.counters {
            measurements.addUplink(counters, at: now)
        }
        if let counters = subscribing.freshMetrics?.counters {
            measurements.addUplinkFeedback(counters, at: now)
        }
    }

    /// Tells of what was just measured, twice a second.
    mutating func sample(_ now: Duration, step: NetworkTestStep, done: Double) {
        guard now - lastSample >= Self.sampleInterval else { return }
        let before = now - Self.sampleInterval - Self.tickInterval
        var sample = NetworkTestSample(time: run.log.elapsed, step: step)
        sample.uplinkBitrate = measurements.uplinkRate(from: before, to: now)
        sample.downlinkBitrate = measurements.downlinkRate(from: before, to: now)
        sample.uplinkLoss = measurements.uplink.evidence(from: before, to: now).loss.fraction
        sample.downlinkLoss = measurements.downlink.evidence(from: before, to: now).loss.fraction
        sample.roundTripTime = measurements.roundTripTime
        lastSample = now
        run.findings.withLock { $0.samples.append(sample) }
        run.log.emit(sample, done: done)
    }

    /// How much of the time is used, 0 to 1 or more.
    var doneByTime: Double { (clock.now() - begin).seconds / rules.duration }

    /// How much of the stage is done: by time, or by how sure the verdict is.
    private func done(_ judgement: PreCallJudge.Judgement) -> Double {
        max(doneByTime, (judgement.certainty - 0.5) / max(0.01, rules.confidence - 0.5) * 0.9)
    }
}

// MARK: - What is sent

extension QualityStage {
    /// Fills the network in a direction, or fills it otherwise than before; says whether this engine can.
    func saturate(_ direction: NetworkDirection, _ bitrate: Double) async throws -> Bool {
        if direction == .uplink {
            do {
                try media.publisher.publication?.media.peer?.saturate(Int(bitrate))
            } catch let error as MediaEngineError where error.code == .unsupported {
                run.findings.withLock { $0.uplinkIsNotFilled = true }
                return false
            }
        } else {
            guard let media = media.subscriber.subscription?.media, let leg = media.leg else {
                throw Self.isOver
            }
            _ = try await media.context.signaling.request(.saturate(.init(leg: leg, bitrate: bitrate)))
        }
        return true
    }

    /// Gives the uplink back; what is sent from now on fits what both directions carry.
    ///
    /// The downlink is given back with its subscription.
    func endSaturation(_ uplink: PreCallMeasurement.Bandwidth?, _ downlink: PreCallMeasurement.Bandwidth?)
        throws
    {
        let rates = [uplink, downlink].compactMap { $0?.rate }
        let room = rates.map { PreCallJudge.room(for: .video, in: $0) }.min() ?? Self.largestVideo
        // Never less than the limit, or the test itself would be the reason for failing it.
        let video = max(rules.videoBitrate * 1.2, min(Self.largestVideo, room * 0.85))
        let all = video * 1.1 + PreCallJudge.audioRate + PreCallJudge.audioHeaders
        let peer = media.publisher.publication?.media.peer
        if run.findings.withLock(\.uplinkIsNotFilled) {
            // Media have to show by themselves what the path carries: they begin with what they need.
            try peer?.setBitrate(minimum: nil, start: Int(all), maximum: Int(all))
        } else {
            try peer?.endSaturation(start: Int(all), maximumVideo: Int(video))
        }
    }
}
