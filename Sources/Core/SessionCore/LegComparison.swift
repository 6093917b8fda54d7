// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// What a session's legs at a router show beside each other, and none of them alone.
///
/// A leg that is bad is its client's network's; but where all of the router's are at once, of clients that share nothing
/// else, it is the router's. A stream that is bad at all of its subscribers, who get others well, came so from its
/// publisher. Media that one subscriber lacks and others get are missing on the way to that one.
///
/// Pure.
struct LegComparison: Sendable {
    /// How a leg does.
    struct State: Sendable {
        var client: ClientID
        var stream: StreamID
        var kind: StreamRole
        /// Whether the router finds its path bad.
        var isBad: Bool
        /// Whether its client lacks media that should be there.
        var lacksMedia = false
    }

    /// How many legs are known, and how many of them are bad or lack media.
    private struct Tally {
        var known = 0
        var bad = 0
        var lacking = 0

        mutating func add(_ state: State) {
            known += 1
            if state.isBad { bad += 1 }
            if state.lacksMedia { lacking += 1 }
        }

        func without(_ state: State) -> Tally {
            Tally(
                known: known - 1, bad: bad - (state.isBad ? 1 : 0),
                lacking: lacking - (state.lacksMedia ? 1 : 0))
        }
    }

    /// Fewer clients than this may share a network by chance.
    private static let fewestClients = 3

    private let states: [EndpointID: State]
    private var all = Tally()
    private var clients: Set<ClientID> = []
    /// Subscriptions, by who receives and by what is received.
    private var receivers: [ClientID: Tally] = [:]
    private var streams: [StreamID: Tally] = [:]

    /// Takes the legs of which something is known, by what they serve.
    init(_ states: [EndpointID: State]) {
        self.states = states
        for state in states.values {
            all.add(state)
            clients.insert(state.client)
            guard state.kind == .subscriber else { continue }
            receivers[state.client, default: Tally()].add(state)
            streams[state.stream, default: Tally()].add(state)
        }
    }

    /// The side that the others show for one of the legs, as its client sees it; `nil` where they show nothing.
    func side(of id: EndpointID) -> NetworkDegradationSource? {
        guard let state = states[id] else { return nil }
        if state.isBad, all.bad == all.known, clients.count >= Self.fewestClients { return .server }
        guard state.kind == .subscriber, let own = receivers[state.client]?.without(state),
            let peers = streams[state.stream]?.without(state)
        else { return nil }
        if state.isBad, peers.known >= 2, peers.bad == peers.known, own.known > 0, own.bad == 0 {
            return .remote
        }
        guard state.lacksMedia else { return nil }
        if peers.known > 0, peers.lacking == 0 { return .local }
        return peers.known == 0 && own.known > 0 && own.lacking == own.known ? .local : nil
    }
}
