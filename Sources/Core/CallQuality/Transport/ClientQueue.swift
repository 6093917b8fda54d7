// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// In which direction the network of a client queues, as its peer connections show it to each other.
///
/// One that only sends sees that its round trip time rises, and not in which direction; one beside it that receives does.
/// It has no clock and does no I/O.
package struct ClientQueue<ID: Hashable & Sendable>: Sendable {
    private var seen: [ID: (direction: NetworkDirection, time: Double)] = [:]

    /// How long what one of them showed counts, in ms: reports may come every few seconds.
    private static var memory: Double { 10_000 }

    /// No peer connection has shown anything yet.
    package init() {}

    /// Takes note of what a peer connection shows.
    ///
    /// - Parameters:
    ///   - direction: In which direction its own media queue; `nil` if they show none.
    ///   - id: The peer connection.
    ///   - time: The time of its report, in ms, by a clock that all of them have.
    package mutating func note(_ direction: NetworkDirection?, by id: ID, at time: Double) {
        if seen.contains(where: { isOld($0.value.time, at: time) }) {
            seen = seen.filter { !isOld($0.value.time, at: time) }
        }
        seen[id] = direction.map { ($0, time) }
    }

    /// In which direction the others show a queue.
    ///
    /// - Parameters:
    ///   - id: The peer connection that asks.
    ///   - time: The time of its report, in ms.
    /// - Returns: What those that show one agree on; `nil` if none does, or they do not.
    package func direction(beside id: ID, at time: Double) -> NetworkDirection? {
        guard !seen.isEmpty else { return nil }
        let others = seen.filter { $0.key != id && !isOld($0.value.time, at: time) }
        let directions = Set(others.values.map(\.direction))
        return directions.count == 1 ? directions.first : nil
    }

    private func isOld(_ moment: Double, at time: Double) -> Bool { abs(time - moment) > Self.memory }

    /// Forgets a peer connection that has ended.
    package mutating func forget(_ id: ID) { seen[id] = nil }
}
