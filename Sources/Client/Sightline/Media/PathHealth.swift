// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Which of a publication's destinations cannot be reached.
///
/// Pure. Where some can be, those that cannot are to blame themselves.
struct PathHealth {
    private var wanted: Set<RouteDestination> = [.router]
    /// Why each is out of reach.
    private var broken: [RouteDestination: String] = [:]

    /// What the stream is to be connected to; what is no longer wanted is not missed.
    mutating func want(_ destinations: Set<RouteDestination>) {
        wanted = destinations
        broken = broken.filter { destinations.contains($0.key) }
    }

    /// A destination cannot be reached, or none if it is `nil`.
    mutating func broke(_ destination: RouteDestination?, _ message: String) {
        for destination in affected(destination) { broken[destination] = message }
    }

    /// A destination can be reached again, or all if it is `nil`.
    mutating func restored(_ destination: RouteDestination?) {
        for destination in affected(destination) { broken[destination] = nil }
    }

    /// Why no one can be reached; `nil` if someone can, or no one is wanted.
    var loss: String? {
        guard !wanted.isEmpty, wanted.allSatisfy({ broken[$0] != nil }) else { return nil }
        return broken.values.min()
    }

    var state: PathState {
        guard loss != nil else { return .working }
        return wanted.count > 1 || broken[.router] != nil ? .broken : .unreachable
    }

    private func affected(_ destination: RouteDestination?) -> Set<RouteDestination> {
        destination.map { wanted.intersection([$0]) } ?? wanted
    }
}
