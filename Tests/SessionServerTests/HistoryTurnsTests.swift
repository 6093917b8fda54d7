// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import SessionCore
import TestSupport
import Testing

@testable import SessionServer

@Suite("Turns to read the history", .timeLimit(.minutes(1)))
struct HistoryTurnsTests {
    private static func turns(_ limit: Int, waiting: Int, time: Duration = .seconds(60)) -> HistoryTurns {
        var limits = SessionServerLimits()
        limits.historyRequests = limit
        limits.waitingHistoryRequests = waiting
        var timeouts = SessionServerTimeouts()
        timeouts.history = time
        return HistoryTurns(limits, timeouts)
    }

    private static func refusal(_ body: () async throws -> Void) async -> APIError? {
        do {
            try await body()
            return nil
        } catch { return error as? APIError }
    }

    @Test("a few have one at a time, some wait for theirs, and more are refused, with a time to try again")
    func limits() async throws {
        let turns = Self.turns(1, waiting: 1)
        let (started, start) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await turns.take {
                start.yield()
                for await _ in ended { break }
                return 1
            }
        }
        for await _ in started { break }
        let second = Task { try await turns.take { 2 } }
        try await eventually("the second waits") { await turns.waitingCount == 1 }
        let refused = await Self.refusal { try await turns.take {} }
        #expect(refused?.status == .serviceUnavailable && refused?.retryAfter == 1)
        end.yield()
        #expect(try await [first.value, second.value] == [1, 2])
        // Both have given their turns back.
        #expect(try await turns.take { 3 } == 3)
    }

    @Test("what takes too long is ended, and what fails gives its turn back")
    func tooLong() async throws {
        let turns = Self.turns(1, waiting: 0, time: .milliseconds(1))
        let refused = await Self.refusal {
            try await turns.take { try await Task.sleep(for: .seconds(3600)) }
        }
        #expect(refused?.status == .serviceUnavailable)
        await #expect(throws: CancellationError.self) { try await turns.take { throw CancellationError() } }
        #expect(await turns.waitingCount == 0)
    }
}
