// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import PostgresClient
import Synchronization

extension ClusterHistory {
    /// What may still be on its way when a minute is over, ms.
    private static let lateness: Int64 = 15_000
    /// Between two looks at what is too old.
    private static let tidying: Duration = .seconds(60)

    @discardableResult
    package func maintenance(now: Double, uptime: Duration) async throws -> MaintenanceOutcome {
        if let damage { throw damage }
        // Who has nothing to write finds out as well.
        try await noticing { [self] in
            let instance = instance
            try await maintainer.transaction { _ = try SampleLog.requireAlive(instance, $0) }
        }
        try await touchSessions()
        try await flush(.over(by: Int64(unixTime: now) - Self.lateness))
        let newest = try await newest()
        let (reading, isDue) = state.withLock { state in
            let isDue = state.tidiedAt.map { uptime - $0 >= Self.tidying || uptime < $0 } ?? true
            if isDue { state.tidiedAt = uptime }
            return (state.clock.read(now: now, uptime: uptime, newest: newest), isDue)
        }
        if isDue { try await tidy(now: now, isHeld: reading.isHeld) }
        return MaintenanceOutcome(clockStep: reading.step)
    }

    /// When any session was last active, which only the first look wants to know.
    private func newest() async throws -> Double? {
        guard state.withLock({ $0.tidiedAt == nil }) else { return nil }
        return try await reading { session in
            try session.execute("SELECT max(last_at) FROM sessions").first?.timeIfPresent(0)
        }
    }

    /// Does all that is due: what fails keeps nothing else from being done, and the first error is given at the end.
    private func tidy(now: Double, isHeld: Bool) async throws {
        var failure: (any Error)?
        func attempt(_ step: () async throws -> Void) async {
            do { try await step() } catch { failure = failure ?? error }
        }
        await attempt { try await maintainer.transaction { try LogPartitions.make(atMost: 12, $0) } }
        for partitions in MinutePartitions.all {
            await attempt { try await maintainer.transaction { try partitions.make($0) } }
        }
        await attempt {
            try await maintainer.run { session in
                try Self.alone(session) { try LogPartitions.dropOld(session) }
            }
        }
        await attempt { try await look() }
        if !isHeld {
            await attempt {
                try await maintainer.transaction { try Retention.forgetEndedCalls(now: now, $0) }
            }
            if let age = configuration.maximumAge {
                let cutoff = Int64(unixTime: now - age.milliseconds)
                await attempt { try await delete(before: cutoff) }
                for partitions in MinutePartitions.all {
                    await attempt { try await drop(partitions, before: cutoff) }
                }
            }
        }
        if let failure { throw failure }
    }

    /// Sees how large the database is, and for how long it has tables.
    private func look() async throws {
        let (left, bytes) = try await maintainer.run { session in
            let bytes = try session.execute("SELECT pg_database_size(current_database())")
            return (try ClusterStatus.hoursLeft(session), try bytes.first?.value(0, as: Int64.self))
        }
        state.withLock { state in
            state.figures.hoursLeft = left
            state.bytes = bytes
        }
    }

    private func delete(before cutoff: Int64) async throws {
        while try await maintainer.transaction({ try Retention.deleteOld(before: cutoff, $0) }) {
            try Task.checkCancellation()
        }
    }

    private func drop(_ partitions: MinutePartitions, before cutoff: Int64) async throws {
        try await maintainer.run { session in
            try Self.alone(session) { try partitions.drop(before: cutoff.unixMinute, session) }
        }
    }

    /// Does what two nodes cannot do at once, unless another one does it just now.
    private static func alone(_ session: PostgresSession, _ body: () throws -> Void) throws {
        let lock = try session.execute("SELECT pg_try_advisory_lock(x'534748540005'::bigint)").first
        guard try lock?.value(0) ?? false else { return }
        // A connection that is lost has no locks.
        defer { _ = try? session.execute("SELECT pg_advisory_unlock(x'534748540005'::bigint)") }
        try body()
    }

    package func deleteParticipant(_ participant: String) async throws -> Int {
        try await flushing.take { [self] in
            try await writing.take { [self] in
                let gone = try await log.transaction { session in
                    try Retention.deleteParticipant(participant, session)
                }
                state.withLock { state in
                    for flow in gone.flows { state.minutes.remove(flow: flow) }
                    state.writer.forget(flows: gone.flows, connections: gone.connections)
                }
                return gone.connections.count
            }
        }
    }
}
