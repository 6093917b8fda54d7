// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Sightline
import Synchronization
import TestSupport
import Testing

/// A clock that moves only when a test says so.
final class VirtualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let due: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state = Mutex(State())

    /// Whoever sleeps by this clock is begun after it, and so is counted.
    init() { Quiescence.begin() }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    /// Those who sleep now.
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// For the SDK; Unix time begins at 1 000 000 ms.
    var sessionClock: SessionClock {
        SessionClock(self) { [self] in
            let (seconds, attoseconds) = now.offset.components
            return 1_000_000 + Double(seconds) * 1000 + Double(attoseconds) / 1e15
        }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enlist(id, Sleeper(due: deadline, continuation: continuation))
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(id)
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Lets time pass, and wakes whose time has come, the earliest first.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.due <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.due < $1.due }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Lets time pass in steps until something is so, each when everyone has done what the last one brought.
    ///
    /// Fails the test if it is not so within an hour of its time.
    func advance(
        until what: String, step: Duration, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: () -> Bool
    ) async {
        let end = now.advanced(by: .seconds(3600))
        while true {
            await Quiescence.reached()
            if condition() { return }
            guard now < end else { break }
            advance(by: step)
        }
        Issue.record("not within an hour of virtual time: \(what)", sourceLocation: sourceLocation)
    }

    private func enlist(_ id: Int, _ sleeper: Sleeper) {
        let result: Result<Void, any Error>? = state.withLock { state in
            if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
            if sleeper.due <= state.now { return .success(()) }
            state.sleepers[id] = sleeper
            return nil
        }
        if let result { sleeper.continuation.resume(with: result) }
    }
}
