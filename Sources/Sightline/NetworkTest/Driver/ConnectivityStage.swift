// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import SessionProtocol
import Synchronization
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

    /// What the first pictures are sent with, bps.
    private static let firstBitrate = 150_000
    /// How long the first picture may take after the first sound.
    private static let firstPicture: Duration = .seconds(3)
    private static let pollInterval: Duration = .milliseconds(25)
    private var configuration: NetworkTestConfiguration { run.configuration }

    /// - Throws: What made a step fail; the log says which.
    func perform() async throws -> NetworkTestMedia {
        try await connect()
        run.log.begin(.sessionFree)
        try checkSession()
        let part = NetworkTestPart(conditioner: try conditioner())
        run.log.begin(.publish)
        let publisher = Publisher(settings: publisherSettings(part))
        try await within { try await session.publish(publisher) }
        run.log.begin(.subscribe)
        let subscriber = try await subscribe(to: publisher, part)
        try await awaitPath(of: publisher)
        try await awaitKeys(of: [publisher.publication?.media, subscriber.subscription?.media])
        run.log.begin(.mediaReceived)
        try publisher.publication?.releaseMedia()
        try await awaitMedia(of: subscriber)
        // A path that is too narrow for it is not a broken one.
        try? await awaitPicture(of: subscriber)
        try Task.checkCancellation()
        try checkStreams(publisher)
        return NetworkTestMedia(publisher: publisher, subscriber: subscriber)
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

    /// Lets the steps of the socket pass that the transport did not tell of.
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
        let late = SightlineError(.timeout, "the server did not answer within \(configuration.stepTimeout)")
        try await run.clock.withTimeout(configuration.stepTimeout, late, body)
    }

    private func checkSession() throws {
        guard session.mediaMode == .routed else {
            throw SightlineError(
                .invalidArgument,
                "the session is not routed, and media that goes past the router says nothing of it")
        }
        guard session.streams.isEmpty else { throw Self.occupied }
    }

    /// Nobody else may have begun to publish meanwhile.
    func checkStreams(_ publisher: Publisher) throws {
        let own = publisher.stream?.streamId
        guard session.streams.allSatisfy({ $0.streamId == own }) else {
            throw NetworkTestFailure(.sessionFree, Self.occupied)
        }
    }

    private static let occupied = SightlineError(
        .invalidArgument,
        "somebody else publishes in the session: the test would disturb the call, and be disturbed by it")

    private func conditioner() throws -> (any NetworkConditioner)? {
        guard let conditions = configuration.networkConditions else { return nil }
        guard let engine = run.setup.engine as? any ConditioningMediaEngine else {
            throw SightlineError(.mediaEngine, "this media engine cannot emulate a network")
        }
        // One for everything: it stands for the one line that a client has.
        let conditioner = engine.makeConditioner(seed: 1)
        conditioner.set(conditions)
        return conditioner
    }

    private func publisherSettings(_ part: NetworkTestPart) -> PublisherSettings {
        var settings = PublisherSettings()
        settings.name = "network test"
        settings.resolution = configuration.resolution
        settings.frameRate = configuration.frameRate
        settings.simulcast = .off
        // Small at first, and without smaller pictures to recover from: what it may be is measured later.
        settings.startBitrate = Self.firstBitrate
        settings.degradation = .maintainResolution
        settings.audioFallbackEnabled = false
        settings.networkTest = part
        return settings
    }

    /// Subscribes to the test's own stream.
    func subscribe(to publisher: Publisher, _ part: NetworkTestPart) async throws -> Subscriber {
        guard let stream = publisher.stream else {
            throw SightlineError(.protocolViolation, "the server has published the stream without a name")
        }
        var settings = SubscriberSettings()
        settings.networkTest = part
        let subscriber = Subscriber(stream: stream, settings: settings)
        try await within { try await session.subscribe(subscriber) }
        return subscriber
    }

    // MARK: - The path

    private func awaitPath(of publisher: Publisher) async throws {
        let media = publisher.publication?.media
        run.log.begin(.iceCandidates)
        try await poll(media, "this device found no address at which it could be reached") { report in
            !report.localCandidates.isEmpty
        }
        run.log.begin(.udpPath)
        try await poll(media, MediaLink.noPath) { $0.hasPath }
    }

    private func awaitKeys(of all: [MediaBox?]) async throws {
        run.log.begin(.dtls)
        for media in all {
            // Lost packets of this are sent again after 1, 2, 4 and 8 seconds.
            try await poll(
                media, "the media router was reached, but no keys could be agreed on with it",
                within: configuration.stepTimeout * 2
            ) { report in report.transports.contains { $0.dtlsState == .connected } }
        }
    }

    /// Waits until media come back from the media router.
    func awaitMedia(of subscriber: Subscriber) async throws {
        try await poll(
            subscriber.subscription?.media, "nothing of the test stream came back from the media router"
        ) {
            report in
            report.inboundRTP.contains { $0.packetsReceived ?? 0 > 0 }
        }
    }

    private func awaitPicture(of subscriber: Subscriber) async throws {
        try await poll(subscriber.subscription?.media, "no picture came back", within: Self.firstPicture) {
            report in report.inboundRTP.contains { $0.kind == .video && $0.framesReceived ?? 0 > 0 }
        }
    }

    /// Reads a peer connection's statistics until they fulfil a condition.
    private func poll(
        _ media: MediaBox?, _ message: String, within limit: Duration? = nil,
        until isFulfilled: (StatsReport) -> Bool
    ) async throws {
        let deadline = run.clock.now() + (limit ?? configuration.stepTimeout)
        while true {
            if let report = try? await media?.peer?.statistics() {
                note(report)
                if isFulfilled(report) { return }
            }
            try Task.checkCancellation()
            guard run.clock.now() < deadline else { throw SightlineError(.timeout, message) }
            try await run.clock.sleep(for: Self.pollInterval)
        }
    }

    private func note(_ report: StatsReport) {
        let connectivity = NetworkTestReport.Connectivity(report)
        run.findings.withLock { findings in
            // The publisher's connection is looked at first, and knows as much as the other.
            if findings.connectivity.selectedCandidatePair == nil { findings.connectivity = connectivity }
        }
    }
}

extension StatsReport {
    fileprivate var hasPath: Bool {
        selectedCandidatePair != nil
            && transports.contains { $0.iceState == .connected || $0.iceState == .completed }
    }
}

extension NetworkTestReport.Connectivity {
    init(_ report: StatsReport) {
        let kinds = report.localCandidates.map {
            NetworkTestReport.CandidateCount(
                type: $0.candidateType?.rawValue ?? "unknown", transport: $0.protocol ?? "unknown", count: 1)
        }
        candidates = kinds.reduce(into: []) { counts, kind in
            if let index = counts.firstIndex(where: { $0.type == kind.type && $0.transport == kind.transport }
            ) {
                counts[index].count += 1
            } else {
                counts.append(kind)
            }
        }
        guard let pair = report.selectedCandidatePair else { return }
        let local = report.localCandidate(id: pair.localCandidateId)
        let remote = report.remoteCandidate(id: pair.remoteCandidateId)
        selectedCandidatePair = .init(
            localType: local?.candidateType?.rawValue ?? "unknown",
            remoteType: remote?.candidateType?.rawValue ?? "unknown", transport: local?.protocol ?? "unknown")
        // ICE prefers every direct pair to a relayed one.
        turnNeeded = local?.candidateType == .relay || remote?.candidateType == .relay
    }
}
