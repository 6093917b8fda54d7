// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Alerts that may begin per hour, so that one client cannot hide those of others.
///
/// Pure; by a clock that no one sets.
package struct AlertBudget: Sendable {
    private enum Scope: Hashable, Sendable { case session(Int64), connection(Int64) }

    private struct Count: Sendable {
        var since: Duration
        var alerts: Int
    }

    private static let window: Duration = .seconds(3600)
    /// Number of entries from which on past hours are discarded.
    private static let capacity = 10_000

    private let sessionLimit: Int
    private let connectionLimit: Int
    private var counts: [Scope: Count] = [:]

    /// None has begun yet.
    package init(_ configuration: StoreConfiguration) {
        sessionLimit = configuration.alertsPerSession
        connectionLimit = configuration.alertsPerConnection
    }

    /// Whether one more may begin; then it is counted.
    package mutating func take(session: Int64, connection: Int64, at uptime: Duration) -> Bool {
        let (session, connection) = (Scope.session(session), Scope.connection(connection))
        guard count(session, uptime) < sessionLimit, count(connection, uptime) < connectionLimit else {
            return false
        }
        if counts.count >= Self.capacity { counts = counts.filter { isCurrent($0.value, uptime) } }
        for scope in [session, connection] {
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
