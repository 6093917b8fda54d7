// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality

/// Records the steps of a test and their times, and reports its progress.
final class StepLog: Sendable {
    private struct State {
        var current: NetworkTestStep?
        var start = Duration.zero
        var results: [NetworkTestStepResult] = []
        var fraction = 0.0
    }

    private let clock: SessionClock
    /// When the test began.
    let begin: Duration
    private let emit: @Sendable (NetworkTestProgress) -> Void
    private let state = Mutex(State())

    init(_ clock: SessionClock, _ emit: @escaping @Sendable (NetworkTestProgress) -> Void) {
        self.clock = clock
        self.emit = emit
        begin = clock.now()
    }

    var results: [NetworkTestStepResult] { state.withLock { $0.results } }
    /// The step that is running, or the last one.
    var current: NetworkTestStep {
        state.withLock { $0.current ?? $0.results.last?.step } ?? .serverReachable
    }
    /// ms since the test began.
    var elapsed: Double { Self.milliseconds(clock.now() - begin) }

    /// To a hundredth: more digits would only be noise.
    private static func milliseconds(_ time: Duration) -> Double { (time.seconds * 100_000).rounded() / 100 }

    /// A step begins; the one before it has passed.
    func begin(_ step: NetworkTestStep) {
        end(.passed)
        let now = clock.now()
        state.withLock { state in
            state.current = step
            state.start = now
        }
        emit(step, nil)
    }

    /// A step was not needed.
    func skip(_ step: NetworkTestStep) {
        end(.passed)
        let result = NetworkTestStepResult(step: step, start: elapsed, duration: 0, outcome: .skipped)
        state.withLock { $0.results.append(result) }
        emit(step, result)
    }

    /// The present step ends.
    func end(_ outcome: NetworkTestStepResult.Outcome) {
        let now = clock.now()
        let result: NetworkTestStepResult? = state.withLock { state in
            guard let step = state.current else { return nil }
            state.current = nil
            let result = NetworkTestStepResult(
                step: step, start: Self.milliseconds(state.start - begin),
                duration: Self.milliseconds(now - state.start), outcome: outcome)
            state.results.append(result)
            return result
        }
        if let result { emit(result.step, result) }
    }

    /// Tells of a sample, and how much of the quality stage is done, 0 to 1.
    func emit(_ sample: NetworkTestSample, done: Double) {
        advance(Self.connectivityShare + (1 - Self.connectivityShare) * min(max(0, done), 1))
        emit(NetworkTestProgress(step: sample.step, fraction: fraction, sample: sample))
    }

    /// Of the progress, what the connectivity stage takes.
    private static let connectivityShare = 0.2

    private var fraction: Double { state.withLock { $0.fraction } }

    private func advance(_ fraction: Double) { state.withLock { $0.fraction = max($0.fraction, fraction) } }

    private func emit(_ step: NetworkTestStep, _ completed: NetworkTestStepResult?) {
        let steps = NetworkTestStep.connectivity
        if let index = steps.firstIndex(of: step) {
            advance(Self.connectivityShare * Double(index + (completed == nil ? 0 : 1)) / Double(steps.count))
        }
        emit(NetworkTestProgress(step: step, fraction: fraction, completed: completed))
    }
}
