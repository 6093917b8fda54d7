// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import RouterWire
import SessionWire

/// How a participant's network does.
struct ParticipantQuality: Sendable {
    let connection: ConnectionID
    let stats: NetworkQualityStats
    /// Whether others may see the figures behind the levels.
    let sharesFigures: Bool

    /// What a client may see of it.
    fileprivate func stats(for watcher: ConnectionID) -> NetworkQualityStats {
        sharesFigures || watcher == connection ? stats : stats.withoutFigures
    }
}

/// How everyone's network does, and who wants to know.
struct SessionQualityState: Sendable {
    /// A client that asked for participants' network quality.
    private struct Watcher: Sendable {
        let request: AskNetworkQuality
        /// The level that it was sent last, by connection.
        var sent: [ConnectionID: NetworkQualityStats] = [:]
    }

    let configuration: QualityConfiguration
    private(set) var endpoints = Table<EndpointID, EndpointQuality>()
    /// Apart from what they say, which is looked up often: they are too large to be copied for that.
    private(set) var judges = EndpointJudges()
    private var watchers: [ConnectionID: Watcher] = [:]
    /// What the legs at the router show beside each other, and when they were last compared.
    private var comparison = LegComparison()
    private var comparedAt: Duration?
    /// When those who asked for it are notified next.
    private var due = Duration.zero

    init(_ configuration: QualityConfiguration) { self.configuration = configuration }

    /// The age beyond which figures count as absent.
    var ageLimit: Duration { .seconds(configuration.remoteMetricsMaxAge) }

    /// Clients that want to know of others.
    var watcherCount: Int { watchers.count }

    /// The router's view of the media's levels.
    func seenLevels(of id: EndpointID) -> StreamLevels? { endpoints[id]?.seen?.levels }

    /// The router's view of a path; `nil` if it is old, or unknown.
    func transport(of id: EndpointID, at now: Duration) -> TransportStats? {
        endpoints[id]?.transport(at: now, limit: ageLimit)
    }

    /// Whether all legs at the router are bad at once.
    var isServerBad: Bool { comparison.isServerBad }

    /// Whether the legs at the router are to be compared; if so, not again for a second: all are looked at.
    mutating func isComparisonDue(at now: Duration) -> Bool {
        guard comparedAt.map({ now - $0 >= .seconds(1) }) ?? true else { return false }
        comparedAt = now
        return true
    }

    /// Compares the legs at the router of which something is known.
    mutating func compare(_ states: [LegComparison.State], at now: Duration) {
        comparison.handle(states, at: now, configuration.comparison)
    }

    /// Another leg serves a publication or subscription.
    mutating func forgetRouter(of id: EndpointID) { endpoints.change(id) { $0.forgetRouter() } }

    /// A publication or subscription has ended.
    mutating func forget(_ id: EndpointID) {
        endpoints.remove(id)
        judges.forget(id)
    }

    /// Takes the router's report about the leg that serves a publication or subscription.
    ///
    /// - Returns: Its view as a sample for the store.
    mutating func take(
        _ report: LegReport, _ content: StreamContent, of endpoint: Endpoint, at now: Duration
    ) -> StreamSample {
        let seen = judges.take(report, content, of: endpoint, configuration)
        update(endpoint.id) { $0.take(seen, at: now) }
        return seen.sample
    }

    /// Changes what is known of a publication or subscription.
    mutating func update(_ id: EndpointID, _ body: (inout EndpointQuality) -> Void) {
        endpoints.change(id, orAdd: EndpointQuality(), body)
    }

    /// A client wants to know so much of itself and of the others.
    mutating func watch(_ connection: ConnectionID, _ request: AskNetworkQuality) {
        guard request.asksForAnything else { return watchers[connection] = nil }
        guard watchers[connection]?.request != request else { return }
        watchers[connection] = Watcher(request: request)
    }

    /// Whether those who asked for it are to be notified; if so, not again for a second.
    mutating func isDue(at now: Duration) -> Bool {
        guard !watchers.isEmpty, due <= now else { return false }
        due = now + .seconds(1)
        return true
    }

    /// What a client does not know yet of itself and the others, as far as it wants to.
    mutating func news(
        for connection: ConnectionID, among all: [ParticipantQuality]
    ) -> [NetworkQualityUpdate.Participant] {
        guard let watcher = watchers[connection] else { return [] }
        var news: [NetworkQualityUpdate.Participant] = []
        for participant in all {
            let other = participant.connection
            let verbosity = watcher.request.verbosity(isOwn: other == connection)
            guard verbosity > .none else { continue }
            let stats = participant.stats(for: connection).redacted(to: verbosity)
            guard watcher.sent[other] ?? NetworkQualityStats() != stats else { continue }
            watchers[connection]?.sent[other] = stats
            news.append(.init(connection: other.rawValue, quality: stats))
        }
        return news
    }

    /// A connection is gone.
    mutating func forget(_ connection: ConnectionID) {
        watchers[connection] = nil
        for name in watchers.keys { watchers[name]?.sent[connection] = nil }
    }
}
