// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Alerts that may begin per hour, so that one client cannot hide those of others.
///
/// Pure; by a clock that no one sets.
package struct AlertBudget: Sendable {
    private enum Scope: Hashable, Sendable { case session(Int64), participant(Int64, session: Int64) }

    private struct Count: Sendable {
        var since: Duration
        var alerts: Int
    }

    private static let window: Duration = .seconds(3600)
    /// Number of entries from which on past hours are discarded.
    private static let capacity = 10_000

    private let sessionLimit: Int
    private let participantLimit: Int
    private var counts: [Scope: Count] = [:]

    /// None has begun yet.
    package init(_ configuration: StoreConfiguration) {
        sessionLimit = configuration.alertsPerSession
        participantLimit = configuration.alertsPerParticipant
    }

    /// Whether one more may begin; then it is counted.
    ///
    /// - Parameter participant: Stands for the person, on however many connections, or for the connection of one without a
    ///   name.
    package mutating func take(session: Int64, participant: Int64, at uptime: Duration) -> Bool {
        let own = Scope.participant(participant, session: session)
        let session = Scope.session(session)
        guard count(session, uptime) < sessionLimit, count(own, uptime) < participantLimit else {
            return false
        }
        if counts.count >= Self.capacity { counts = counts.filter { isCurrent($0.value, uptime) } }
        for scope in [session, own] {
            counts[scope] = Count(
                since: isCurrent(counts[scope], uptime) ? counts[scope]?.since ?? uptime : uptime,
                alerts: count(scope, uptime) + 1)
        }
        return true
    }

    private func count(_ scope: Scope, _ uptime: Duration) -> Int {
        guard let count = counts[scope], isCurrent(count, uptime) else { return 0 }
        return count.alerts
    }

    private func isCurrent(_ count: Count?, _ uptime: Duration) -> Bool {
        count.map { uptime - $0.since < Self.window } ?? false
    }
}
