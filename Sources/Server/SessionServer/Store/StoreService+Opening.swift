// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallStore
import ClusterStore
import Logging
import PostgresClient

// Which store it is, is known here; everything else speaks to a `HistoryStore`.
extension StoreService {
    /// Opens the store, which may take a moment of the disk's.
    ///
    /// - Throws: ``ConfigurationError`` if it cannot be opened.
    static func open(
        _ configuration: SessionServerConfiguration.Store, logger: Logger
    ) async throws(ConfigurationError) -> any HistoryStore {
        do {
            if let cluster = configuration.cluster {
                let history = try await ClusterHistory.open(
                    .init(cluster.address), node: cluster.node, configuration: configuration.settings)
                logger.logRecovery(history.figures)
                return history
            }
            guard let path = configuration.path else {
                return try SQLiteCallStore.inMemory(configuration: configuration.settings)
            }
            let store = try SQLiteCallStore(path: path, configuration: configuration.settings)
            if let replaced = store.replaced {
                logger.error(
                    "the store was damaged: it was moved aside, and an empty one takes its place",
                    metadata: ["moved to": "\(replaced.path)", "damage": "\(replaced.reason)"])
            }
            return store
        } catch {
            throw ConfigurationError("\(error)")
        }
    }

    /// Opens the list of refused tokens, which lies beside the store; `nil` without a store on disk.
    ///
    /// - Throws: ``ConfigurationError`` if it cannot be read: tokens that were revoked must not be good again.
    static func openTokens(
        _ configuration: SessionServerConfiguration.Store, _ store: any HistoryStore
    ) throws(ConfigurationError) -> (any RefusedTokenList)? {
        if let history = store as? ClusterHistory { return ClusterTokens(history) }
        guard let path = configuration.path else { return nil }
        do { return try RefusedTokenFile(path: path + ".refused-tokens") } catch {
            throw ConfigurationError("\(error)")
        }
    }
}

extension Logger {
    fileprivate func logRecovery(_ figures: ClusterFigures) {
        guard figures.recoveredSamples > 0 else { return }
        notice(
            "what an earlier run of this node had logged has been put into its place",
            metadata: ["samples": "\(figures.recoveredSamples)"])
    }
}
