// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine
import NIOSignaling
import SessionServer
import Sightline

/// The demo's emulated networks, one for each of its participants, which the dashboard may change.
actor DemoNetworks {
    private struct Network {
        let participant: Participant
        var conditions: NetworkConditions
        var legs: [CallLeg]
    }

    private var networks: [String: Network] = [:]
    private var order: [String] = []

    /// What the server offers of them.
    nonisolated var control: NetworkControl {
        NetworkControl(
            participants: { await self.list },
            set: { connection, conditions async throws(NetworkControl.Refusal) in
                try await self.set(conditions, of: connection)
            })
    }

    /// Adds a leg that was created with conditions: its participant's first has the initial ones.
    func add(_ leg: CallLeg) {
        guard let connection = leg.participant.session.connection?.connectionId else { return }
        if var network = networks[connection] {
            network.legs.append(leg)
            networks[connection] = network
            apply(network)
        } else {
            order.append(connection)
            networks[connection] = Network(
                participant: leg.participant, conditions: leg.conditions?.first ?? .init(), legs: [leg])
        }
    }

    private var list: [NetworkControl.Participant] {
        order.compactMap { connection in
            networks[connection].map { network in
                .init(
                    connection: connection,
                    conditions: .init(up: network.conditions.up.values, down: network.conditions.down.values))
            }
        }
    }

    private func set(
        _ wanted: NetworkControl.Conditions, of connection: String
    ) throws(NetworkControl.Refusal) {
        guard var network = networks[connection] else { throw .unknownConnection }
        do throws(NetworkConditions.SyntaxError) {
            network.conditions = NetworkConditions()
            network.conditions.up = try NetworkConditions.Link(values: wanted.up)
            network.conditions.down = try NetworkConditions.Link(values: wanted.down)
        } catch {
            throw .malformed(error.description)
        }
        networks[connection] = network
        apply(network)
    }

    private func apply(_ network: Network) {
        // A leg that has ended meanwhile has no network any more.
        for leg in network.legs { try? leg.set(network.conditions) }
        network.participant.gate.isOpen = !network.conditions.up.isOut && !network.conditions.down.isOut
    }
}

extension NetworkConditions.Link {
    /// Reads conditions by their names.
    fileprivate init(values: [String: Double]) throws(NetworkConditions.SyntaxError) {
        self.init()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { try set(name, value) }
    }
}
