// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

@testable import SessionCore

/// What all sessions have together.
extension Lobby {
    var liveSessions: [LiveSession] { sessions.values.compactMap(\.live) }
    var members: [ClientID: Member] { all(\.members) }
    var endpoints: [EndpointID: Endpoint] { all(\.endpoints) }
    var legs: [LegID: Leg] { all(\.legs) }
    var relays: [RelayID: Relay] { all(\.relays) }
    var analysts: Int { liveSessions.reduce(0) { $0 + $1.analysts.count } }
    var qualities: [EndpointID: EndpointQuality] { all(\.quality.endpoints) }
    var judges: Int { liveSessions.reduce(0) { $0 + $1.quality.judges.count } }
    var watchers: Int { liveSessions.reduce(0) { $0 + $1.quality.watcherCount } }
    var waitingLegs: [LegID] { liveSessions.flatMap(\.offers.waiting) }
    var abandonedOffers: [ClientID] { liveSessions.flatMap { $0.offers.abandoned.map(\.client) } }
    var pendingUpdates: [EndpointID] { liveSessions.flatMap(\.pendingUpdates) }
    var saturations: [LegID: Saturation] { routers.saturations }

    /// What there is in all sessions, looked at one by one.
    var countedCensus: Census {
        var census = Census()
        for call in sessions.values.compactMap(\.observedCall) {
            let flows = call.peers.values.flatMap(\.flows.keys)
            let streams = flows.count { $0.role == .publisher }
            census.replace(
                Census(),
                by: Census(
                    sessions: call.participants.isEmpty ? 0 : 1, connections: call.participants.count,
                    streams: streams, observedParticipants: call.participants.count,
                    observedPeers: call.peers.count))
        }
        for session in liveSessions {
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
            && judges == 0
            && waitingLegs.isEmpty && watchers == 0
        return isNobodyThere && isNothingLeft && routers.legs == 0
    }

    private func all<ID, Row>(_ tables: KeyPath<LiveSession, Table<ID, Row>>) -> [ID: Row] {
        liveSessions.reduce(into: [:]) { all, session in
            let table = session[keyPath: tables]
            all.merge(zip(table.ids, table.values)) { first, _ in first }
        }
    }

    private func all<ID, Value>(_ values: KeyPath<LiveSession, [ID: Value]>) -> [ID: Value] {
        liveSessions.reduce(into: [:]) { $0.merge($1[keyPath: values]) { first, _ in first } }
    }
}
