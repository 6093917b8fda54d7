// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

@testable import SessionCore

/// What all sessions have together.
extension Lobby {
    var members: [ClientID: Member] { all(\.members) }
    var endpoints: [EndpointID: Endpoint] { all(\.endpoints) }
    var legs: [LegID: Leg] { all(\.legs) }
    var relays: [RelayID: Relay] { all(\.relays) }
    var analysts: Int { sessions.values.reduce(0) { $0 + $1.analysts.count } }
    var qualities: [EndpointID: EndpointQuality] { all(\.quality.endpoints) }
    var watchers: Int { sessions.values.reduce(0) { $0 + $1.quality.watcherCount } }
    var waitingLegs: [LegID] { sessions.values.flatMap(\.offers.waiting) }
    var abandonedOffers: [ClientID] { sessions.values.flatMap { $0.offers.abandoned.map(\.client) } }
    var untoldUpdates: [EndpointID] { sessions.values.flatMap(\.untoldUpdates) }
    var saturations: [LegID: Saturation] { router.saturations }

    /// What there is in all sessions, looked at one by one.
    var countedCensus: Census {
        var census = Census()
        for session in sessions.values {
            let streams = session.streams.values.count(where: \.isAnnounced)
            census.replace(
                Census(),
                by: Census(
                    sessions: session.roster.isEmpty ? 0 : 1, connections: session.roster.count,
                    streams: streams))
        }
        return census
    }

    /// Whether nothing is left of anyone.
    var isClean: Bool {
        let isNobodyThere =
            clients.isEmpty && members.isEmpty && unjoined.isEmpty && owners.isEmpty && resumptions.isEmpty
        let isNothingLeft =
            endpoints.isEmpty && legs.isEmpty && relays.isEmpty && analysts == 0 && qualities.isEmpty
            && waitingLegs.isEmpty && watchers == 0
        return isNobodyThere && isNothingLeft && router.legs == 0
    }

    private func all<ID, Row>(_ tables: KeyPath<LiveSession, Table<ID, Row>>) -> [ID: Row] {
        sessions.values.reduce(into: [:]) { all, session in
            let table = session[keyPath: tables]
            all.merge(zip(table.ids, table.values)) { first, _ in first }
        }
    }

    private func all<ID, Value>(_ values: KeyPath<LiveSession, [ID: Value]>) -> [ID: Value] {
        sessions.values.reduce(into: [:]) { $0.merge($1[keyPath: values]) { first, _ in first } }
    }
}
