// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// In which direction the network of a client queues, as its peer connections show it to each other.
///
/// One that only sends sees that its round trip time rises, and not in which direction; one beside it that receives does.
/// Of use for paths to servers alone: between peers a queue may be in the other one's network.
///
/// It has no clock and does no I/O.
package struct ClientQueue<ID: Hashable & Sendable>: Sendable {
    private var seen: [ID: (direction: NetworkDirection?, time: Double)] = [:]
    private var newest = -Double.infinity

    /// How long what one of them showed counts, in ms.
    private static var memory: Double { 1000 * RemoteMetrics.queueMemory }
    /// How much later than a report what counts for it may be, in ms.
    private static var slack: Double { 1_000 }

    /// No peer connection has shown anything yet.
    package init() {}

    /// Takes note of what a peer connection shows.
    ///
    /// - Parameters:
    ///   - direction: In which direction its own media queue; `nil` if they show none.
    ///   - id: The peer connection.
    ///   - time: The time of its report, in ms, by a clock that all of them have; a late report changes nothing.
    package mutating func note(_ direction: NetworkDirection?, by id: ID, at time: Double) {
        if let known = seen[id], time < known.time { return }
        guard direction != nil || seen[id] != nil else { return }
        newest = max(newest, time)
        seen[id] = (direction, time)
        if seen.contains(where: { newest - $0.value.time > Self.memory }) {
            seen = seen.filter { newest - $0.value.time <= Self.memory }
        }
    }

    /// In which direction the others show a queue.
    ///
    /// - Parameters:
    ///   - id: The peer connection that asks.
    ///   - time: The time of its report, in ms.
    /// - Returns: What those that show one agree on; `nil` if none does, or they do not.
    package func direction(beside id: ID, at time: Double) -> Aged<NetworkDirection>? {
        var found: Aged<NetworkDirection>?
        for (other, (direction, moment)) in seen where other != id {
            guard let direction, (-Self.slack...Self.memory).contains(time - moment) else { continue }
            guard direction == found?.value ?? direction else { return nil }
            let age = max(0, (time - moment) / 1000)
            found = Aged(direction, age: min(found?.age ?? age, age))
        }
        return found
    }

    /// Forgets a peer connection that has ended.
    package mutating func forget(_ id: ID) { seen[id] = nil }
}
