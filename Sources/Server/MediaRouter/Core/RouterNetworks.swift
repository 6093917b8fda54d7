// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NetworkEmulation
import RouterWire

/// The emulated networks of a router's clients: which there are, what they do, and what is due of their counters.
///
/// One is there as long as any leg has it.
struct RouterNetworks {
    private struct Network {
        let number: NetworkNumber
        var legs = 0
        /// `nil` while it does nothing.
        var conditions: NetworkConditions?
        /// As last reported.
        var up = NetworkCounters()
        var down = NetworkCounters()
        /// `nil` while it does nothing.
        var reportDue: Duration?
    }

    /// Interval of a network's reports.
    static let reportInterval: Duration = .seconds(1)

    private var networks: [String: Network] = [:]

    /// A leg is about to be added whose packets pass a network; gives the number of that, `fresh` if it is a new one.
    mutating func join(_ network: ClientNetwork, orMake fresh: NetworkNumber) -> NetworkNumber {
        var joined = networks[network.network] ?? Network(number: fresh)
        joined.legs += 1
        networks[network.network] = joined
        return joined.number
    }

    /// A leg of a network has ended; the last one takes the network with it.
    mutating func leave(_ name: String, _ engine: any LegEngine) -> [RouterNotice] {
        networks[name]?.legs -= 1
        guard let network = networks[name], network.legs <= 0 else { return [] }
        let last = network.conditions == nil ? [] : count(name, engine)
        networks[name] = nil
        engine.forget(network.number)
        return last
    }

    /// Gives a network other conditions, or none; nothing if no leg has it.
    mutating func change(
        _ wanted: ClientNetwork, _ engine: any LegEngine, at now: Duration
    ) -> [RouterNotice] {
        guard let network = networks[wanted.network], network.conditions != wanted.conditions else {
            return []
        }
        // What it did before it was given conditions is of no interest, what it did with the last ones is.
        let before = count(wanted.network, engine)
        engine.set(wanted.conditions ?? NetworkConditions(), of: network.number)
        networks[wanted.network]?.conditions = wanted.conditions
        networks[wanted.network]?.reportDue = wanted.conditions.map { _ in
            network.reportDue ?? now + Self.reportInterval
        }
        return network.conditions == nil ? [] : before
    }

    /// What networks with conditions did, as far as that is due.
    mutating func report(_ engine: any LegEngine, at now: Duration) -> [RouterNotice] {
        var notices: [RouterNotice] = []
        for (name, network) in networks {
            guard let due = network.reportDue, now >= due else { continue }
            let next = due + Self.reportInterval
            networks[name]?.reportDue = next > now ? next : now + Self.reportInterval
            notices += count(name, engine)
        }
        return notices
    }

    /// What a network did since the last time.
    private mutating func count(_ name: String, _ engine: any LegEngine) -> [RouterNotice] {
        guard let network = networks[name] else { return [] }
        let up = engine.counters(of: network.number, .up)
        let down = engine.counters(of: network.number, .down)
        networks[name]?.up = up
        networks[name]?.down = down
        return [
            .network(
                NetworkCount(network: name, up: up.since(network.up), down: down.since(network.down)))
        ]
    }
}
