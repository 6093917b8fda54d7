// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import Logging
import SessionCore

/// Has other nodes, and the next runs, refuse the tokens of those who were put out: what cannot be stored waits until it can.
actor DenialKeeper {
    /// Tokens that wait; those beyond are refused in this run only.
    static let limit = 10_000

    private let list: (any RefusedTokenList)?
    private let logger: Logger
    private var waiting: [DeniedToken] = []
    /// When storing one failed last.
    private var failedAt: ContinuousClock.Instant?
    /// How long no other is tried then: what is away is not asked for each.
    private let pause: Duration

    init(_ list: (any RefusedTokenList)?, logger: Logger, pause: Duration = .seconds(1)) {
        self.list = list
        self.logger = logger
        self.pause = pause
    }

    /// Stores a token, at the next ``retry()`` if that cannot be now.
    func keep(_ token: DeniedToken) async {
        if let failedAt, ContinuousClock.now - failedAt < pause { return wait(token) }
        do { try await store(token) } catch {
            logger.error(
                "a token whose holder was put out is refused by this server alone until it can be stored",
                metadata: ["session": "\(token.session)", "error": "\(error)"])
            wait(token)
        }
    }

    /// Stores what waits, up to the first that cannot be stored; that one comes last next time.
    func retry() async {
        let tokens = waiting
        waiting = []
        for (place, token) in tokens.enumerated() {
            do { try await store(token) } catch {
                waiting = Array(tokens.dropFirst(place + 1)) + waiting + [token]
                return
            }
        }
    }

    /// Stores what waits if it can be, and says what cannot: no one tries again.
    func finish() async {
        await retry()
        if !waiting.isEmpty { logLoss(of: waiting.count) }
    }

    private func store(_ token: DeniedToken) async throws {
        do {
            try await list?.add(.init(scope: .session(token.session), id: token.id, end: token.expires))
            failedAt = nil
        } catch {
            failedAt = .now
            throw error
        }
    }

    private func wait(_ token: DeniedToken) {
        guard waiting.count < Self.limit else { return logLoss(of: 1) }
        waiting.append(token)
    }

    private func logLoss(of count: Int) {
        logger.error(
            "tokens whose holders were put out are refused in this run only: they could not be stored",
            metadata: ["tokens": "\(count)"])
    }
}
