// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

/// Finds out before a call what this client can publish here and now: audio and video, audio only, or
/// nothing, and why.
///
/// Needs a session of its own: it publishes a test stream, receives it back through the media router, and
/// refuses a session in which someone else publishes. Safe to use from anywhere.
///
/// ```swift
/// let test = NetworkTest(url: url, token: token, engine: engine, signaling: signaling)
/// for await case .finished(let report) in test.run() { print(report.sentence) }
/// ```
public final class NetworkTest: Sendable {
    private struct State {
        var runs: [Int: NetworkTestRun] = [:]
        var count = 0
    }

    private let setup: NetworkTestRun.Setup
    private let state = Mutex(State())

    /// Creates a test; nothing happens before ``run()``.
    ///
    /// - Parameters:
    ///   - url: The server, such as `wss://calls.example.com`.
    ///   - token: A publisher's token of a routed session that no one else uses.
    ///   - engine: The media engine.
    ///   - signaling: The signaling transport.
    ///   - configuration: Limits and times.
    public init(
        url: String, token: String, engine: any PeerConnectionFactory, signaling: any SignalingTransport,
        configuration: NetworkTestConfiguration = NetworkTestConfiguration()
    ) {
        setup = .init(
            url: url, token: token, engine: engine, signaling: signaling, configuration: configuration)
    }

    /// Runs the test; emits its progress and, last of all, its report.
    ///
    /// Releasing the events ends it. Can be repeated, one after the other.
    public func run() -> AsyncStream<NetworkTestEvent> {
        // Progress is a few events a second, for as long as a test takes.
        let (events, continuation) = AsyncStream.makeStream(of: NetworkTestEvent.self)
        let run = NetworkTestRun(setup) { continuation.yield(.progress($0)) }
        let id = state.withLock { state in
            state.count += 1
            state.runs[state.count] = run
            return state.count
        }
        continuation.onTermination = { [weak self] _ in
            run.stop()
            self?.state.withLock { _ = $0.runs.removeValue(forKey: id) }
        }
        Task {
            continuation.yield(.finished(await run.perform()))
            continuation.finish()
        }
        return events
    }

    /// Runs the test and notifies a delegate, on the caller's actor; returns the report as well.
    ///
    /// - Parameters:
    ///   - delegate: Who is called.
    ///   - isolation: Filled in by the compiler.
    @discardableResult
    public func run(
        reportingTo delegate: any NetworkTestDelegate, isolation: isolated (any Actor)? = #isolation
    ) async -> NetworkTestReport? {
        for await event in run() {
            switch event {
            case .progress(let progress): delegate.networkTest(self, didProgress: progress)
            case .finished(let report):
                delegate.networkTest(self, didFinishWith: report)
                return report
            }
        }
        return nil
    }

    /// Stops the test: with a verdict from what has been measured, or, if nothing has been, with a
    /// failure that says `cancelled`.
    public func stop() {
        for run in state.withLock({ Array($0.runs.values) }) { run.stop() }
    }
}
