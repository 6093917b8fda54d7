// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

/// Has what the rules say of a call kept beside what those who took part say of it, once it is over.
///
/// Once and not for each reader: it takes all samples of the call, which may be gone by the time at which someone asks.
enum RatingJudge {
    /// How long after its end a call is judged, ms: what is sent late is there then.
    private static let delay = 10_000.0
    /// Calls that are judged at a time.
    private static let few = 4

    /// Judges a few calls that are due.
    ///
    /// - Parameter now: Unix ms.
    /// - Throws: The store's error.
    static func run(_ store: any CallHistory, now: Double) async throws {
        for session in try await store.unjudgedSessions(before: now - delay, limit: few) {
            let report = try await SessionReport.make(
                WindowQuery(session: session.session), from: store, showsNames: false, showsReports: false)
            guard let report else { continue }
            try await store.judge(session, report.scores)
        }
    }
}
