// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Logging
import NIOCore
import SessionCore
import Synchronization

/// Counts TCP connections from their opening until they are really gone, and lets no more in than there may
/// be.
///
/// The core's own count ends when it has said goodbye; a descriptor lasts until the channel is closed.
final class ConnectionGate: Sendable {
    /// A connection's place.
    final class Place: Sendable {
        fileprivate enum Kind { case http, newSocket, member }

        fileprivate let source: Source?
        fileprivate let kind = Mutex(Kind.http)

        fileprivate init(source: Source?) { self.source = source }
    }

    /// Addresses of connections, to limit those with too many.
    ///
    /// Of IPv6 a /64 network: that is what one customer has.
    struct Source: Sendable, Hashable {
        let bytes: [UInt8]

        /// `nil` for what has no address, such as a local socket.
        init?(_ address: SocketAddress?) {
            switch address {
            case .v4(let address):
                // By their places: whose module the members are of depends on what was imported before.
                bytes = withUnsafeBytes(of: address.address) { Array($0[4..<8]) }
            case .v6(let address):
                let all = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
                let isMappedV4 =
                    all.prefix(10).allSatisfy { $0 == 0 } && all[10...11].allSatisfy { $0 == 255 }
                bytes = Array(isMappedV4 ? all.suffix(4) : all.prefix(8))
            default: return nil
            }
        }
    }

    /// How many there are.
    struct Figures: Sendable, Equatable {
        /// TCP connections.
        var connections = 0
        /// Sockets among them.
        var sockets = 0
        /// Those among them that have not joined.
        var newSockets = 0
    }

    private struct State {
        var figures = Figures()
        var sources: [Source: Int] = [:]
        /// What was said once.
        var said: Set<Refusal> = []
    }

    /// Why someone was not let in.
    private enum Refusal: String {
        case full = "there are too many TCP connections; more are closed at once"
        case source = """
            one address has too many TCP connections; more are closed at once. \
            Behind a proxy turn this limit off: --limit open-connections-per-address=0
            """
        case newSockets = "there are too many sockets that have not joined; more are refused"
    }

    private let limits: SessionServerLimits
    private let logger: Logger
    private let state = Mutex(State())

    init(_ limits: SessionServerLimits, logger: Logger) {
        self.limits = limits
        self.logger = logger
    }

    /// How many there are now.
    var figures: Figures { state.withLock { $0.figures } }

    /// Whether another socket would be refused.
    var isFullOfSockets: Bool { state.withLock { self.refusal($0.figures) != nil } }

    /// A place for a connection; `nil` if there is none left.
    func enter(from address: SocketAddress?) -> Place? {
        let source = Source(address)
        let refusal = state.withLock { state -> Refusal? in
            guard state.figures.connections < limits.openConnections else { return .full }
            if let source {
                let count = state.sources[source, default: 0]
                guard limits.openConnectionsPerAddress.map({ count < $0 }) ?? true else { return .source }
                state.sources[source] = count + 1
            }
            state.figures.connections += 1
            return nil
        }
        guard let refusal else { return Place(source: source) }
        say(refusal)
        return nil
    }

    /// A connection is about to become a socket; whether it may.
    func becomesSocket(_ place: Place) -> Bool {
        let refusal = state.withLock { state -> Refusal? in
            if let refusal = self.refusal(state.figures) { return refusal }
            guard place.kind.exchange(.newSocket, for: .http) else { return nil }
            state.figures.sockets += 1
            state.figures.newSockets += 1
            return nil
        }
        if let refusal { say(refusal) }
        return refusal == nil
    }

    /// The client of a socket has joined.
    func joined(_ place: Place) {
        state.withLock { state in
            if place.kind.exchange(.member, for: .newSocket) { state.figures.newSockets -= 1 }
        }
    }

    /// A connection is gone.
    func leave(_ place: Place) {
        state.withLock { state in
            state.figures.connections -= 1
            let kind = place.kind.withLock { $0 }
            if kind != .http { state.figures.sockets -= 1 }
            if kind == .newSocket { state.figures.newSockets -= 1 }
            guard let source = place.source, let count = state.sources[source] else { return }
            state.sources[source] = count > 1 ? count - 1 : nil
        }
    }

    /// The core closes new sockets when there are too many, and its clients have their own limit; but those
    /// that it has closed last for a moment, and count until they are gone.
    private func refusal(_ figures: Figures) -> Refusal? {
        figures.newSockets / 2 >= limits.unjoinedConnections ? .newSockets : nil
    }

    /// Once only: who floods the server must not flood its log.
    private func say(_ refusal: Refusal) {
        guard state.withLock({ $0.said.insert(refusal).inserted }) else { return }
        logger.warning("\(refusal.rawValue)")
    }
}

extension Mutex where Value == ConnectionGate.Place.Kind {
    /// Replaces a kind by another; false if it was not that kind.
    fileprivate borrowing func exchange(
        _ new: ConnectionGate.Place.Kind, for old: ConnectionGate.Place.Kind
    ) -> Bool {
        withLock { kind in
            guard kind == old else { return false }
            kind = new
            return true
        }
    }
}
