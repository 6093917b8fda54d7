// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import SessionWire

/// Reads the test's connections, and does what the plan of the measurement says.
struct QualityStage: Sendable {
    let run: NetworkTestRun
    let session: Session
    private var media: NetworkTestMedia
    private var plan: QualityPlan
    private var isSilent = false

    private static let isOver = SightlineError(.mediaLost, "the test stream is over before the test is")
    private static let isGone = SightlineError(
        .connectionLost, "the connection to the server was lost in the middle of the test")
    private static let isUnknown = SightlineError(.timeout, "it could not be found out in time what arrived")
    private static let isUnanswered = SightlineError(.timeout, "the media router did not answer in time")
    /// How long it has for its answer: by then what a narrow line has lost once or twice was sent again, and the test continues
    /// without rather than end with an error that such a line explains.
    private static let answerTimeout: Duration = .seconds(3)
    /// Frames a second where more packets are wanted, and where fewer are.
    private static let denseFrameRate = 60.0
    private static let sparseFrameRate = 10.0
    /// What congestion control begins with where nothing is sent, bps.
    private static let quietRate = 100_000

    init(run: NetworkTestRun, session: Session, media: NetworkTestMedia) {
        self.run = run
        self.session = session
        self.media = media
        let findings = run.findings.withLock(\.self)
        plan = QualityPlan(
            rules: run.configuration.rules, testBegan: run.log.begin, at: run.clock.now(),
            isPathFull: findings.isPathFull, measurements: findings.firstMeasurements)
    }

    /// - Throws: What ended the stage before its time.
    func perform() async throws {
        var stage = self
        do { try await stage.follow() } catch {
            // What fills the network would be in the way of leaving the session.
            try? stage.silence()
            if error is NetworkTestFailure { throw error }
            // A session that ends takes its media away, and answers nothing, before it says that it has ended.
            guard !Task.isCancelled, await session.driver.phase != .connected else { throw error }
            throw Self.isGone
        }
        guard run.knowsVerdict else { throw Self.isUnknown }
    }

    private mutating func follow() async throws {
        while true {
            try await run.clock.sleep(for: QualityPlan.tickInterval)
            try await read()
            let actions = plan.tick(at: run.clock.now())
            // Kept in case that the test is stopped.
            run.findings.withLock { $0.note(plan) }
            for action in actions {
                if action == .finish { return }
                do { try await perform(action) } catch let error as MediaEngineError
                    where error.code == .closed
                { throw Self.isOver }
            }
        }
    }

    /// Reads everything that can be read.
    private mutating func read() async throws {
        // Media may continue without the server, but no one reports what of it arrives.
        guard session.state == .connected else { throw Self.isGone }
        try ConnectivityStage(run: run, session: session).checkStreams(media.publisher)
        let (publishing, subscribing) = (
            media.publisher.publication?.media, media.subscriber.subscription?.media
        )
        guard let publishing, let subscribing else { throw Self.isOver }
        let now = run.clock.now()
        if let report = try? await subscribing.peer?.statistics() {
            plan.measurements.addSubscriber(report, at: now)
        }
        if let report = try? await publishing.peer?.statistics() {
            plan.measurements.addPublisher(report, at: now)
        }
        for counters in publishing.takeCounters() { plan.measurements.addUplink(counters, at: now) }
        for counters in subscribing.takeCounters() {
            plan.measurements.addUplinkFeedback(counters, at: now)
        }
    }
}

// MARK: - What is sent

extension QualityStage {
    private mutating func perform(_ action: QualityPlan.Action) async throws {
        switch action {
        case .begin(let step): run.log.begin(step)
        case .fill(let directions, let bitrate, let seconds, let downlinkSeconds):
            try await fill(directions, bitrate, downlinkSeconds ?? seconds)
        case .silence: try silence()
        case .release(let start, let maximumVideo): try release(Int(start), Int(maximumVideo))
        case .setFrameRate(let rate): setFrameRate(rate)
        case .renewSubscription:
            media = try await ConnectivityStage(run: run, session: session).renewSubscription(media)
        case .renewStreamWithoutVideo:
            media = try await ConnectivityStage(run: run, session: session).renewStream(
                media, withVideo: false)
        case .stopVideo: media.publisher.publishVideo = false
        case .sample(let sample, let done): run.log.emit(sample, done: done)
        case .finish: break
        }
    }

    private var peer: (any MediaPeerConnection)? { media.publisher.publication?.media.peer }

    private mutating func hold(_ isSilent: Bool) throws {
        guard isSilent != self.isSilent else { return }
        self.isSilent = isSilent
        try media.publisher.publication?.holdMedia(isSilent)
    }

    private mutating func silence() throws {
        try fillUplink { try $0.endSaturation(start: Self.quietRate, maximumVideo: 0) }
        try hold(true)
    }

    /// Has the engine fill the uplink or end that; notes if it cannot.
    private mutating func fillUplink(_ body: (any MediaPeerConnection) throws -> Void) throws {
        guard !plan.uplinkIsNotFilled, let peer else { return }
        do { try body(peer) } catch let error as MediaEngineError where error.code == .unsupported {
            plan.leaveUplinkUnfilled()
        }
    }

    /// Fills directions of the network; the downlink is given back by itself.
    private mutating func fill(
        _ directions: [NetworkDirection], _ bitrate: Double, _ downlinkSeconds: Double
    ) async throws {
        // On a narrow uplink the request would wait behind media until it is lost.
        try silence()
        // What comes back of the test's own stream would fill a downlink that is narrower. The media router needs no word to
        // send video's padding while it fills the downlink, and none to end that: such a word would not get through.
        media.subscriber.subscribeToVideo = false
        if directions.contains(.downlink), try await !fillDownlink(bitrate, downlinkSeconds) {
            plan.noteNoAnswer()
        }
        guard directions.contains(.uplink) else { return }
        try hold(false)
        try fillUplink { try $0.saturate(Int(bitrate)) }
    }

    /// Asks the media router to fill the downlink; gives whether it has answered.
    private func fillDownlink(_ bitrate: Double, _ seconds: Double) async throws -> Bool {
        guard let media = media.subscriber.subscription?.media, let leg = media.leg else {
            throw Self.isOver
        }
        let signaling = media.context.signaling
        let request = ClientMessage.Saturate(leg: leg, bitrate: bitrate, seconds: seconds)
        do {
            try await run.clock.withTimeout(Self.answerTimeout, Self.isUnanswered) {
                _ = try await signaling.request(.saturate(request))
            }
            return true
        } catch let error as SightlineError where error == Self.isUnanswered {
            return false
        }
    }

    /// Gives the uplink back to congestion control.
    private mutating func release(_ start: Int, _ maximumVideo: Int) throws {
        if plan.uplinkIsNotFilled {
            // Media have to show by themselves what the path carries: they begin with what they need.
            try peer?.setBitrate(minimum: nil, start: start, maximum: start)
        } else {
            try peer?.endSaturation(start: start, maximumVideo: maximumVideo)
        }
        media.subscriber.subscribeToVideo = true
        try hold(false)
    }

    private func setFrameRate(_ rate: QualityPlan.FrameRate) {
        let normal = run.configuration.frameRate
        let framesPerSecond =
            switch rate {
            case .few: Self.sparseFrameRate
            case .normal: normal
            case .many: max(Self.denseFrameRate, normal)
            }
        media.publisher.videoSource?.setFrameRate(framesPerSecond)
    }
}
