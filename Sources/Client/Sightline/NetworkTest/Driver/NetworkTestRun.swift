// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// One run of a network test: the stages one after the other, and the report of what they found.
final class NetworkTestRun: Sendable {
    /// What a test was made with.
    struct Setup: Sendable {
        let url: String
        let token: String
        let engine: any PeerConnectionFactory
        let signaling: any SignalingTransport
        let configuration: NetworkTestConfiguration
    }

    private struct State {
        var task: Task<Void, any Error>?
        var isStopped = false
    }

    let setup: Setup
    /// The network to emulate for everything, or why that cannot be.
    private let conditioner: Result<(any NetworkConditioner)?, any Error>
    let log: StepLog
    let findings = Mutex(PreCallFindings())
    private let state = Mutex(State())

    /// Timeout for notifying the server that the test is over.
    private static let closeTimeout: Duration = .seconds(2)

    init(_ setup: Setup, _ emit: @escaping @Sendable (NetworkTestProgress) -> Void) {
        self.setup = setup
        conditioner = Result {
            try setup.configuration.networkConditions.map { try setup.engine.conditioner($0) }
        }
        log = StepLog(setup.configuration.session.clock, emit)
    }

    var clock: SessionClock { setup.configuration.session.clock }
    var configuration: NetworkTestConfiguration { setup.configuration }

    /// Ends the run soon.
    func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Whether enough has been measured for a verdict, however unsure.
    var knowsVerdict: Bool {
        findings.withLock { $0.measurement?.judgement(configuration.rules).isKnown ?? false }
    }

    /// Makes the test.
    func perform() async -> NetworkTestReport {
        let start = clock.unixTime()
        let session = makeSession()
        let failure = await runStages(session)
        let duration = log.elapsed
        await leave(session)
        return PreCallReportBuilder(
            rules: configuration.rules, assumesSimulcast: configuration.assumesSimulcast,
            findings: findings.withLock { $0 }, steps: log.results
        ).report(
            timing: .init(start: start, end: start + duration, duration: duration), failure: failure)
    }

    /// Runs what is asked for; gives the reason if it could not be carried through.
    private func runStages(_ session: Session) async -> NetworkTestFailure? {
        let task = Task {
            let media = try await ConnectivityStage(run: self, session: session).perform()
            guard configuration.measuresQuality else { return }
            try await QualityStage(run: self, session: session, media: media).perform()
        }
        state.withLock { $0.task = task }
        if isStopped { task.cancel() }
        switch await task.result {
        case .success:
            log.end(.passed)
            return nil
        case .failure(let error):
            // A test that is stopped after it has measured something has a verdict from that.
            if isStopped, knowsVerdict {
                log.end(.passed)
                return nil
            }
            let step = log.current
            log.end(.failed)
            return (error as? NetworkTestFailure) ?? NetworkTestFailure(step, error)
        }
    }

    /// - Throws: ``SightlineError`` if a network is to be emulated and the engine cannot.
    func checkConditioner() throws { _ = try conditioner.get() }

    private func makeSession() -> Session {
        var session = configuration.session
        session.pathTest = PathTest(
            conditioner: try? conditioner.get(), audioBitrate: Int(PreCallJudge.audioRate))
        session.requestTimeout = min(session.requestTimeout, configuration.stepTimeout)
        let isSecure = (try? SignalingAddress(setup.url))?.isSecure == true
        session.onSignalingProgress = { [log] progress in
            if progress == .reached, isSecure { return log.begin(.tls) }
            if progress == .reached { log.skip(.tls) }
            log.begin(.webSocket)
        }
        return Session(
            url: setup.url, token: setup.token, engine: setup.engine, signaling: setup.signaling,
            configuration: session)
    }

    /// Leaves the session; does not wait long for it.
    private func leave(_ session: Session) async {
        let (over, done) = AsyncStream.makeStream(of: Void.self)
        let leaving = Task {
            await session.disconnect()
            done.finish()
        }
        let timer = Task { [clock] in
            try? await clock.sleep(for: Self.closeTimeout)
            done.finish()
        }
        for await _ in over {}
        timer.cancel()
        withExtendedLifetime(leaving) {}
    }
}
