// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import WebRTCStats

/// The statistics of an SDK that calls a delegate or a closure with them, for a `CallMonitor`.
///
/// Safe to use from any thread.
public final class HandedOverStatistics: StatsSource, Sendable {
    private let lock = NSLock()
    // Guarded by the lock; Swift's own begins with iOS 18.
    nonisolated(unsafe) private var latest: StatsReport?
    private let ask: @Sendable () -> Void

    /// - Parameter ask: Asks the SDK for its next report, such as Vonage's `getRtcStatsReport`; nothing if it comes by itself.
    public init(ask: @escaping @Sendable () -> Void = {}) { self.ask = ask }

    /// Takes the SDK's newest report.
    public func take(_ report: StatsReport) { lock.withLock { latest = report } }

    /// The newest report, and the next one asked for: it is never waited for, since an SDK may not answer at all.
    ///
    /// - Throws: ``NoReportYet`` before the first.
    public func statistics() async throws -> StatsReport {
        ask()
        guard let report = lock.withLock({ latest }) else { throw NoReportYet() }
        return report
    }

    /// The SDK has not handed over anything.
    public struct NoReportYet: Error {}
}
