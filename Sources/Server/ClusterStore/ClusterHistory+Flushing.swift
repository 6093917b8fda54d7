// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import PostgresClient
import Synchronization

extension ClusterHistory {
    /// Which minutes are put into chunks.
    enum Extent {
        /// Those that were over by a time, Unix ms.
        case over(by: Int64)
        /// Every one, such as at the end.
        case everything
    }

    /// Puts minutes into chunks, and says that the log is not needed for them any more, in one transaction.
    func flush(_ extent: Extent) async throws {
        try await noticing {
            try await flushing.take { [self] in
                // What could not be done, or may have been, comes first; it is usually nothing.
                for _ in 0..<2 {
                    let isLeft = state.withLock { !$0.flushing.isEmpty }
                    if !isLeft {
                        state.withLock { state in
                            switch extent {
                            case .over(let time): state.flushing = state.minutes.take(now: time)
                            case .everything: state.flushing = state.minutes.takeAll()
                            }
                        }
                    }
                    try await store()
                    guard isLeft else { return }
                }
            }
        }
    }

    private func store() async throws {
        let (instance, minutes, done, needed, isUnknown) = state.withLock { state in
            let needed = state.minutes.lowWaterOfOpen.map { $0 - 1 } ?? state.sequence
            return (state.instance, state.flushing, state.flushes, needed, state.isFlushUnknown)
        }
        guard !minutes.isEmpty else { return }
        do {
            try await Self.storing(on: maintainer, repeating: isUnknown) { session in
                let known = try session.execute(
                    "SELECT flushes FROM instances WHERE instance = $1", [.int64(instance.number)])
                if try known.first?.value(0) ?? 0 > done { return }
                try Minutes.store(minutes.map { ($0.key, $0.samples) }, session)
                try SampleLog.advance(instance, to: needed, session)
            }
            state.withLock { state in
                guard state.instance == instance else { return }
                state.minutes.finish()
                state.flushes += 1
                state.figures.chunks += minutes.count
                state.flushing = []
                state.isFlushUnknown = false
            }
        } catch {
            if (error as? PostgresError)?.consequence == .unknown {
                state.withLock { $0.isFlushUnknown = $0.instance == instance }
            }
            throw error
        }
    }

    /// Puts minutes into chunks as a transaction, and does it again if another node has put the same minute there at the same
    /// time: of a session that went from one to the other in the middle of it.
    static func storing<Value: Sendable>(
        on connection: PostgresConnection, repeating isRepeated: Bool = false,
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        for _ in 0..<3 {
            do { return try await connection.transaction(repeating: isRepeated, body) } catch let error
                as PostgresError where isCollision(error)
            { continue }
        }
        return try await connection.transaction(repeating: isRepeated, body)
    }

    private static func isCollision(_ error: PostgresError) -> Bool {
        [.refused(.uniqueViolation), .refused(.deadlock)].contains(error.kind)
    }

    /// Stores when sessions were last active, and their worst conditions.
    func touchSessions() async throws {
        let touched = state.withLock { state in
            defer { state.touched = [:] }
            return state.touched
        }
        guard !touched.isEmpty else { return }
        do {
            try await maintainer.transaction { try Minutes.touch(touched, $0) }
        } catch {
            state.withLock { state in
                for (session, touch) in touched { state.touched[session, default: touch].add(touch) }
            }
            throw error
        }
    }
}
