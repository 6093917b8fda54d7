// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Chooses the nodes at which new sessions begin.
///
/// Pure. Of two nodes by chance the one with less to do, or this one if it has hardly more: what all choose by is a second old,
/// and the best of all would be everyone's choice. What this node has placed lately counts beside what is known where nodes are
/// compared; whether one is full, it says itself.
package struct Placement: Sendable {
    /// What a session counts for until its node has said what it has to do.
    package static let sessionLoad = 0.01
    /// How long that is.
    package static let memory: Duration = .seconds(5)
    /// From here on a node takes no more.
    package static let full = 0.95
    /// How much more this node may have to do and is chosen all the same: no one is sent elsewhere for less.
    ///
    /// A node has its own callers first. With less than this, what is inexact in measured loads would send
    /// them elsewhere; with more, the fullest of many would have far more than the others.
    package static let preference = SmoothedLoad.exactness

    private let own: String
    private var placed: [(node: String, at: Duration)] = []

    /// Of the node of a name.
    package init(own: String) { self.own = own }

    /// Chooses one for a session; `nil` if every one is full.
    ///
    /// One whose routers are full is none for a session that is routed at once, and good for one that never is. One that is
    /// later, or was before, goes to another one if there is any: what it has there is never refused.
    package mutating func choose(
        for use: RouterUse, from nodes: [NodeState], at now: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> String? {
        placed.removeAll { now - $0.at > Self.memory }
        let fit = Self.fit(for: use, among: nodes)
        var loads = Dictionary(fit.map { ($0.name, $0.load.share) }) { first, _ in first }
        for session in placed { loads[session.node]? += Self.sessionLoad }
        guard let chosen = choose(from: fit.map(\.name), loads, using: &generator) else { return nil }
        placed.append((chosen, now))
        return chosen
    }

    private static func fit(for use: RouterUse, among nodes: [NodeState]) -> [NodeState] {
        let free = nodes.filter { $0.load.share < full }
        let routing = free.filter { !$0.load.areRoutersFull }
        return switch use {
        case .never: free
        case .later: routing.isEmpty ? free : routing
        case .always: routing
        }
    }

    private func choose(
        from names: [String], _ loads: [String: Double], using generator: inout some RandomNumberGenerator
    ) -> String? {
        guard let first = names.randomElement(using: &generator) else { return nil }
        let second = names.filter { $0 != first }.randomElement(using: &generator) ?? first
        func load(_ name: String) -> Double { loads[name] ?? 1 }
        let best = load(second) < load(first) ? second : first
        return names.contains(own) && load(own) <= load(best) + Self.preference ? own : best
    }

    /// Chooses the node of a session whose name an application chose: each node chooses the same one, and of those whose
    /// node is gone alone another one (rendezvous hashing).
    package static func home(of session: String, among nodes: [String]) -> String? {
        nodes.max { (weight($0, session), $0) < (weight($1, session), $1) }
    }

    private static func weight(_ node: String, _ session: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in Array(session.utf8) + [0] + Array(node.utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        // The last bytes alone would order nodes alike for every session.
        hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
        return hash ^ (hash >> 33)
    }
}
