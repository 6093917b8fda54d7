// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Where drivers get their time from: a monotonic clock to wait by, and the wall clock to stamp with.
///
/// Tests put a virtual clock in its place.
public struct SessionClock: Sendable {
    /// Time since the clock was made; never goes back.
    public let now: @Sendable () -> Duration
    /// Unix ms.
    public let unixTime: @Sendable () -> Double
    private let pause: @Sendable (Duration) async throws -> Void

    /// Waits by any clock; stamps come from `unixTime`, by default the system's.
    public init<C: Clock>(
        _ clock: C, unixTime: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 * 1000 }
    ) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        pause = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
        self.unixTime = unixTime
    }

    /// The system's clock, which continues while the system sleeps.
    public static let continuous = SessionClock(ContinuousClock())

    /// Waits.
    ///
    /// - Throws: `CancellationError` if the task is cancelled meanwhile.
    public func sleep(for duration: Duration) async throws { try await pause(duration) }

    /// Runs `operation`, but not for longer than `limit`.
    ///
    /// `operation` is cancelled when its time is up, and waited for.
    ///
    /// - Throws: `error` when the time is up, else what `operation` throws.
    func withTimeout<Value: Sendable>(
        _ limit: Duration, _ error: SightlineError, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else { throw error }
            return value
        }
    }
}
