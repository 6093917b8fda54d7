// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Foundation
import Logging

/// Has what the rules say of a call kept beside what those who took part say of it, once it is over.
///
/// Once and not for each reader: it takes all samples of the call, which may be gone by the time at which someone asks.
struct RatingJudge: Sendable {
    /// How long after its end a call is judged, ms: what is sent late is there then.
    private static let delay = 10_000.0
    /// Calls that are asked for at a time.
    private static let few = 16
    /// Between two looks for what is due.
    private static let interval: Duration = .seconds(5)

    private let store: any HistoryStore
    private let logger: Logger
    private let read: @Sendable (_ session: String) async throws -> [String: Double]

    init(_ store: any HistoryStore, logger: Logger) {
        self.init(store, logger: logger) { try await CallScores.read($0, from: store) }
    }

    /// - Parameter read: Gives a session's scores by connection.
    init(
        _ store: any HistoryStore, logger: Logger,
        read: @escaping @Sendable (_ session: String) async throws -> [String: Double]
    ) {
        self.store = store
        self.logger = logger
        self.read = read
    }

    /// Judges what becomes due, until the task is cancelled.
    func run() async {
        var problem: String?
        while (try? await Task.sleep(for: Self.interval)) != nil {
            guard store.damage == nil else { continue }
            do {
                try await judgeDue(now: Date().unixTime)
                problem = nil
            } catch is CancellationError {
                return
            } catch {
                // It is tried again, and said once each time that it is the same.
                if problem != "\(error)" {
                    logger.error("rated calls cannot be judged now", metadata: ["error": "\(error)"])
                }
                problem = "\(error)"
            }
        }
    }

    /// Judges all calls that are due, one after the other.
    ///
    /// One of which the store's content is not in order is not judged, and holds up no other.
    ///
    /// - Parameter now: Unix ms.
    /// - Throws: The store's error, if it says nothing of the call.
    func judgeDue(now: Double) async throws {
        var seen: Set<String> = []
        while true {
            let due = try await store.unjudgedSessions(before: now - Self.delay, limit: Self.few)
            // One that got more meanwhile has its turn the next time.
            let new = due.filter { seen.insert($0.session).inserted }
            guard !new.isEmpty else { return }
            for session in new {
                try Task.checkCancellation()
                try await store.judge(session, scores(of: session))
            }
        }
    }

    private func scores(of session: UnjudgedSession) async throws -> [String: Double] {
        do { return try await read(session.session) } catch {
            guard !(error is CancellationError), store.failure(error) == .records else { throw error }
            logger.error(
                "a rated call is left without a score: what is stored of it cannot be read",
                metadata: ["session": "\(session.session)", "error": "\(error)"])
            return [:]
        }
    }
}
