// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import NetworkEmulation
import RouterWire
import SessionWire

// MARK: - Emulated networks

extension LiveSession {
    /// What the router is to know of the network of a client's legs; `nil` on a server that emulates none.
    func network(of client: ClientID) -> ClientNetwork? {
        guard settings.emulatesNetworks else { return nil }
        return ClientNetwork(network: client.networkName, conditions: emulations[client]?.conditions)
    }

    /// Emulates a client's network from now on; `nil` ends that.
    mutating func emulate(_ schedule: ConditionSchedule?, for client: ClientID) {
        guard let member = members[client] else { return }
        let last = emulations[client]
        emulations[client] = schedule.map { EmulatedNetwork($0, after: last, at: now) }
        inform(client)
        guard (last == nil) != (schedule == nil) else { return }
        let conditions = emulations[client]?.conditions.text
        // Whoever looks at the call later has to know that its network was made so.
        note(
            conditions == nil ? "networkEmulationEnded" : "networkEmulationBegan", member.identity.connection,
            detail: conditions.map { ["conditions": $0] } ?? [:])
        log(
            .emulated(
                session: id.rawValue.printable, connection: member.identity.description.id,
                conditions: conditions))
    }

    /// Carries out what is due of schedules.
    mutating func advanceEmulations() {
        let elapsed = now.elapsed
        for client in emulations.keys.sorted() where emulations[client]?.advance(to: elapsed) == true {
            inform(client)
        }
    }

    /// Counts what a client's network did.
    mutating func count(_ count: NetworkCount, for client: ClientID) {
        emulations[client]?.count(up: count.up, down: count.down)
    }

    /// How a client's network is.
    func networkState(of member: Member) -> ParticipantNetwork {
        let identity = member.identity
        let network = emulations[identity.client]
        return ParticipantNetwork(
            connection: identity.description.id, end: .router,
            conditions: network?.conditions ?? NetworkConditions(), since: network?.since,
            counters: network.map { .init(up: $0.up, down: $0.down) })
    }

    /// A client without legs at the router has no network there: its next leg brings it.
    private mutating func inform(_ client: ClientID) {
        guard legs.contains(where: { $0.client == client && $0.isAtRouter }),
            let network = network(of: client)
        else { return }
        ask(.emulate(network))
    }
}

extension ClientID {
    /// What the router knows the client's network by.
    var networkName: String { "\(rawValue)" }

    /// The client whose network has this name.
    init?(networkName: String) {
        guard let number = UInt64(networkName) else { return nil }
        self.init(SocketID(rawValue: number))
    }
}
