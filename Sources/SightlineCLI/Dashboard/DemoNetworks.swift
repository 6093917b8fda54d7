// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import NIOSignaling
import SessionCore
import SessionServer
import Sightline

/// The emulated networks that the demo's own participants have in themselves, each one for its signalling too, which the
/// dashboard may change.
actor DemoNetworks {
    private struct Network {
        let participant: Participant
        var conditions: NetworkConditions
        var legs: [CallLeg]
        /// Start of the emulation, Unix ms, and what had passed it before.
        var since = DemoNetworks.now
        var before = [NetworkConditions.Direction: NetworkCounters]()

        /// What it did since then; `nil` while it is perfect.
        var counters: ParticipantNetwork.Counters? {
            guard conditions != NetworkConditions() else { return nil }
            return .init(
                up: total(.up).since(before[.up] ?? .init()),
                down: total(.down).since(before[.down] ?? .init()))
        }

        mutating func set(_ wanted: NetworkConditions) {
            if conditions == NetworkConditions() {
                since = DemoNetworks.now
                before = [.up: total(.up), .down: total(.down)]
            }
            conditions = wanted
        }

        private func total(_ direction: NetworkConditions.Direction) -> NetworkCounters {
            legs.reduce(NetworkCounters()) { $0 + ($1.networkCounters(direction) ?? NetworkCounters()) }
        }
    }

    private var networks: [String: Network] = [:]

    /// What the server offers of them.
    nonisolated var control: ClientNetworks {
        ClientNetworks(
            all: { await self.all },
            set: { connection, conditions in await self.set(conditions, of: connection) })
    }

    /// Adds a leg that was created with conditions: its participant's first has the initial ones.
    func add(_ leg: CallLeg) {
        guard let connection = leg.participant.session.connection?.connectionId else { return }
        if var network = networks[connection] {
            network.legs.append(leg)
            networks[connection] = network
            apply(network)
        } else {
            networks[connection] = Network(
                participant: leg.participant, conditions: leg.conditions?.first ?? .init(), legs: [leg])
        }
    }

    private static var now: Double { (Date().timeIntervalSince1970 * 1000).rounded() }

    private var all: [String: ParticipantNetwork] {
        Dictionary(
            networks.map { connection, network in
                let counters = network.counters
                return (
                    connection,
                    ParticipantNetwork(
                        connection: connection, end: .client, conditions: network.conditions,
                        since: counters.map { _ in network.since }, counters: counters)
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    private func set(_ wanted: NetworkConditions, of connection: String) -> Bool {
        guard var network = networks[connection] else { return false }
        network.set(wanted)
        networks[connection] = network
        apply(network)
        return true
    }

    private func apply(_ network: Network) {
        // A leg that has ended meanwhile has no network any more.
        for leg in network.legs { try? leg.set(network.conditions) }
        network.participant.gate.isOpen = !network.conditions.up.isOut && !network.conditions.down.isOut
    }
}
