// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import ClusterStore
import Logging
import SessionCore

/// Learns what the other nodes of a cluster have decided: whose tokens are refused, and which observed calls were ended.
struct RefusalWatch: Sendable {
    /// For as long a token that was revoked at one node may be good at another.
    private static let interval: Duration = .seconds(2)

    let tokens: ClusterTokens
    let hub: ServerHub
    let revoked: RevokedTokens
    let feed: LiveFeed
    let logger: Logger

    /// Looks again and again, until the task is cancelled.
    func run() async {
        var isFailing = false
        while (try? await Task.sleep(for: Self.interval)) != nil {
            do {
                await take(try await tokens.latest())
                isFailing = false
            } catch is CancellationError {} catch {
                if !isFailing {
                    logger.warning(
                        "tokens that other servers refuse from now on are good here until the database says so",
                        metadata: ["error": "\(error)"])
                }
                isFailing = true
            }
        }
    }

    private func take(_ decisions: ClusterTokens.Decisions) async {
        revoked.learn(decisions.tokens)
        for token in decisions.tokens where token.scope == .api { feed.end(token: token.id) }
        await hub.learn(
            denied: decisions.tokens.compactMap(DeniedToken.init), endedCalls: decisions.endedCalls)
    }
}
