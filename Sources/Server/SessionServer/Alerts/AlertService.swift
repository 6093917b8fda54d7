// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import Logging

/// Notifies the receivers of alerts.
struct AlertService: Sendable {
    /// For what is still to be posted when the server ends.
    static let farewell: Duration = .seconds(10)
    /// Between two looks at what lasts or is over.
    private static let tick: Duration = .milliseconds(500)
    /// Between two looks at all calls.
    private static let fleetInterval: Duration = .seconds(60)

    private let posters: [AlertPoster]
    private let rule: FleetRule
    private let site: AlertSite
    private let logger: Logger
    private let began = Date().unixTime
    private let start = ContinuousClock.now

    /// - Parameter pauses: Before another try of a post.
    init(
        _ receivers: [SessionServerConfiguration.AlertReceiver], fleet rule: FleetRule, site: AlertSite,
        logger: Logger, pauses: [Duration] = AlertPoster.pauses
    ) {
        posters = receivers.enumerated().map { index, receiver in
            AlertPoster(receiver, number: index + 1, site: site, logger: logger, pauses: pauses)
        }
        self.rule = rule
        self.site = site
        self.logger = logger
    }

    /// What could not be posted; `nil` without a receiver.
    var failed: UInt64? { posters.isEmpty ? nil : posters.reduce(0) { $0 + $1.failed } }

    /// Takes an issue that began, grew or ended.
    func take(_ change: AlertChange) {
        for poster in posters { poster.take(change, at: now) }
    }

    /// Takes issues that have ended with a server that was before, or is gone.
    func recall(_ alerts: [Alert]) {
        for poster in posters { poster.recall(alerts) }
    }

    /// Posts until ``close(_:within:)``, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - isHere: Whether a call is at this server, and not over.
    ///   - isStoring: Whether what comes is stored: of what is not nothing is heard here.
    func run(
        isHere: @escaping @Sendable (String) async -> Bool = { _ in true },
        isStoring: @escaping @Sendable () -> Bool = { true }
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while (try? await Task.sleep(for: Self.tick)) != nil {
                    await advance(isHere, isStoring: isStoring())
                }
            }
            await withTaskGroup(of: Void.self) { posting in
                for poster in posters { posting.addTask { await poster.run() } }
            }
            group.cancelAll()
        }
    }

    private func advance(_ isHere: (String) async -> Bool, isStoring: Bool) async {
        for poster in posters {
            var gone: Set<String> = []
            for session in poster.sessionsToCheck(isStoring: isStoring) where await !isHere(session) {
                gone.insert(session)
            }
            poster.end(sessions: gone, at: now, isStoring: isStoring)
            poster.advance(to: now, isStoring: isStoring)
        }
    }

    /// Looks at all calls together, until the task is cancelled.
    ///
    /// What could not be stored looks well, so that nothing is over before enough is stored again.
    ///
    /// - Parameters:
    ///   - interval: Between two looks; `nil` for what is usual.
    ///   - isResponsible: Whether it is for this server to do that, one of several.
    ///   - isStoring: Whether what comes is stored.
    func watchFleet(
        _ store: any HistoryStore, every interval: Duration? = nil, isResponsible: () async -> Bool,
        isStoring: () -> Bool = { true }
    ) async {
        let posters = posters.filter(\.takesFleet)
        guard !posters.isEmpty else { return }
        var alarm = FleetAlarm(rule, site: site)
        func post(_ post: AlertPost?) {
            if let post { for poster in posters { poster.take(post) } }
        }
        while (try? await Task.sleep(for: interval ?? Self.fleetInterval)) != nil {
            guard await isResponsible() else {
                post(alarm.finish(at: now))
                continue
            }
            let now = now
            guard isStoring() else {
                post(alarm.wait(at: now))
                continue
            }
            do {
                let query = FleetQuery(from: max(0, now - rule.window.milliseconds), to: now)
                post(alarm.take(try await store.fleet(query), at: now))
            } catch is CancellationError {} catch {
                logger.warning("all calls together cannot be judged now", metadata: ["error": "\(error)"])
                post(alarm.wait(at: now))
            }
        }
        post(alarm.finish(at: now))
    }

    /// Ends it: what is left is posted first, for as long as that may take.
    ///
    /// - Parameter posting: What calls ``run()``.
    func close(_ posting: Task<Void, Never>, within limit: Duration = AlertService.farewell) async {
        for poster in posters { poster.finish() }
        let deadline = Task {
            try await Task.sleep(for: limit)
            posting.cancel()
        }
        await posting.value
        deadline.cancel()
    }

    /// Unix ms as of the start and what has passed since: no one sets it.
    private var now: Double { began + (ContinuousClock.now - start).milliseconds }
}
