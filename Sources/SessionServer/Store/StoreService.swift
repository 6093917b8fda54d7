// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallStore
import Foundation
import Logging

/// The store of a running server: what is written, who hears of it, and the upkeep.
struct StoreService: Sendable {
    let store: CallStore
    let writer: StoreWriter
    private let upkeep: Duration
    private let logger: Logger

    /// Opens the store, which may take a moment of the disk's.
    ///
    /// - Throws: ``ConfigurationError`` if it cannot be opened.
    static func open(_ configuration: SessionServerConfiguration.Store) throws(ConfigurationError)
        -> CallStore
    {
        do {
            guard let path = configuration.path else {
                return try CallStore.inMemory(configuration: configuration.settings)
            }
            return try CallStore(path: path, configuration: configuration.settings)
        } catch {
            throw ConfigurationError("\(error)")
        }
    }

    init(
        _ store: CallStore, _ configuration: SessionServerConfiguration.Store, hub: ServerHub, feed: LiveFeed,
        webhook: Webhook?,
        logger: Logger
    ) {
        self.store = store
        upkeep = configuration.settings.upkeep
        self.logger = logger
        writer = StoreWriter(
            store: store, wantsNews: { feed.hasListeners },
            onFailure: { error in
                logger.error("storing failed; it is tried again", metadata: ["error": "\(error)"])
            },
            onCommit: { receipts, outcome in
                if !receipts.isEmpty { await hub.handle(.stored(receipts)) }
                feed.tell(outcome)
                for alert in outcome.alerts { webhook?.take(alert) }
            })
    }

    /// Looks after the store, and shows those who watch that the server is there, until the task is cancelled.
    func keepUp(_ feed: LiveFeed) async {
        while (try? await Task.sleep(for: upkeep)) != nil {
            feed.beat()
            do {
                try await store.upkeep(now: Date().timeIntervalSince1970 * 1000)
            } catch is CancellationError {
                return
            } catch {
                logger.error("the store's upkeep failed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Writes what is left and closes the store; nobody may use either any more.
    func close(_ writing: Task<Void, Never>) async {
        writer.finish()
        await writing.value
        // Of its own: a server that is cancelled closes its store all the same.
        await Task {
            do {
                try await store.upkeep(now: Date().timeIntervalSince1970 * 1000)
                try store.close()
            } catch {
                // What is committed is safe; the next start sums it up.
                logger.warning("the store was not closed in order", metadata: ["error": "\(error)"])
            }
        }.value
    }
}
