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
        /// Whether the test has taken all of its time.
        var isLate = false

        var hasEnded: Bool { isStopped || isLate }
    }

    let setup: Setup
    /// The network to emulate for everything, or why that cannot be.
    private let conditioner: Result<(any NetworkConditioner)?, any Error>
    let log: StepLog
    let deadlines: PreCallDeadlines
    let findings = Mutex(PreCallFindings())
    /// Of the test's stream as it was made last; `nil` before.
    let publisher = Mutex<Publisher?>(nil)
    private let state = Mutex(State())

    init(_ setup: Setup, _ emit: @escaping @Sendable (NetworkTestProgress) -> Void) {
        self.setup = setup
        conditioner = Result {
            try setup.configuration.networkConditions.map { try setup.engine.conditioner($0) }
        }
        log = StepLog(setup.configuration.session.clock, emit)
        deadlines = PreCallDeadlines(setup.configuration.rules, begin: log.begin)
    }

    var clock: SessionClock { setup.configuration.session.clock }
    var configuration: NetworkTestConfiguration { setup.configuration }

    /// Ends the run soon.
    func stop() { end { $0.isStopped = true } }

    private func end(_ change: (inout State) -> Void) {
        let task = state.withLock { state in
            change(&state)
            return state.task
        }
        task?.cancel()
    }

    /// Ends the run when its time is up, whatever it is waiting for.
    private func endInTime() async throws {
        try await clock.sleep(for: deadlines.test - clock.now())
        end { $0.isLate = true }
    }

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
        if state.withLock({ $0.hasEnded }) { task.cancel() }
        let timer = Task { try await endInTime() }
        defer { timer.cancel() }
        switch await task.result {
        case .success:
            log.end(.passed)
            return nil
        case .failure(let error):
            // A session that is lost is no lack of time.
            if error is CancellationError, state.withLock({ $0.isLate }) {
                findings.withLock { $0.endInTime() }
            }
            // A test that is stopped, or runs out of time, after it has measured something has a verdict from that.
            if state.withLock({ $0.hasEnded }), knowsVerdict {
                log.end(.passed)
                return nil
            }
            return failure(error)
        }
    }

    /// What an error in the present step means.
    private func failure(_ error: any Error) -> NetworkTestFailure {
        let step = log.current
        log.end(.failed)
        if let failure = error as? NetworkTestFailure { return failure }
        let isOutOfTime = state.withLock { $0.isLate && !$0.isStopped }
        // Whatever was under way when time was up was cancelled.
        if isOutOfTime, [.cancelled, .timeout].contains(SightlineError(cause: error).code) {
            return NetworkTestFailure(outOfTimeIn: step)
        }
        return NetworkTestFailure(step, error)
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
        // Media would be in the way of that.
        try? publisher.withLock { $0 }?.publication?.holdMedia(true)
        let (over, done) = AsyncStream.makeStream(of: Void.self)
        let leaving = Task {
            await session.disconnect()
            done.finish()
        }
        let timer = Task { [clock] in
            try? await clock.sleep(for: PreCallDeadlines.leaving)
            done.finish()
        }
        for await _ in over {}
        timer.cancel()
        withExtendedLifetime(leaving) {}
    }
}
