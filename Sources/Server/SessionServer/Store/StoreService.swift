// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import ClusterStore
import Foundation
import HistoryWriter
import Logging
import SessionCore

/// The store of a running server: what is written, who is notified of it, and the maintenance.
struct StoreService: Sendable {
    let store: any HistoryStore
    let kinds: SessionKinds
    let writer: StoreWriter
    /// Tokens that are refused over a restart; `nil` without a store on disk.
    let refusedTokens: (any RefusedTokenList)?
    private let denials: AsyncStream<DeniedToken>
    private let denialQueue: AsyncStream<DeniedToken>.Continuation
    private let denialKeeper: DenialKeeper
    private let maintenance: Duration
    private let alerts: AlertService
    private let logger: Logger

    init(
        _ store: any HistoryStore, _ refusedTokens: (any RefusedTokenList)?,
        _ configuration: SessionServerConfiguration.Store, hub: ServerHub,
        feed: LiveFeed,
        alerts: AlertService,
        metrics: ServerMetrics,
        traces: CallTraces?,
        logger: Logger
    ) {
        self.store = store
        kinds = SessionKinds(store)
        self.refusedTokens = refusedTokens
        (denials, denialQueue) = AsyncStream.makeStream()
        denialKeeper = DenialKeeper(refusedTokens, logger: logger)
        maintenance = configuration.settings.maintenance
        self.logger = logger
        self.alerts = alerts
        writer = StoreWriter(
            store: store, reportsChanges: { feed.hasListeners },
            onIncident: { logger.log($0) },
            onLoss: { receipts in
                for receipt in receipts { await hub.handle(.notStored(receipt)) }
            },
            onMove: { sessions, receipts in
                logger.warning(
                    "another node has observed calls by now: what this one had still to store of them goes there",
                    metadata: ["calls": "\(sessions.count)"])
                await hub.handle(.moved(sessions: sessions, receipts))
            },
            onCommit: { receipts, outcome in
                if !receipts.isEmpty { await hub.handle(.stored(receipts)) }
                feed.publish(outcome)
                metrics.note(outcome.alerts)
                traces?.take(outcome.alerts)
                for alert in outcome.alerts { alerts.take(alert) }
            })
    }

    /// Has a server continue where the one before has ended.
    ///
    /// - Throws: The store's error.
    func begin(_ hub: ServerHub) async throws {
        let denied = try await refusedTokens?.tokens().compactMap(DeniedToken.init)
        let run = FormerRun(
            sessions: try await store.sessionsThatMayReturn(), denied: denied ?? [],
            endedCalls: try await store.endedCalls())
        alerts.recall(try await store.endOpenAlerts())
        await hub.recall(run, denials: denialQueue)
        await hub.storeIsReady(writer)
    }

    /// Tells of the sustained issues that have ended with another server.
    func tell(_ recovery: ClusterHistory.Recovery) { alerts.recall(recovery.alerts) }

    /// Writes until it is closed.
    func write() async {
        async let denials: Void = keepDenials()
        await writer.run()
        await denials
    }

    private func keepDenials() async {
        for await token in denials { await denialKeeper.keep(token) }
    }

    /// Maintains the store, and sends heartbeats to live listeners, until the task is
    /// cancelled.
    func keepUp(_ feed: LiveFeed) async {
        var problem: String?
        while (try? await Task.sleep(for: maintenance)) != nil {
            feed.beat()
            if store.damage == nil { problem = await maintain(after: problem) }
            await denialKeeper.retry()
            writer.checkDamage()
        }
    }

    /// Notifies of many bad calls at once, until the task is cancelled.
    ///
    /// - Parameter isResponsible: Whether it is for this server to do that, one of several.
    func watchFleet(isResponsible: () async -> Bool) async {
        await alerts.watchFleet(store, isResponsible: isResponsible, isStoring: { writer.isStoring })
    }

    /// Judges rated calls once they are over, until the task is cancelled.
    func judgeRatings() async { await RatingJudge(store, logger: logger).run() }

    /// Maintains the store; gives what is wrong with it, which is said once each time that it is the same.
    private func maintain(after problem: String?) async -> String? {
        do {
            let outcome = try await store.maintenance(now: Self.now)
            if let step = outcome.clockStep { logger.logStep(step) }
            return nil
        } catch is CancellationError {
            return problem
        } catch {
            if problem != "\(error)" {
                logger.error("the store cannot be tidied up", metadata: ["error": "\(error)"])
            }
            return "\(error)"
        }
    }

    /// Unix ms.
    private static var now: Double { Date().unixTime }

    /// Writes what is left and closes the store; no one may use either any more.
    func close(_ writing: Task<Void, Never>) async {
        writer.finish()
        denialQueue.finish()
        await writing.value
        await kinds.close()
        // Of its own: a server that is cancelled closes its store all the same.
        await Task {
            await denialKeeper.finish()
            refusedTokens?.close()
            do {
                try await store.maintenance(now: Self.now)
                try await store.close()
            } catch {
                // What is committed is safe; the next start sums it up.
                logger.warning("the store was not closed in order", metadata: ["error": "\(error)"])
            }
        }.value
    }
}

extension DeniedToken {
    /// One that lets no one into a session; `nil` for one of the API.
    init?(_ token: RefusedToken) {
        guard case .session(let session) = token.scope else { return nil }
        self.init(session: session, id: token.id, expires: token.end)
    }
}

extension Logger {
    /// Logs storage failures and their consequences.
    fileprivate func log(_ incident: StoreIncident) {
        switch incident {
        case .paused(let error):
            self.error(
                "nothing can be stored just now; it is tried until it can, what is too much meanwhile is dropped",
                metadata: ["error": "\(error)"])
        case .resumed: notice("storing continues")
        case .damaged(let error as ClusterHistory.Displaced):
            critical("this server stores nothing more", metadata: ["error": "\(error)"])
        case .damaged(let error):
            critical(
                "the store is damaged: nothing more is stored; a restart moves it aside and begins an empty one",
                metadata: ["error": "\(error)"])
        case .leftOut(let records, let error):
            self.error(
                "records that the store refuses were omitted",
                metadata: ["records": "\(records)", "error": "\(error)"])
        }
    }

    fileprivate func logStep(_ step: Double) {
        let hours = (step / 3_600_000 * 100).rounded() / 100
        warning(
            "the clock has jumped, or the store was unused for long: nothing in it is deleted for its age for a day",
            metadata: ["hours": "\(hours)"])
    }
}
