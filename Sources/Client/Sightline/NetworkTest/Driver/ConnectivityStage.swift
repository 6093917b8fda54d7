// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine
import SessionWire
import WebRTCStats

/// The test's stream and the subscription to it.
struct NetworkTestMedia: Sendable {
    let publisher: Publisher
    let subscriber: Subscriber
}

/// Gets a test stream to the media router and back, step by step.
struct ConnectivityStage: Sendable {
    let run: NetworkTestRun
    let session: Session

    /// Initial video bitrate, bps.
    private static let firstBitrate = 60_000
    /// Timeout for the first frame, from the first audio on.
    private static let firstFrameTimeout: Duration = .milliseconds(1_500)
    /// How long keys are waited for before a connection is re-created: its lost packets are sent again after
    /// ever longer times, and a new one begins with the short ones.
    private static let keyFrameTimeout: Duration = .seconds(4)
    private static let pollInterval: Duration = .milliseconds(25)
    private var configuration: NetworkTestConfiguration { run.configuration }

    /// - Throws: What made a step fail; the log says which.
    func perform() async throws -> NetworkTestMedia {
        try await connect()
        // A socket opens when its first packet was answered.
        let opening = run.log.results.first { $0.step == .serverReachable && $0.outcome == .passed }
        run.findings.withLock {
            $0.firstMeasurements.note(serverRoundTripTime: opening.map { $0.duration / 1000 })
        }
        run.log.begin(.sessionFree)
        try checkSession()
        try run.checkConditioner()
        let media = try await open { run.log.begin($0) }
        run.log.begin(.mediaReceived)
        let now = run.clock.now()
        run.findings.withLock { $0.firstMeasurements.noteMedia(at: now) }
        try await release(media)
        // A path that is too narrow for it is not a broken one.
        let hasFrame = try await awaitFirstFrame(of: media.subscriber)
        run.findings.withLock { $0.isPathFull = !hasFrame }
        try checkStreams(media.publisher)
        return media
    }

    /// Makes the test's stream again, on connections that nothing of the old ones waits in.
    func renewStream(_ old: NetworkTestMedia, withVideo: Bool) async throws -> NetworkTestMedia {
        await close(old)
        let media = try await open(withVideo: withVideo)
        try await release(media)
        return media
    }

    /// Receives the stream again.
    func renewSubscription(_ old: NetworkTestMedia) async throws -> NetworkTestMedia {
        var media = try await resubscribe(old)
        try await awaitKeys(of: &media)
        try await release(media)
        return media
    }

    /// Publishes a stream and subscribes to it, until media can flow; reports which step begins.
    private func open(
        withVideo: Bool = true, begin: (NetworkTestStep) -> Void = { _ in }
    ) async throws -> NetworkTestMedia {
        var media = try await reach(withVideo, begin)
        begin(.dtls)
        try await awaitKeys(of: &media)
        return media
    }

    /// Publishes a stream and subscribes to it, until packets get through.
    private func reach(
        _ withVideo: Bool, _ begin: (NetworkTestStep) -> Void = { _ in }
    ) async throws -> NetworkTestMedia {
        begin(.publish)
        let publisher = Publisher(settings: publisherSettings(withVideo))
        run.publisher.withLock { $0 = publisher }
        try await within { try await session.publish(publisher) }
        begin(.subscribe)
        let subscriber = try await subscribe(to: publisher)
        try await awaitPath(of: publisher, begin)
        return NetworkTestMedia(publisher: publisher, subscriber: subscriber)
    }

    private func resubscribe(_ media: NetworkTestMedia) async throws -> NetworkTestMedia {
        try await within { try await session.unsubscribe(media.subscriber) }
        let subscriber = try await subscribe(to: media.publisher)
        return NetworkTestMedia(publisher: media.publisher, subscriber: subscriber)
    }

    private func close(_ media: NetworkTestMedia) async {
        // What is over already need not be closed.
        try? await within { try await session.unsubscribe(media.subscriber) }
        try? await within { try await session.unpublish(media.publisher) }
    }

    private func release(_ media: NetworkTestMedia) async throws {
        try media.publisher.publication?.holdMedia(false)
        try await awaitMedia(of: media.subscriber)
    }

    private func connect() async throws {
        let address = try SignalingAddress(run.setup.url)
        run.log.begin(.serverReachable)
        do { try await session.connect() } catch let error as SightlineError {
            // The token travels in the first message: when that is answered, the socket was open.
            if Self.tokenCodes.contains(error.code) { catchUp(address, to: .tokenAccepted) }
            throw error
        }
        catchUp(address, to: .tokenAccepted)
    }

    private static let tokenCodes: Set<SightlineError.Code> = [
        .invalidToken, .expiredToken, .unknownSession, .unsupportedVersion, .forbidden, .tooMany,
    ]

    /// Completes the steps of the socket that the transport did not report.
    private func catchUp(_ address: SignalingAddress, to last: NetworkTestStep) {
        let steps: [NetworkTestStep] = [.serverReachable, .tls, .webSocket, .tokenAccepted]
        let present = steps.firstIndex(of: run.log.current) ?? 0
        let end = steps.firstIndex(of: last) ?? 0
        for step in steps[...end].dropFirst(present + 1) {
            if step == .tls, !address.isSecure { run.log.skip(step) } else { run.log.begin(step) }
        }
    }

    /// Bounds a request: some of the session's own may take longer than a test has time for.
    private func within(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let limit = configuration.stepTimeout
        let late = SightlineError(.timeout, "the server did not answer within \(limit)")
        try await run.clock.withTimeout(limit, late, body)
    }

    private func checkSession() throws {
        guard session.mediaMode == .routed else {
            throw SightlineError(.invalidArgument, NetworkTestFailure.notRouted)
        }
        guard session.streams.isEmpty else { throw Self.occupied }
    }

    /// No one else may have begun to publish meanwhile.
    func checkStreams(_ publisher: Publisher) throws {
        let own = publisher.stream?.streamId
        guard session.streams.allSatisfy({ $0.streamId == own }) else {
            throw NetworkTestFailure(.sessionFree, Self.occupied)
        }
    }

    private static let occupied = SightlineError(.invalidArgument, NetworkTestFailure.occupied)

    private func publisherSettings(_ withVideo: Bool) -> PublisherSettings {
        var settings = PublisherSettings()
        settings.publishVideo = withVideo
        (settings.video, settings.audio) = (configuration.video, configuration.audio)
        settings.name = "network test"
        settings.resolution = configuration.resolution
        settings.frameRate = configuration.frameRate
        settings.simulcast = .off
        // Small at first, and without smaller frames to recover from: what it may be is measured later.
        settings.startBitrate = Self.firstBitrate
        settings.degradation = .maintainResolution
        settings.audioFallbackEnabled = false
        return settings
    }

    /// Subscribes to the test's own stream.
    private func subscribe(to publisher: Publisher) async throws -> Subscriber {
        guard let stream = publisher.stream else {
            throw SightlineError(.protocolViolation, "the server has published the stream without a name")
        }
        let subscriber = Subscriber(stream: stream)
        try await within { try await session.subscribe(subscriber) }
        return subscriber
    }

    // MARK: - The path

    private func awaitPath(of publisher: Publisher, _ begin: (NetworkTestStep) -> Void) async throws {
        let media = publisher.publication?.media
        begin(.iceCandidates)
        try await poll(media, "this device found no address at which it could be reached") { report in
            !report.localCandidates.isEmpty
        }
        begin(.udpPath)
        try await poll(media, RouteConnection.noPath) { $0.hasPath }
    }

    /// Waits for keys; connections that do not come to an agreement soon are re-created, as a call would.
    private func awaitKeys(of media: inout NetworkTestMedia) async throws {
        let deadline = run.clock.now() + configuration.stepTimeout * 2
        while true {
            do {
                return try await awaitKeys(
                    of: media, until: min(run.clock.now() + Self.keyFrameTimeout, deadline))
            } catch let error as SightlineError where error.code == .timeout && run.clock.now() < deadline {
                media = try await replace(media)
            }
        }
    }

    /// Both ends need them: the router's end waits for this one's last packets, which are lost on a narrow uplink, and never
    /// come through where media follow at once.
    private func awaitKeys(of media: NetworkTestMedia, until deadline: Duration) async throws {
        for end in [media.publisher.publication?.media, media.subscriber.subscription?.media] {
            try await poll(
                end, "the media router was reached, but no keys could be agreed on with it", until: deadline
            ) { Self.hasKeys(end, $0) }
        }
    }

    private static func hasKeys(_ media: StreamMedia?, _ report: StatsReport) -> Bool {
        report.hasKeys && media?.freshMetrics?.counters?.isConnected == true
    }

    /// Makes those connections again that have no keys.
    private func replace(_ media: NetworkTestMedia) async throws -> NetworkTestMedia {
        let publishing = media.publisher.publication?.media
        if let report = try? await publishing?.peer?.statistics(), Self.hasKeys(publishing, report) {
            return try await resubscribe(media)
        }
        await close(media)
        return try await reach(media.publisher.publishVideo)
    }

    /// Waits until media come back from the media router.
    private func awaitMedia(of subscriber: Subscriber) async throws {
        try await poll(
            subscriber.subscription?.media, "nothing of the test stream came back from the media router"
        ) {
            report in
            report.inboundRTP.contains { $0.packetsReceived ?? 0 > 0 }
        }
    }

    /// Waits for the first frame, for as long as media are not too much for the path; gives whether it came.
    private func awaitFirstFrame(of subscriber: Subscriber) async throws -> Bool {
        var (first, hasFrame) = (FirstMedia(), false)
        let deadline = run.clock.now() + Self.firstFrameTimeout
        do {
            try await poll(subscriber.subscription?.media, "no video came back", until: deadline) { report in
                let now = run.clock.now()
                first.add(report, at: now)
                run.findings.withLock { $0.firstMeasurements.addSubscriber(report, at: now) }
                hasFrame = report.inboundRTP.contains { $0.kind == .video && $0.framesReceived ?? 0 > 0 }
                return hasFrame || first.isTooMuch
            }
        } catch let error as SightlineError where error.code == .timeout {}
        return hasFrame
    }

    /// Reads a peer connection's statistics until they fulfil a condition.
    private func poll(
        _ media: StreamMedia?, _ message: String, until limit: Duration? = nil,
        _ isFulfilled: (StatsReport) -> Bool
    ) async throws {
        let deadline = limit ?? run.clock.now() + configuration.stepTimeout
        while true {
            if let report = try? await media?.peer?.statistics() {
                note(report, of: media)
                if isFulfilled(report) { return }
            }
            try Task.checkCancellation()
            guard run.clock.now() < deadline else { throw SightlineError(.timeout, message) }
            try await run.clock.sleep(for: Self.pollInterval)
        }
    }

    private func note(_ report: StatsReport, of media: StreamMedia?) {
        let connectivity = NetworkTestReport.Connectivity(report)
        let now = run.clock.now()
        run.findings.withLock { findings in
            // The publisher's connection is looked at first, and knows as much as the other.
            if findings.connectivity.selectedCandidatePair == nil { findings.connectivity = connectivity }
            findings.firstMeasurements.note(
                roundTripTime: report.selectedCandidatePair?.currentRoundTripTime)
            guard let leg = media?.leg else { return }
            findings.connectivityCounters.add(
                leg: leg, own: LegCounters(report), far: media?.freshMetrics?.counters, at: now)
        }
    }
}

extension StatsReport {
    fileprivate var hasKeys: Bool { transports.contains { $0.dtlsState == .connected } }

    fileprivate var hasPath: Bool {
        selectedCandidatePair != nil
            && transports.contains { $0.iceState == .connected || $0.iceState == .completed }
    }
}
