// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallStore
import Logging

// Which store it is, is known here; everything else speaks to a `CallHistory`.
extension StoreService {
    /// Opens the store, which may take a moment of the disk's.
    ///
    /// - Throws: ``ConfigurationError`` if it cannot be opened.
    static func open(
        _ configuration: SessionServerConfiguration.Store, logger: Logger
    ) throws(ConfigurationError) -> any CallHistory {
        do {
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
        _ configuration: SessionServerConfiguration.Store
    ) throws(ConfigurationError) -> RefusedTokenFile? {
        guard let path = configuration.path else { return nil }
        do { return try RefusedTokenFile(path: path + ".refused-tokens") } catch {
            throw ConfigurationError("\(error)")
        }
    }
}
