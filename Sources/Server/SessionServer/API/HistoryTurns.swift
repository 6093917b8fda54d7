// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import SessionCore
import SessionWire

/// Lets a few requests at a time read the history: each takes one of the store's readers, and memory for what it finds.
///
/// The others wait for their turn, a limited number of them; what takes too long is ended in the midst of its reading.
actor HistoryTurns {
    private let limit: Int
    private let waitingLimit: Int
    private let time: Duration
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// How many wait.
    var waitingCount: Int { waiting.count }

    init(_ limits: SessionServerLimits, _ timeouts: SessionServerTimeouts) {
        limit = limits.historyRequests
        waitingLimit = limits.waitingHistoryRequests
        time = timeouts.history
    }

    /// Reads when there is a turn.
    ///
    /// - Throws: ``APIError`` 503 if too many wait already, or if it takes too long.
    func take<Answer: Sendable>(_ read: @escaping @Sendable () async throws -> Answer) async throws -> Answer
    {
        try await begin()
        defer { end() }
        return try await Self.within(time, read)
    }

    private func begin() async throws(APIError) {
        guard running >= limit else {
            running += 1
            return
        }
        guard waiting.count < waitingLimit else {
            throw APIError(
                .serviceUnavailable, ServerError(.tooMany, "too many requests read the history; try again"),
                retryAfter: 1)
        }
        // Whoever ends hands over its turn.
        await withCheckedContinuation { waiting.append($0) }
    }

    private func end() {
        if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    }

    private static func within<Answer: Sendable>(
        _ time: Duration, _ read: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { tasks in
            tasks.addTask { try await read() }
            tasks.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            // The store's reading ends when its task is cancelled.
            defer { tasks.cancelAll() }
            guard let first = try await tasks.next(), let answer = first else {
                throw APIError(
                    .serviceUnavailable,
                    ServerError(.tooMany, "that takes too long; ask for a part of it with “from” and “to”"))
            }
            return answer
        }
    }
}
